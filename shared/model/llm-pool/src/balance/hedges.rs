//! Limits how many calls are hedged, which means made a second time on another node. The limit is a share of all calls,
//! so that hedging does not slow down a slow fleet further. Pure.

/// A call is late when it takes longer than this share of all calls do.
pub(crate) const QUANTILE: f64 = 0.95;
/// Most allowance that is saved up, in calls: what one node that hangs can hold when it goes unnoticed.
const SAVED_MAX: f64 = 16.0;

/// An allowance that grows with the calls made.
#[derive(Debug, Clone)]
pub(crate) struct Hedges {
    share: f64,
    saved: f64,
}

impl Hedges {
    /// `share` of all calls, 0 for none. Some allowance is there from the start, where there is any.
    pub(crate) fn new(share: f64) -> Hedges {
        Hedges {
            share,
            saved: if share > 0.0 { SAVED_MAX / 2.0 } else { 0.0 },
        }
    }

    /// A call is made for the first time.
    pub(crate) fn called(&mut self) {
        self.saved = (self.saved + self.share).min(SAVED_MAX);
    }

    /// Whether one may be made a second time; takes it from the allowance.
    pub(crate) fn take(&mut self) -> bool {
        let may = self.saved >= 1.0;
        if may {
            self.saved -= 1.0;
        }
        may
    }

    /// It was not made after all.
    pub(crate) fn give_back(&mut self) {
        self.saved = (self.saved + 1.0).min(SAVED_MAX);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_share_in_the_long_run() {
        let mut hedges = Hedges::new(0.05);
        let mut made = 0;
        for _ in 0..10_000 {
            hedges.called();
            made += usize::from(hedges.take());
        }
        assert!((500..=500 + SAVED_MAX as usize).contains(&made), "{made}");
        let mut none = Hedges::new(0.0);
        none.called();
        assert!(!none.take());
    }
}
