//! Named points at which a test may make a worker fail. In production they do nothing.

use futures_util::future::BoxFuture;

/// A place between two effects, where a crash leaves a half-done step behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Point {
    /// A message was delivered; nothing has been done.
    Delivered,
    /// The stage has returned a result; nothing is stored.
    Handled,
    /// The scatter record is stored; its map steps are not.
    ScatterStored,
    /// A part is stored; the parts have not been counted.
    PartStored,
    /// A passage of a batch is mapped; nothing of that is stored.
    Mapped,
    /// Everything that follows is stored; the message is not acked.
    Published,
}

impl Point {
    /// Every point.
    pub const ALL: [Point; 6] = [
        Point::Delivered,
        Point::Handled,
        Point::ScatterStored,
        Point::PartStored,
        Point::Mapped,
        Point::Published,
    ];

    /// Its name, as `--fault` takes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Point::Delivered => "delivered",
            Point::Handled => "handled",
            Point::ScatterStored => "scatter-stored",
            Point::PartStored => "part-stored",
            Point::Mapped => "mapped",
            Point::Published => "published",
        }
    }
}

/// What a test does at each point.
pub trait Faults: Send + Sync {
    /// Called when the point is reached. To simulate a crash, the future never returns, or the process ends.
    fn at(&self, point: Point) -> BoxFuture<'_, ()>;
}
