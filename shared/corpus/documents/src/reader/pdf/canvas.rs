//! What has been painted where on a page, coarsely: enough to tell whether anybody sees a glyph.
//!
//! A page is a grid of cells, and a cell counts as painted when paint touches it. So text that might be seen is read:
//! the rules miss some hidden text, and take none that shows. *Not* here: text that is covered later, or clipped away.

use hayro_interpret::Paint;
use hayro_interpret::kurbo::{Point, Rect};

/// Cells along each side of a page.
const CELLS: usize = 64;
/// Paint of which every part is at least this light cannot be told from paper.
const PAPER: f32 = 0.95;
/// Paint that is thinner is a line, and no ground for letters, in points.
const LINE: f64 = 2.0;
/// The smallest type that is read, in points, on a page as long as this; smaller pages are drawn in larger units.
const SMALLEST: f64 = 1.0;
const LONG_SIDE: f64 = 842.0;

/// Cells of a page, a row of them in each number.
#[derive(Default)]
struct Cells(Vec<u64>);

impl Cells {
    fn mark(&mut self, columns: (usize, usize), rows: (usize, usize)) {
        self.0.resize(CELLS, 0);
        let mask = (u64::MAX >> (CELLS - 1 - columns.1)) & (u64::MAX << columns.0);
        for row in &mut self.0[rows.0..=rows.1] {
            *row |= mask;
        }
    }

    fn holds(&self, (column, row): (usize, usize)) -> bool {
        self.0.get(row).is_some_and(|row| row >> column & 1 == 1)
    }
}

/// A page while it is drawn.
pub(super) struct Canvas {
    /// What is shown of the page.
    area: Rect,
    images: Cells,
    painted: Cells,
}

impl Canvas {
    pub(super) fn new(area: Rect) -> Canvas {
        Canvas {
            area,
            images: Cells::default(),
            painted: Cells::default(),
        }
    }

    pub(super) fn image(&mut self, place: Rect) {
        if let Some((columns, rows)) = self.cells(place) {
            self.images.mark(columns, rows);
            self.painted.mark(columns, rows);
        }
    }

    pub(super) fn paint(&mut self, place: Rect, paint: &Paint<'_>) {
        let is_line = place.width().min(place.height()) < LINE;
        if !is_line
            && !is_paper(paint)
            && let Some((columns, rows)) = self.cells(place)
        {
            self.painted.mark(columns, rows);
        }
    }

    /// Paint that may lie anywhere.
    pub(super) fn paint_all(&mut self) {
        self.painted.mark((0, CELLS - 1), (0, CELLS - 1));
    }

    /// The smallest type that can be seen on the page.
    pub(super) fn smallest(&self) -> f64 {
        let long_side = self.area.width().max(self.area.height());
        SMALLEST * (long_side / LONG_SIDE).min(1.0)
    }

    /// Whether a letter can be seen there; `paper` says that it has the colour of paper.
    pub(super) fn shows(&self, at: Point, paper: bool) -> bool {
        self.area.contains(at) && (!paper || self.painted.holds(self.cell(at)))
    }

    /// Whether there is an image.
    pub(super) fn has_images(&self) -> bool {
        !self.images.0.is_empty()
    }

    /// Whether an image lies there.
    pub(super) fn has_image(&self, at: Point) -> bool {
        self.area.contains(at) && self.images.holds(self.cell(at))
    }

    fn cell(&self, at: Point) -> (usize, usize) {
        let part = |n: f64, from: f64, length: f64| {
            let cell = (n - from) / length.max(1e-9) * CELLS as f64;
            cell.clamp(0.0, CELLS as f64 - 1.0) as usize
        };
        (
            part(at.x, self.area.x0, self.area.width()),
            part(at.y, self.area.y0, self.area.height()),
        )
    }

    /// The columns and rows that a rectangle touches; `None` off the page.
    fn cells(&self, place: Rect) -> Option<((usize, usize), (usize, usize))> {
        let seen = place.intersect(self.area);
        let finite = [seen.x0, seen.x1, seen.y0, seen.y1]
            .iter()
            .all(|n| n.is_finite());
        if !finite || seen.width() <= 0.0 || seen.height() <= 0.0 {
            return None;
        }
        let (from, to) = (
            self.cell(seen.origin()),
            self.cell(Point::new(seen.x1, seen.y1)),
        );
        Some(((from.0, to.0), (from.1, to.1)))
    }
}

/// Whether paint on paper leaves nothing to be seen.
pub(super) fn is_paper(paint: &Paint<'_>) -> bool {
    let Paint::Color(color) = paint else {
        return false;
    };
    let [red, green, blue, alpha] = color.to_rgba().components();
    [red, green, blue]
        .iter()
        .all(|part| part * alpha + 1.0 - alpha >= PAPER)
}
