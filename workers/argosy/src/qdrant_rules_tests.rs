//! The rules of two feeders at one server, by themselves.

use super::{Next, next};
use proptest::prelude::*;

/// The server in miniature: the newest write of each chunk, and the position.
#[derive(Default)]
struct Mini {
    chunks: [u64; 3],
    position: u64,
}

/// A feeder in miniature, one call of the server at a time.
#[derive(Default)]
struct Feeder {
    at: u64,
    must_write: bool,
    step: u8,
    /// The end of its part, and what it wrote of it.
    last: u64,
}

impl Feeder {
    /// Message `n` writes chunk `n % 3`; a part has so many messages.
    fn step(&mut self, server: &mut Mini, end: u64, size: u64) {
        match self.step {
            0 => {
                self.last = (self.at + size).min(end);
                if self.last == self.at {
                    return;
                }
                match next(self.at, self.last, server.position, self.must_write) {
                    Next::Back => {
                        *self = Feeder {
                            at: server.position,
                            ..Feeder::default()
                        }
                    }
                    Next::PassOver => self.at = self.last,
                    Next::Write => self.step = 1,
                }
            }
            1 => {
                for n in self.at + 1..=self.last {
                    server.chunks[n as usize % 3] = n;
                }
                self.step = 2;
            }
            2 => {
                self.must_write = server.position > self.last;
                self.step = 3 + u8::from(self.must_write);
            }
            _ => {
                if self.step == 3 {
                    server.position = self.last;
                }
                self.at = self.last;
                self.step = 0;
            }
        }
    }
}

proptest! {
    /// However two feeders come between each other, the newest version of every chunk stays once both
    /// have ended. Messages go on coming, as they do.
    #[test]
    fn two_feeders_come_to_the_same(
        turns in prop::collection::vec((any::<bool>(), 1u64..5, 0u64..3), 0..200),
    ) {
        let mut server = Mini::default();
        let mut feeders = [Feeder::default(), Feeder::default()];
        let mut end = 6;
        for (who, size, more) in turns {
            end += more;
            feeders[usize::from(who)].step(&mut server, end, size);
        }
        for _ in 0..10 * end {
            for feeder in &mut feeders {
                feeder.step(&mut server, end, 4);
            }
        }
        let newest = |chunk: u64| (1..=end).rev().find(|n| n % 3 == chunk).unwrap();
        prop_assert_eq!(server.chunks, [newest(0), newest(1), newest(2)]);
        prop_assert_eq!(server.position, end);
    }
}
