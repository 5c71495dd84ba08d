//! The weights of a model: named tensors from a safetensors file.
//!
//! The format is eight bytes of length, JSON of that length, and numbers. *Not* all of it is supported: only F32 is
//! read, which is what the model has; tensors of other types are skipped.

use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;
use tract_core::prelude::{Datum, Tensor};

/// Longest header that is read, in bytes. The model's has 10 kB.
const HEADER_MAX: usize = 1 << 20;

/// Tensors by name.
#[derive(Debug, Default)]
pub(super) struct Weights(HashMap<String, Arc<Tensor>>);

/// What the header says of a tensor.
#[derive(Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl Weights {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let (len, rest) = bytes.split_first_chunk::<8>().ok_or("it is cut short")?;
        let len = usize::try_from(u64::from_le_bytes(*len)).unwrap_or(usize::MAX);
        if len > HEADER_MAX || len > rest.len() {
            return Err(format!("its header of `{len}` bytes cannot be"));
        }
        let (header, data) = rest.split_at(len);
        let header: HashMap<String, serde_json::Value> =
            serde_json::from_slice(header).map_err(|e| format!("its header: {e}"))?;
        let mut weights = Self::default();
        for (name, entry) in header {
            if name == "__metadata__" {
                continue;
            }
            let entry: Entry =
                serde_json::from_value(entry).map_err(|e| format!("tensor `{name}`: {e}"))?;
            if entry.dtype == "F32" {
                let tensor = read(&entry, data).ok_or(format!("tensor `{name}` is cut short"))?;
                weights.0.insert(name, Arc::new(tensor));
            }
        }
        Ok(weights)
    }

    /// The tensor of that name, if it has that shape; 0 stands for any length.
    pub(super) fn get(&self, name: &str, shape: &[usize]) -> Result<Arc<Tensor>, String> {
        let tensor = self.0.get(name).ok_or(format!("it has no `{name}`"))?;
        let have = tensor.shape();
        let fits = |(want, have): (&usize, &usize)| *want == 0 || want == have;
        if have.len() != shape.len() || !shape.iter().zip(have).all(fits) {
            return Err(format!("`{name}` is {have:?}, not {shape:?}"));
        }
        Ok(Arc::clone(tensor))
    }

    #[cfg(test)]
    pub(super) fn insert(&mut self, name: &str, shape: &[usize], numbers: &[f32]) {
        let tensor = Tensor::from_shape(shape, numbers).expect("the shape fits");
        self.0.insert(name.to_owned(), Arc::new(tensor));
    }
}

fn read(entry: &Entry, data: &[u8]) -> Option<Tensor> {
    let (start, end) = entry.data_offsets;
    let count = entry
        .shape
        .iter()
        .try_fold(1usize, |n, d| n.checked_mul(*d))?;
    let (numbers, []) = data.get(start..end)?.as_chunks::<4>() else {
        return None;
    };
    if numbers.len() != count {
        return None;
    }
    let numbers: Vec<f32> = numbers.iter().map(|n| f32::from_le_bytes(*n)).collect();
    Tensor::from_shape(&entry.shape, &numbers).ok()
}

/// The numbers of a tensor of this crate, all of which are F32 and plain.
pub(super) fn numbers(tensor: &Tensor) -> Result<&[f32], String> {
    debug_assert_eq!(tensor.datum_type(), f32::datum_type());
    let view = tensor.try_as_plain_ram().map_err(|e| e.to_string())?;
    view.as_slice::<f32>().map_err(|e| e.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(header: &str, data: &[u8]) -> Vec<u8> {
        let len = (header.len() as u64).to_le_bytes();
        [&len[..], header.as_bytes(), data].concat()
    }

    #[test]
    fn tensors_are_read_and_their_shapes_looked_at() {
        let header = r#"{"__metadata__":{"format":"pt"},
            "w":{"dtype":"F32","shape":[2,1],"data_offsets":[8,16]},
            "ids":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}"#;
        let data = [&[0; 8][..], &1.5f32.to_le_bytes(), &(-2f32).to_le_bytes()].concat();
        let weights = Weights::parse(&file(header, &data)).unwrap();
        let tensor = weights.get("w", &[0, 1]).unwrap();
        assert_eq!(numbers(&tensor).unwrap(), [1.5, -2.0]);
        assert!(weights.get("w", &[1, 2]).unwrap_err().contains("[2, 1]"));
        assert!(weights.get("ids", &[1]).unwrap_err().contains("no `ids`"));
        let cut = Weights::parse(&file(header, &data[..15]));
        assert!(cut.unwrap_err().contains("tensor `w` is cut short"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(
            bytes in prop::collection::vec(any::<u8>(), 0..40),
            shape in prop::collection::vec(any::<usize>(), 0..4),
            offsets in any::<(usize, usize)>(),
        ) {
            let _ = Weights::parse(&bytes);
            let (start, end) = offsets;
            let header = format!(
                r#"{{"w":{{"dtype":"F32","shape":{shape:?},"data_offsets":[{start},{end}]}}}}"#
            );
            let _ = Weights::parse(&file(&header, &bytes));
        }
    }
}
