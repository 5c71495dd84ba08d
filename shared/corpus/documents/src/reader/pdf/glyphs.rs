//! Collects the glyphs of a page with their positions, and stops pages that would never end.
//!
//! Drawing operations are ignored but counted, and a page with too many is stopped. For example, a form may draw
//! itself ten times, and each copy may do the same.

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
};

/// Units of a font's design space in one size of it.
const UNITS: f64 = 1_000.0;
/// How far a glyph without a width is taken to reach, in units.
const WIDTH_UNITS: f32 = 500.0;

/// Work that may still be done.
pub(super) struct Budget {
    left: u64,
}

impl Budget {
    pub(super) fn new(left: u64) -> Budget {
        Budget { left }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Takes work off. The interpreter knows no way to be stopped but this: unwinding, without a
    /// word on standard error, to the `catch_unwind` of the page.
    fn spend(&mut self, work: u64) {
        self.left = self.left.saturating_sub(work);
        if self.left == 0 {
            std::panic::resume_unwind(Box::new("out of budget"));
        }
    }
}

/// A glyph: where it begins and ends along its line, how far the line is from the origin, and how
/// large it is, all in points.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    /// Direction of its line, in degrees.
    pub(super) turn: i32,
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) base: f64,
    pub(super) size: f64,
    pub(super) text: String,
}

pub(super) struct Collector<'b> {
    budget: &'b mut Budget,
    pub(super) glyphs: Vec<Placed>,
}

impl<'b> Collector<'b> {
    pub(super) fn new(budget: &'b mut Budget) -> Collector<'b> {
        Collector {
            budget,
            glyphs: Vec::new(),
        }
    }
}

/// A glyph under the transform that places it; `None` when it is nowhere, or says nothing.
fn placed(glyph: &Glyph<'_>, transform: Affine) -> Option<Placed> {
    let text = match glyph.as_unicode()? {
        BfString::Char(c) => c.to_string(),
        BfString::String(text) => text,
    };
    let width = match glyph {
        Glyph::Outline(outline) => outline.advance_width(),
        Glyph::Type3(drawn) => drawn.advance_width(),
    };
    let [a, b, c, d, x, y] = transform.as_coeffs();
    let (along, up) = (a.hypot(b), c.hypot(d));
    let whole = [along, up, x, y].iter().all(|n| n.is_finite());
    if !whole || along <= 0.0 || text.is_empty() {
        return None;
    }
    let (cos, sin) = (a / along, b / along);
    let start = x * cos + y * sin;
    Some(Placed {
        turn: sin.atan2(cos).to_degrees().round() as i32,
        start,
        end: start + f64::from(width.unwrap_or(WIDTH_UNITS)) * along,
        base: y * cos - x * sin,
        size: up.max(along * 0.2) * UNITS,
        text,
    })
}

impl<'a> Device<'a> for Collector<'_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        self.budget.spend(run.glyphs().len() as u64 + 1);
        let glyphs = run
            .glyphs()
            .iter()
            .filter_map(|glyph| placed(glyph, props.transform * glyph.transform()));
        self.glyphs.extend(glyphs);
    }

    fn draw_path(&mut self, path: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.budget.spend(1 + path.elements().len() as u64 / 8);
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.budget.spend(1);
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.budget.spend(1);
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.budget.spend(1);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
