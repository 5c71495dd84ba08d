//! The prefix cache: which blocks of prompts a node has read before.
//!
//! A block is known by the hash of everything up to its end, so that a hit is always a prefix. The least recently
//! used block is evicted first; within one prompt, later blocks go before earlier ones. As in vLLM a block counts
//! from the moment its prompt is admitted.

use std::collections::{BTreeMap, HashMap};

/// A set of blocks with a limit.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    blocks_max: usize,
    /// When each block was used last.
    used: HashMap<u64, u64>,
    /// The same the other way round: the first one is the oldest.
    by_use: BTreeMap<u64, u64>,
    clock: u64,
}

impl Cache {
    pub(crate) fn new(blocks_max: usize) -> Self {
        Cache {
            blocks_max,
            ..Cache::default()
        }
    }

    /// How many blocks of a prompt are known from its start on; from now on all of them are.
    pub(crate) fn admit(&mut self, blocks: &[u64]) -> usize {
        let known = blocks.iter().take_while(|b| self.used.contains_key(b));
        let known = known.count();
        // Backwards, so that the beginning is the youngest.
        for block in blocks.iter().rev() {
            self.clock += 1;
            if let Some(before) = self.used.insert(*block, self.clock) {
                self.by_use.remove(&before);
            }
            self.by_use.insert(self.clock, *block);
        }
        while self.used.len() > self.blocks_max {
            if let Some((_, oldest)) = self.by_use.pop_first() {
                self.used.remove(&oldest);
            }
        }
        known
    }

    pub(crate) fn clear(&mut self) {
        self.used.clear();
        self.by_use.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn knows_prefixes_only() {
        let mut cache = Cache::new(10);
        assert_eq!(cache.admit(&[1, 2, 3]), 0);
        assert_eq!(cache.admit(&[1, 2, 4]), 2);
        assert_eq!(cache.admit(&[9, 2, 3]), 0);
        cache.clear();
        assert_eq!(cache.admit(&[1, 2, 3]), 0);
    }

    #[test]
    fn the_least_recently_used_end_goes_first() {
        let mut cache = Cache::new(4);
        cache.admit(&[1, 2]);
        cache.admit(&[3, 4]);
        cache.admit(&[1, 2]);
        cache.admit(&[5]);
        assert_eq!(cache.admit(&[3, 4]), 1);
        assert_eq!(Cache::new(0).admit(&[1]), 0);
    }

    proptest! {
        #[test]
        fn never_holds_more_than_it_may(
            prompts in proptest::collection::vec(proptest::collection::vec(0..20u64, 0..8), 0..40),
            max in 0..12usize,
        ) {
            let mut cache = Cache::new(max);
            for prompt in prompts {
                cache.admit(&prompt);
                prop_assert!(cache.used.len() <= max);
                prop_assert_eq!(cache.used.len(), cache.by_use.len());
            }
        }
    }
}
