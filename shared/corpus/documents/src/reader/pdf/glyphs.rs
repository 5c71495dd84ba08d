//! Collects the glyphs of a page with their positions, and stops pages that would never end.
//!
//! Glyphs that nobody sees are left out: what is drawn invisibly, in the colour of the paper, in type that is too
//! small, or off the page. What lies invisibly over an image is the text of a scan, and is read. Other drawing
//! operations are counted, and a page with too many is stopped. For example, a form may draw itself ten times, and
//! each copy may do the same.

use super::canvas::{Canvas, is_paper};
use super::drawn;
use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
};
use unicode_bidi::{BidiClass, bidi_class};

/// Units of a font's design space in one size of it.
const UNITS: f64 = 1_000.0;
/// How far a glyph without a width is taken to reach, in units.
const WIDTH_UNITS: f32 = 500.0;
/// How far above its base line the middle of a letter is, in units.
const MIDDLE_UNITS: f64 = 250.0;
/// So many letters with a name show what the codes of a page are.
const LETTERS_MIN: u32 = 20;
/// Most glyphs that are given another text, and most bytes of it.
const TOLD_GLYPHS_MAX: usize = 8;
const TOLD_BYTES_MAX: usize = 34;

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
    /// Below 0 until the page is finished where a font of drawn letters (Type 3) says so small a size that it means no points.
    pub(super) size: f64,
    pub(super) text: String,
}

pub(super) struct Collector<'b> {
    budget: &'b mut Budget,
    canvas: Canvas,
    /// Whether glyphs that nobody sees are kept, too.
    hidden: bool,
    glyphs: Vec<Placed>,
    /// The glyphs that are drawn invisibly, by their index, and where they stand.
    invisible: Vec<(usize, Point)>,
    /// How many of those no other drawing has followed yet.
    last_invisible: usize,
    /// Letters that are drawn by instructions and have a name: those whose code is that of the letter, and the others.
    codes: [u32; 2],
    /// How often anything was painted, and for each group that is open and has a mask how often before it.
    paints: u64,
    groups: Vec<Option<u64>>,
    /// For each piece of marked content that is open, what its glyphs say where that is told, and the first of them.
    marked: Vec<Option<(String, usize)>>,
}

impl<'b> Collector<'b> {
    /// A collector for a page of which `area` is shown.
    pub(super) fn new(budget: &'b mut Budget, area: Rect, hidden: bool) -> Collector<'b> {
        Collector {
            budget,
            canvas: Canvas::new(area),
            hidden,
            glyphs: Vec::new(),
            invisible: Vec::new(),
            last_invisible: 0,
            codes: [0; 2],
            paints: 0,
            groups: Vec::new(),
            marked: Vec::new(),
        }
    }

    /// Whether an image is drawn anywhere.
    pub(super) fn has_image(&self) -> bool {
        self.canvas.has_images()
    }

    /// The glyphs, in the order in which they are drawn. An image may follow the text that lies over it.
    pub(super) fn finish(self) -> Vec<Placed> {
        let are_codes_ascii = self.are_codes_ascii();
        let mut glyphs = self.glyphs;
        let mut hidden = self
            .invisible
            .iter()
            .filter(|(_, at)| !self.hidden && !self.canvas.has_image(*at))
            .map(|(index, _)| *index)
            .peekable();
        let mut index = 0;
        glyphs.retain(|_| {
            index += 1;
            hidden.next_if_eq(&(index - 1)).is_none()
        });
        drawn::name(&mut glyphs, are_codes_ascii);
        drawn::resize(&mut glyphs, self.canvas.smallest(), self.hidden);
        glyphs
    }

    /// Whether the codes of letters that are drawn by instructions are those of ASCII, as those with a name show.
    fn are_codes_ascii(&self) -> bool {
        let [alike, others] = self.codes;
        alike >= LETTERS_MIN && others <= alike / 20
    }

    /// Gives a few glyphs, the first of which has this index, the text that is told for them: how programs say what
    /// ligatures, small capitals and accents mean. For blanks they tell bullets that are drawn besides.
    fn tell(&mut self, text: String, first: usize) {
        let glyphs = self.glyphs.get(first..).unwrap_or_default();
        let widest = glyphs
            .iter()
            .max_by(|a, b| (a.end - a.start).total_cmp(&(b.end - b.start)));
        let invisible = self
            .invisible
            .last()
            .is_some_and(|(index, _)| *index >= first);
        let Some(widest) = widest.filter(|_| !invisible && glyphs.len() <= TOLD_GLYPHS_MAX) else {
            return;
        };
        let blank = glyphs.iter().all(|glyph| glyph.text.trim().is_empty());
        let joins = |c: char| matches!(c, '\u{200c}' | '\u{200d}');
        let is_letter = |c: char| c.is_alphabetic() || bidi_class(c) == BidiClass::NSM || joins(c);
        if !text.chars().all(is_letter) || blank && !text.chars().all(joins) {
            return;
        }
        let apart = |glyph: &Placed| {
            glyph.turn != widest.turn || (glyph.base - widest.base).abs() > widest.size.max(1.0)
        };
        if glyphs.iter().any(apart) {
            return;
        }
        let mut told = widest.clone();
        told.text = text;
        for glyph in glyphs.iter().filter(|glyph| glyph.end > glyph.start) {
            told.start = told.start.min(glyph.start);
            told.end = told.end.max(glyph.end);
        }
        self.glyphs.truncate(first);
        self.glyphs.push(told);
    }

    fn paint(&mut self, place: Rect, props: &DrawProps<'_>, mode: &DrawMode) {
        self.last_invisible = 0;
        self.paints += 1;
        let place = props.transform.transform_rect_bbox(place);
        match mode {
            DrawMode::Fill(_) | DrawMode::FillAndStroke(..) => {
                self.canvas.paint(place, &props.paint);
            }
            DrawMode::Stroke(stroke) => {
                // A stroke around an area leaves it as it is; a wide one of little height is a bar.
                let [a, b, ..] = props.transform.as_coeffs();
                let wide = f64::from(stroke.line_width) * a.hypot(b);
                if place.width().min(place.height()) <= wide {
                    let place = place.inflate(wide / 2.0, wide / 2.0);
                    self.canvas.paint(place, &props.paint);
                }
            }
            DrawMode::Invisible => {}
        }
    }
}

/// A glyph under the transform that places it, and the middle of it; `None` when it is nowhere, or says nothing.
fn placed(glyph: &Glyph<'_>, transform: Affine, smallest: f64) -> Option<(Placed, Point)> {
    let text = match (glyph.as_unicode(), glyph) {
        (Some(BfString::Char(c)), _) => c.to_string(),
        (Some(BfString::String(text)), _) => text,
        (None, Glyph::Type3(letter)) => drawn::unnamed(letter.char_code())?.to_string(),
        (None, Glyph::Outline(_)) => return None,
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
    let (from, to) = match glyph {
        Glyph::Outline(outline) if text.chars().all(is_right_to_left_accent) => {
            // Accents have no width, and begin anywhere: where they are is what they look like.
            let shape = outline.outline().control_box();
            (shape.x0, shape.x1)
        }
        _ => (0.0, f64::from(width.unwrap_or(WIDTH_UNITS))),
    };
    let start = x * cos + y * sin;
    let glyph = Placed {
        turn: sin.atan2(cos).to_degrees().round() as i32,
        start: start + from * along,
        end: start + to * along,
        base: y * cos - x * sin,
        size: match (glyph, up.max(along * 0.2) * UNITS) {
            (Glyph::Type3(_), size) if size < smallest => -size,
            (_, size) => size,
        },
        text,
    };
    Some((
        glyph,
        transform * Point::new(f64::midpoint(from, to), MIDDLE_UNITS),
    ))
}

fn is_right_to_left_accent(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}') && bidi_class(c) == BidiClass::NSM
}

impl<'a> Device<'a> for Collector<'_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.budget.spend(run.glyphs().len() as u64 + 1);
        for glyph in run.glyphs() {
            if let Glyph::Type3(letter) = &**glyph
                && let Some(BfString::Char(c)) = letter.as_unicode()
                && c.is_ascii_alphabetic()
            {
                self.codes[usize::from(letter.char_code() != c as u32)] += 1;
            }
        }
        let smallest = self.canvas.smallest();
        let glyphs = run
            .glyphs()
            .iter()
            .filter_map(|glyph| placed(glyph, props.transform * glyph.transform(), smallest));
        if matches!(mode, DrawMode::Invisible) {
            for (glyph, at) in glyphs {
                self.invisible.push((self.glyphs.len(), at));
                self.glyphs.push(glyph);
                self.last_invisible += 1;
            }
            return;
        }
        self.last_invisible = 0;
        self.paints += 1;
        let (hidden, canvas) = (self.hidden, &self.canvas);
        let paper = is_paper(&props.paint);
        let is_small = |glyph: &Placed| (0.0..smallest).contains(&glyph.size);
        let shown =
            glyphs.filter(|(glyph, at)| hidden || !is_small(glyph) && canvas.shows(*at, paper));
        let first = self.glyphs.len();
        self.glyphs.extend(shown.map(|(glyph, _)| glyph));
        // Letters that are filled and have an outline come twice.
        let (before, new) = self.glyphs.split_at(first);
        if matches!(mode, DrawMode::Stroke(_)) && before.ends_with(new) {
            self.glyphs.truncate(first);
        }
    }

    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        self.budget.spend(1 + path.elements().len() as u64 / 8);
        self.paint(path.control_box(), &props, mode);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, mode: &DrawMode) {
        self.budget.spend(1);
        self.paint(*rect, &props, mode);
    }

    /// Letters that become a clip are shown by what is painted into them, and come as invisible ones.
    fn push_clip_path(&mut self, _: &ClipPath) {
        self.budget.spend(1);
        let others = self.invisible.len() - self.last_invisible;
        self.invisible.truncate(others);
        self.last_invisible = 0;
    }

    fn push_clip_rect(&mut self, _: &Rect) {
        self.budget.spend(1);
        self.last_invisible = 0;
    }

    fn push_transparency_group(&mut self, _: f32, mask: Option<SoftMask<'a>>, _: BlendMode) {
        self.budget.spend(1);
        self.groups.push(mask.map(|_| self.paints));
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.budget.spend(1);
        self.last_invisible = 0;
        self.paints += 1;
        let size = Rect::new(
            0.0,
            0.0,
            f64::from(image.width()),
            f64::from(image.height()),
        );
        self.canvas.image(props.transform.transform_rect_bbox(size));
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        self.budget.spend(1);
        let told = properties.and_then(|properties| properties.get::<PdfString<'_>>("ActualText"));
        let text = told
            .filter(|text| text.as_bytes().len() <= TOLD_BYTES_MAX)
            .and_then(|text| crate::reader::text::decode(text.as_bytes()).ok());
        self.marked.push(text.map(|text| (text, self.glyphs.len())));
    }

    fn end_marked_content(&mut self) {
        if let Some(Some((text, first))) = self.marked.pop() {
            self.tell(text, first);
        }
    }

    fn pop_clip(&mut self) {}

    /// A mask over nothing that the library draws is over something that it does not know, such as a fade: it may lie anywhere,
    /// also under letters in white.
    fn pop_transparency_group(&mut self) {
        if self.groups.pop().flatten() == Some(self.paints) {
            self.canvas.paint_all();
        }
    }
}
