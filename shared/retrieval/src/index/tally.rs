//! How many of some chunks have each value of a field.
//!
//! One pass over the terms of the field, in their order and in all segments at once: a value is counted
//! to its end before the next one begins. So the most frequent are right however many there are, and
//! whosever they are, and no more than are asked for are held. *Not* a search for each value.

use super::facts;
use crate::search::Error;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tantivy::collector::DocSetCollector;
use tantivy::query::Query;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::termdict::TermStreamer;
use tantivy::{DocSet, InvertedIndexReader, Searcher, TERMINATED, TantivyError};

/// Chunks, by segment and number.
pub(super) struct Scope(Vec<Vec<bool>>);

impl Scope {
    /// Those that match.
    pub(super) fn of(searcher: &Searcher, query: &dyn Query) -> Result<Scope, Error> {
        let segments = searcher.segment_readers().iter();
        let mut scope: Vec<Vec<bool>> = segments
            .map(|segment| vec![false; segment.max_doc() as usize])
            .collect();
        for at in searcher.search(query, &DocSetCollector)? {
            scope[at.segment_ord as usize][at.doc_id as usize] = true;
        }
        Ok(Scope(scope))
    }
}

/// The values that the chunks of a scope have, most frequent first and then by name, at most
/// `values_max`; and whether there are more.
pub(super) fn tally(
    searcher: &Searcher,
    in_facts: Field,
    scope: &Scope,
    field: &str,
    values_max: usize,
) -> Result<(Vec<(String, u64)>, bool), Error> {
    let mut best = Best::new(values_max);
    let segments = searcher.segment_readers().iter();
    let indexes = segments.map(|segment| segment.inverted_index(in_facts));
    let indexes = indexes.collect::<Result<Vec<_>, _>>()?;
    // A number is listed as it is written.
    for kind in ['t', 'd'] {
        let start = facts::start_of(kind, field);
        let mut cursors = Vec::new();
        for (index, chunks) in indexes.iter().zip(&scope.0) {
            let range = index.terms().range().ge(&start);
            let range = range.lt(facts::end_of(kind, field));
            let mut terms = range.into_stream().map_err(TantivyError::from)?;
            if terms.advance() {
                cursors.push(Cursor {
                    terms,
                    index,
                    chunks,
                });
            }
        }
        while let Some(least) = cursors.iter().map(|cursor| cursor.terms.key()).min() {
            let least = least.to_vec();
            let mut count = 0;
            let mut open = Vec::with_capacity(cursors.len());
            for mut cursor in cursors {
                let is_at_it = cursor.terms.key() == least;
                if is_at_it {
                    count += cursor.count()?;
                }
                if !is_at_it || cursor.terms.advance() {
                    open.push(cursor);
                }
            }
            cursors = open;
            let value = least.get(start.len()..).unwrap_or_default();
            best.add(&String::from_utf8_lossy(value), count);
        }
    }
    Ok(best.done())
}

/// The terms of one segment from some value on.
struct Cursor<'a> {
    terms: TermStreamer<'a>,
    index: &'a InvertedIndexReader,
    chunks: &'a [bool],
}

impl Cursor<'_> {
    /// How many chunks of the scope have the value.
    fn count(&self) -> Result<u64, Error> {
        let postings = self
            .index
            .read_postings_from_terminfo(self.terms.value(), IndexRecordOption::Basic);
        let mut postings = postings.map_err(TantivyError::from)?;
        let mut count = 0;
        while postings.doc() != TERMINATED {
            count += u64::from(self.chunks[postings.doc() as usize]);
            postings.advance();
        }
        Ok(count)
    }
}

/// The most frequent values so far.
struct Best {
    max: usize,
    /// The one that goes first is on top.
    held: BinaryHeap<Reverse<(u64, Reverse<String>)>>,
    more: bool,
}

impl Best {
    fn new(max: usize) -> Best {
        Best {
            max,
            held: BinaryHeap::new(),
            more: false,
        }
    }

    fn add(&mut self, value: &str, count: u64) {
        if count == 0 {
            return;
        }
        self.held.push(Reverse((count, Reverse(value.to_owned()))));
        if self.held.len() > self.max {
            self.held.pop();
            self.more = true;
        }
    }

    fn done(self) -> (Vec<(String, u64)>, bool) {
        let values = self.held.into_sorted_vec().into_iter();
        let values = values.map(|Reverse((count, Reverse(value)))| (value, count));
        (values.collect(), self.more)
    }
}
