//! Tests of the rules for two feeds that write to one Qdrant server.

use super::{Next, Then, next, then};
use proptest::prelude::*;

/// The server in miniature: the newest write of each chunk, and the position.
#[derive(Default)]
struct Mini {
    chunks: [u64; 20],
    position: u64,
}

/// The chunk that message `n` writes: the first are never written again, three are all the time.
fn chunk(n: u64) -> usize {
    if n <= 16 {
        n as usize
    } else {
        17 + n as usize % 3
    }
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
    /// A part has so many messages.
    fn step(&mut self, server: &mut Mini, end: u64, size: u64) {
        match self.step {
            0 => {
                self.last = (self.at + size).min(end);
                if self.last == self.at && server.position >= self.at {
                    return;
                }
                match next(self.at, self.last, server.position, self.must_write) {
                    Next::Back => self.go_back(server),
                    Next::PassOver => self.at = self.last,
                    Next::Write => self.step = 1,
                }
            }
            1 => {
                for n in self.at + 1..=self.last {
                    server.chunks[chunk(n)] = n;
                }
                self.step = 2;
            }
            2 => match then(self.at, self.last, server.position) {
                Then::Back => self.go_back(server),
                Then::WriteOn => {
                    self.must_write = true;
                    self.at = self.last;
                    self.step = 0;
                }
                Then::Commit => self.step = 3,
            },
            _ => {
                server.position = self.last;
                self.must_write = false;
                self.at = self.last;
                self.step = 0;
            }
        }
    }

    fn go_back(&mut self, server: &Mini) {
        *self = Feeder {
            at: server.position,
            ..Feeder::default()
        }
    }
}

proptest! {
    /// However two feeders interleave, and whenever the collection is emptied except between a write and its
    /// commit, the newest version of every chunk is there once both have ended. Messages keep arriving, as they do
    /// in a fleet.
    #[test]
    fn two_feeders_come_to_the_same(
        turns in prop::collection::vec((0usize..10, 1u64..5, 0u64..3), 0..200),
    ) {
        let mut server = Mini::default();
        let mut feeders = [Feeder::default(), Feeder::default()];
        let mut end = 6;
        for (who, size, more) in turns {
            end += more;
            match who {
                0 if feeders.iter().all(|feeder| feeder.step < 2) => server = Mini::default(),
                _ => feeders[who % 2].step(&mut server, end, size),
            }
        }
        for _ in 0..10 * end {
            for feeder in &mut feeders {
                feeder.step(&mut server, end, 4);
            }
        }
        let mut newest = [0; 20];
        (1..=end).for_each(|n| newest[chunk(n)] = n);
        prop_assert_eq!(server.chunks, newest);
        prop_assert_eq!(server.position, end);
    }
}
