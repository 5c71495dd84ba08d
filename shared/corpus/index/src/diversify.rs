//! Picks the passages of the result from the best candidates. It leaves out repeated texts, limits the share of one
//! document or source, and prefers candidates that cover another part of the question.
//!
//! The choice is greedy, like maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998), but it compares the
//! words of the question instead of similarity: a chunk is worth more when it has words that none of the chosen ones
//! has. The score of a candidate may be an upper bound at first. The candidate is then read only until it is known
//! whether it is the next best one. Apart from that reading, the module is pure.

use crate::Error;
use crate::duplicate::Fingerprint;
use crate::gazetteer::Named;
use envelope::ChunkRecord;
use std::cmp::Ordering;
use std::collections::HashMap;
use tantivy::tokenizer::TextAnalyzer;

/// What the words of the question that a chunk adds are worth, beside its score. Measured, see
/// docs/retrieval.md.
const NEW_WORDS_WEIGHT: f32 = 0.3;
/// How many of the best are looked at for one place.
const LOOKED_AT: usize = 100;

/// A candidate with the state of its reading.
pub(crate) struct Scored<C> {
    /// Its score; an upper bound of it until `exact`.
    pub(crate) score: f32,
    /// Which words of the question it has, by bits; until `exact`, which it may have.
    pub(crate) has: u64,
    /// There when `exact`.
    pub(crate) record: Option<ChunkRecord>,
    /// Whether all of this is known.
    pub(crate) exact: bool,
    /// What it takes to look closer.
    pub(crate) more: C,
}

/// Takes `top_k` candidates, best first, with their scores. `weights` are those of the question's words. `look`
/// reads a candidate more closely: it is called until the candidate is exact. A document or a named value that has
/// filled its share waits until the others are through. Also returns what was dropped: what repeats one that was taken, and
/// the best `reasons` of the rest.
pub(crate) fn pick<C>(
    scored: Vec<Scored<C>>,
    weights: &[f32],
    mut shares: Shares<'_>,
    (top_k, reasons): (usize, usize),
    analyzer: &mut TextAnalyzer,
    look: &mut dyn FnMut(&mut Scored<C>) -> Result<(), Error>,
) -> Result<(Vec<Taken>, Vec<Dropped>), Error> {
    let mut pool = Pool::new(scored, weights);
    let mut chosen: Vec<Chosen> = Vec::with_capacity(top_k);
    let mut dropped = Vec::new();
    for only_with_room in [true, false] {
        pool.make_room();
        while chosen.len() < top_k {
            let has_room = |record: &ChunkRecord| !only_with_room || shares.have_room(record);
            let Some((Scored { score, has, .. }, record)) = pool.next(&has_room, look)? else {
                break;
            };
            let mut next = Chosen::new(score, record, analyzer);
            if chosen
                .iter_mut()
                .any(|known| known.is_same(&mut next, analyzer))
            {
                dropped.push(Dropped {
                    record: next.record,
                    score,
                    why: Why::Repeats,
                });
                continue;
            }
            shares.take(&next.record);
            pool.take_words(has);
            chosen.push(next);
        }
    }
    pool.make_room();
    for _ in 0..reasons {
        let Some((Scored { score, .. }, record)) = pool.next(&|_| true, look)? else {
            break;
        };
        let why = match shares.have_room(&record) {
            true => Why::Score,
            false => Why::Share,
        };
        dropped.push(Dropped { record, score, why });
    }
    chosen.sort_by(|a, b| b.score.total_cmp(&a.score));
    let taken = chosen.into_iter().map(|one| (one.record, one.score));
    Ok((taken.collect(), dropped))
}

/// A candidate that was taken, with its score.
pub(crate) type Taken = (ChunkRecord, f32);

/// A candidate that was not taken.
pub(crate) struct Dropped {
    pub(crate) record: ChunkRecord,
    pub(crate) score: f32,
    pub(crate) why: Why,
}

/// Why a candidate was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// It repeats one that was taken.
    Repeats,
    /// Its document or a named value has its share.
    Share,
    /// Others are worth more.
    Score,
}

/// One that was taken, or would be.
struct Chosen {
    score: f32,
    record: ChunkRecord,
    print: Fingerprint,
}

impl Chosen {
    fn new(score: f32, record: ChunkRecord, analyzer: &mut TextAnalyzer) -> Chosen {
        Chosen {
            score,
            print: Fingerprint::of(&record.text, analyzer),
            record,
        }
    }

    fn is_same(&mut self, other: &mut Chosen, analyzer: &mut TextAnalyzer) -> bool {
        let texts = (&self.record.text, &other.record.text);
        texts.0 == texts.1
            || self
                .print
                .is_same(texts.0, &mut other.print, texts.1, analyzer)
    }
}

/// Those that are left.
struct Pool<'a, C> {
    left: Vec<Entry<C>>,
    weights: &'a [f32],
    everything: f32,
    /// How many of the taken ones have each word.
    seen: Vec<u16>,
}

struct Entry<C> {
    /// Its present value; an upper bound until it is exact.
    worth: f32,
    /// Where it came: the last thing that decides an order.
    place: usize,
    /// It has no room.
    waits: bool,
    scored: Scored<C>,
}

impl<C> Entry<C> {
    /// The order of scores. Both are exact.
    fn order(&self, other: &Self) -> Ordering {
        let key = |entry: &Self| {
            let record = entry.scored.record.as_ref();
            record.map(|record| (record.doc_id.as_str().to_owned(), record.n))
        };
        let (a, b) = (&self.scored, &other.scored);
        b.score
            .total_cmp(&a.score)
            .then_with(|| key(self).cmp(&key(other)))
            .then_with(|| self.place.cmp(&other.place))
    }
}

impl<'a, C> Pool<'a, C> {
    fn new(scored: Vec<Scored<C>>, weights: &'a [f32]) -> Pool<'a, C> {
        let entry = |(place, scored)| Entry {
            worth: 0.0,
            place,
            waits: false,
            scored,
        };
        let mut pool = Pool {
            left: scored.into_iter().enumerate().map(entry).collect(),
            everything: weights.iter().sum::<f32>().max(f32::MIN_POSITIVE),
            seen: vec![0; weights.len()],
            weights,
        };
        pool.weigh();
        pool
    }

    /// The next one by worth that has room and is among the best [`LOOKED_AT`]. Those that have no room
    /// wait until [`Pool::make_room`].
    fn next(
        &mut self,
        has_room: &dyn Fn(&ChunkRecord) -> bool,
        look: &mut dyn FnMut(&mut Scored<C>) -> Result<(), Error>,
    ) -> Result<Option<(Scored<C>, ChunkRecord)>, Error> {
        let mut too_far = Vec::new();
        while let Some(at) = self.best(&too_far) {
            let entry = &mut self.left[at];
            let Some(record) = entry.scored.record.as_ref().filter(|_| entry.scored.exact) else {
                self.look_at(at, look)?;
                continue;
            };
            if !has_room(record) {
                entry.waits = true;
            } else if !self.is_near(at, look)? {
                too_far.push(self.left[at].place);
            } else {
                let mut scored = self.left.swap_remove(at).scored;
                let record = scored.record.take();
                return Ok(record.map(|record| (scored, record)));
            }
        }
        Ok(None)
    }

    /// The one of most worth. Of several one that is not exact, so that it will be; else the first.
    fn best(&self, too_far: &[usize]) -> Option<usize> {
        let open = self.left.iter().enumerate();
        let open = open.filter(|(_, entry)| !entry.waits && !too_far.contains(&entry.place));
        let better = |(_, a): &(usize, &Entry<C>), (_, b): &(usize, &Entry<C>)| {
            let exact = (a.scored.exact, b.scored.exact);
            a.worth.total_cmp(&b.worth).then_with(|| match exact {
                (true, true) => b.order(a),
                _ => exact.1.cmp(&exact.0),
            })
        };
        open.max_by(better).map(|(at, _)| at)
    }

    /// Whether fewer than [`LOOKED_AT`] are before this one, which is exact, in the order of scores.
    fn is_near(
        &mut self,
        at: usize,
        look: &mut dyn FnMut(&mut Scored<C>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        loop {
            let this = &self.left[at];
            let (mut before, mut unsure, mut least) = (0, 0, None);
            for (n, entry) in self.left.iter().enumerate() {
                if entry.scored.exact {
                    before += usize::from(n != at && entry.order(this).is_lt());
                } else if entry.scored.score >= this.scored.score {
                    unsure += 1;
                    // The one that is most easily told to be behind.
                    let is_less = |known: usize| {
                        let known = &self.left[known].scored;
                        entry.scored.score < known.score
                    };
                    if least.is_none_or(is_less) {
                        least = Some(n);
                    }
                }
            }
            match least {
                _ if before >= LOOKED_AT => return Ok(false),
                Some(least) if before + unsure >= LOOKED_AT => self.look_at(least, look)?,
                _ => return Ok(true),
            }
        }
    }

    fn look_at(
        &mut self,
        at: usize,
        look: &mut dyn FnMut(&mut Scored<C>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        look(&mut self.left[at].scored)?;
        self.left[at].worth = self.worth(&self.left[at].scored);
        Ok(())
    }

    /// The words of one that was taken are worth less from now on.
    fn take_words(&mut self, has: u64) {
        for word in places(has) {
            self.seen[word] += 1;
        }
        self.weigh();
    }

    /// Those that waited do so no more.
    fn make_room(&mut self) {
        self.left.iter_mut().for_each(|entry| entry.waits = false);
    }

    fn weigh(&mut self) {
        for at in 0..self.left.len() {
            self.left[at].worth = self.worth(&self.left[at].scored);
        }
    }

    fn worth(&self, scored: &Scored<C>) -> f32 {
        let new =
            places(scored.has).map(|word| self.weights[word] / f32::from(1 + self.seen[word]));
        scored.score + NEW_WORDS_WEIGHT * new.sum::<f32>() / self.everything
    }
}

/// The bits of a set, in order.
fn places(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = set.trailing_zeros();
        set &= set.wrapping_sub(1);
        (next < u64::BITS).then_some(next as usize)
    })
}

/// How much of the list each document and each named value has.
pub(crate) struct Shares<'a> {
    named: &'a [Named],
    /// How likely the document of a record is the right one, from 0 to 1.
    likelihood: &'a dyn Fn(&ChunkRecord) -> f32,
    top_k: usize,
    documents: HashMap<(String, String), usize>,
    values: HashMap<&'a Named, usize>,
}

impl<'a> Shares<'a> {
    pub(crate) fn new(
        named: &'a [Named],
        top_k: usize,
        likelihood: &'a dyn Fn(&ChunkRecord) -> f32,
    ) -> Shares<'a> {
        Shares {
            named,
            likelihood,
            top_k,
            documents: HashMap::new(),
            values: HashMap::new(),
        }
    }

    fn have_room(&self, record: &ChunkRecord) -> bool {
        let of_document = self.documents.get(&document(record)).copied().unwrap_or(0);
        let mut values = self.values_of(record);
        let likely = ((self.likelihood)(record) * self.top_k as f32).round() as usize;
        of_document < self.top_k.div_ceil(2).max(likely)
            && values.all(|value| {
                let rivals = self.named.iter().filter(|n| n.field == value.field).count();
                let taken = self.values.get(value).copied().unwrap_or(0);
                taken < self.top_k.div_ceil(rivals)
            })
    }

    fn take(&mut self, record: &ChunkRecord) {
        *self.documents.entry(document(record)).or_default() += 1;
        let values: Vec<_> = self.values_of(record).collect();
        for value in values {
            *self.values.entry(value).or_default() += 1;
        }
    }

    fn values_of(&self, record: &ChunkRecord) -> impl Iterator<Item = &'a Named> {
        self.named.iter().filter(move |value| value.is_of(record))
    }
}

fn document(record: &ChunkRecord) -> (String, String) {
    (record.bucket.to_string(), record.doc_id.to_string())
}

#[cfg(test)]
#[path = "pick_tests.rs"]
mod tests;
