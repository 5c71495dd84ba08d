//! The layers of the encoder as a graph of tract, for texts of one length.
//!
//! The graph is wired by hand from the weights: no exported file and no second language is involved. *Not* here:
//! the vectors of the words and the pooling. Both are a few lines of plain code beside it, so that the large table
//! of words stays out of the graph, which copies what it holds.

use super::weights::Weights;
use std::sync::Arc;
use tract_core::internal::{AxisOp, DatumExt, TractError, TractResult, tensor0, tvec};
use tract_core::ops::einsum::EinSum;
use tract_core::ops::math::{add, mul, sub};
use tract_core::ops::nn::{Reduce, Reducer, RmsNorm, Softmax, SoftmaxKind, gelu_exact::gelu_exact};
use tract_core::prelude::{
    Datum, IntoRunnable, OutletId, SpecialOps, Tensor, TypedModel, TypedRunnableModel,
};

/// Added under the square root of a norm: what BERT has.
const EPSILON: f32 = 1e-12;

/// What a model is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// Numbers in a hidden state.
    pub(super) width: usize,
    /// Numbers in the middle of the feed-forward part.
    pub(super) inner: usize,
    pub(super) layers: usize,
    /// Heads of attention; they share the width evenly.
    pub(super) heads: usize,
}

/// A graph that is ready to run: from `[length, width]` and what to add to the attention of each place
/// `[1, 1, length]` to the hidden states `[length, width]`.
pub(super) type Plan = Arc<TypedRunnableModel>;

/// Wires and optimises the encoder for texts of `length` places. Takes a tenth of a second for MiniLM.
pub(super) fn plan(weights: &Weights, shape: Shape, length: usize) -> TractResult<Plan> {
    let mut wiring = Wiring {
        model: TypedModel::default(),
        weights,
        shape,
        name: String::new(),
    };
    let states = f32::fact([length, shape.width]);
    let words = wiring.model.add_source("words", states)?;
    let mask = wiring.model.add_source("mask", f32::fact([1, 1, length]))?;
    let mut states = wiring.norm(words, "embeddings.LayerNorm")?;
    for layer in 0..shape.layers {
        states = wiring.layer(states, mask, &format!("encoder.layer.{layer}"))?;
    }
    wiring.model.select_output_outlets(&[states])?;
    wiring.model.into_optimized()?.into_runnable()
}

/// A graph in the making.
struct Wiring<'a> {
    model: TypedModel,
    weights: &'a Weights,
    shape: Shape,
    /// What the next nodes are named after.
    name: String,
}

impl Wiring<'_> {
    /// One layer: attention and feed-forward, each added to what came in and normalised.
    fn layer(&mut self, x: OutletId, mask: OutletId, name: &str) -> TractResult<OutletId> {
        let Shape { width, inner, .. } = self.shape;
        let mixed = self.attention(x, mask, &format!("{name}.attention.self"))?;
        let mixed = self.dense(
            mixed,
            &format!("{name}.attention.output.dense"),
            width,
            width,
        )?;
        let sum = self.node("sum", add(), &[x, mixed])?;
        let x = self.norm(sum, &format!("{name}.attention.output.LayerNorm"))?;
        let middle = self.dense(x, &format!("{name}.intermediate.dense"), width, inner)?;
        let middle = self.node("gelu", gelu_exact(), &[middle])?;
        let out = self.dense(middle, &format!("{name}.output.dense"), inner, width)?;
        let sum = self.node("sum", add(), &[x, out])?;
        self.norm(sum, &format!("{name}.output.LayerNorm"))
    }

    /// What each place takes from the others, all heads side by side.
    fn attention(&mut self, x: OutletId, mask: OutletId, name: &str) -> TractResult<OutletId> {
        let Shape { width, heads, .. } = self.shape;
        let query = self.heads(x, &format!("{name}.query"))?;
        let key = self.heads(x, &format!("{name}.key"))?;
        let value = self.heads(x, &format!("{name}.value"))?;
        // The scale of the scores, put on the query: it is the smaller of the two.
        let scale = ((width / heads) as f32).sqrt().recip();
        let scale = self.constant("scale", tensor0(scale).broadcast_into_rank(3)?)?;
        let query = self.node("scaled", mul(), &[query, scale])?;
        let scores = self.einsum("mhd,nhd->hmn", &[query, key])?;
        let scores = self.node("masked", add(), &[scores, mask])?;
        let softmax = Softmax::new(tvec!(2), None, SoftmaxKind::Softmax);
        let shares = self.node("softmax", softmax, &[scores])?;
        let mixed = self.einsum("hmn,nhd->mhd", &[shares, value])?;
        let parts = tvec!(heads.into(), (width / heads).into());
        let join = AxisOp::Reshape(1, parts, tvec!(width.into()));
        self.node("join", join, &[mixed])
    }

    /// `[length, width]` to `[length, heads, width / heads]`.
    fn heads(&mut self, x: OutletId, name: &str) -> TractResult<OutletId> {
        let Shape { width, heads, .. } = self.shape;
        let x = self.dense(x, name, width, width)?;
        let parts = tvec!(heads.into(), (width / heads).into());
        self.node("part", AxisOp::Reshape(1, tvec!(width.into()), parts), &[x])
    }

    /// `x` times the transposed weight, plus the bias.
    fn dense(&mut self, x: OutletId, name: &str, from: usize, to: usize) -> TractResult<OutletId> {
        self.name = name.to_owned();
        let weight = self.weight("weight", &[to, from])?;
        let bias = self.row("bias", to)?;
        let x = self.einsum("mk,nk->mn", &[x, weight])?;
        self.node("biased", add(), &[x, bias])
    }

    /// Mean 0 and variance 1 at each place, then stretched and moved.
    fn norm(&mut self, x: OutletId, name: &str) -> TractResult<OutletId> {
        self.name = name.to_owned();
        let width = self.shape.width;
        let sum = self.node("total", Reduce::new(tvec!(1), Reducer::Sum), &[x])?;
        let share = tensor0(1.0 / width as f32).broadcast_into_rank(2)?;
        let share = self.constant("share", share)?;
        let mean = self.node("mean", mul(), &[sum, share])?;
        let x = self.node("centred", sub(), &[x, mean])?;
        let eps = Arc::new(tensor0(EPSILON));
        let x = self.node("even", RmsNorm { axis: 1, eps }, &[x])?;
        let stretch = self.row("weight", width)?;
        let shift = self.row("bias", width)?;
        let x = self.node("stretched", mul(), &[x, stretch])?;
        self.node("shifted", add(), &[x, shift])
    }

    fn einsum(&mut self, axes: &str, inputs: &[OutletId]) -> TractResult<OutletId> {
        let op = EinSum::new(axes.parse()?, f32::datum_type());
        self.node("product", op, inputs)
    }

    /// A row of numbers that is added to each place.
    fn row(&mut self, part: &str, width: usize) -> TractResult<OutletId> {
        let name = format!("{}.{part}", self.name);
        let row = self.weights.get(&name, &[width]).map_err(TractError::msg)?;
        let row = row.as_ref().clone().into_shape(&[1, width])?;
        self.constant(part, row)
    }

    fn weight(&mut self, part: &str, shape: &[usize]) -> TractResult<OutletId> {
        let name = format!("{}.{part}", self.name);
        let weight = self.weights.get(&name, shape).map_err(TractError::msg)?;
        self.model.add_const(name, weight)
    }

    fn constant(&mut self, part: &str, tensor: Tensor) -> TractResult<OutletId> {
        let name = self.unique(part);
        self.model.add_const(name, tensor)
    }

    fn node(
        &mut self,
        part: &str,
        op: impl Into<Box<dyn tract_core::ops::TypedOp>>,
        inputs: &[OutletId],
    ) -> TractResult<OutletId> {
        let name = self.unique(part);
        Ok(self.model.wire_node(name, op, inputs)?[0])
    }

    /// Nodes are named after the weights that they use, and their number.
    fn unique(&self, part: &str) -> String {
        format!("{}.{part}.{}", self.name, self.model.nodes().len())
    }
}
