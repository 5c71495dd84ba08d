//! How many of some chunks have each value of a field.
//!
//! One pass over the terms of the field, in the order of values, in all segments and of both kinds
//! (text and number) at once: a value is counted to its end before the next one begins. So the most
//! frequent are right however many there are, and whosever they are, and no more than are asked for
//! are held. *Not* a search for each value.

use crate::Error;
use search::filter_terms as facts;
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
    let readers = searcher.segment_readers().iter();
    let indexes = readers.map(|segment| segment.inverted_index(in_facts));
    let indexes = indexes.collect::<Result<Vec<_>, _>>()?;
    let pairs = indexes.iter().zip(&scope.0);
    let segments = pairs.map(|(index, chunks)| Segment::open(index, chunks, field));
    let mut segments = segments.collect::<Result<Vec<_>, Error>>()?;
    while let Some(least) = segments.iter().filter_map(Segment::value).min() {
        let least = least.to_vec();
        let mut count = 0;
        for segment in &mut segments {
            count += segment.count(&least)?;
        }
        best.add(&String::from_utf8_lossy(&least), count);
    }
    Ok(best.done())
}

/// The values of a field in one segment, from some value on: texts, and numbers as they are written.
/// What is a text here may be a number there, and is one value.
struct Segment<'a> {
    index: &'a InvertedIndexReader,
    chunks: &'a [bool],
    kinds: Vec<Cursor<'a>>,
}

/// The terms of one kind, at one of them.
struct Cursor<'a> {
    terms: TermStreamer<'a>,
    /// Bytes of a term before the value.
    start: usize,
}

impl Cursor<'_> {
    fn value(&self) -> &[u8] {
        self.terms.key().get(self.start..).unwrap_or_default()
    }
}

impl<'a> Segment<'a> {
    fn open(
        index: &'a InvertedIndexReader,
        chunks: &'a [bool],
        field: &str,
    ) -> Result<Segment<'a>, Error> {
        let mut kinds = Vec::new();
        for kind in ['t', 'd'] {
            let start = facts::start_of(kind, field);
            let range = index.terms().range().ge(&start);
            let range = range.lt(facts::end_of(kind, field));
            let mut terms = range.into_stream().map_err(TantivyError::from)?;
            if terms.advance() {
                let start = start.len();
                kinds.push(Cursor { terms, start });
            }
        }
        Ok(Segment {
            index,
            chunks,
            kinds,
        })
    }

    /// The value that comes next.
    fn value(&self) -> Option<&[u8]> {
        self.kinds.iter().map(Cursor::value).min()
    }

    /// How many chunks of the scope have the value, each once; goes on behind it.
    fn count(&mut self, value: &[u8]) -> Result<u64, Error> {
        let mut having = Vec::with_capacity(self.kinds.len());
        for cursor in self.kinds.iter().filter(|c| c.value() == value) {
            let postings = self
                .index
                .read_postings_from_terminfo(cursor.terms.value(), IndexRecordOption::Basic);
            having.push(postings.map_err(TantivyError::from)?);
        }
        self.kinds
            .retain_mut(|cursor| cursor.value() != value || cursor.terms.advance());
        let mut count = 0;
        while let Some(chunk) = having.iter().map(DocSet::doc).min()
            && chunk != TERMINATED
        {
            count += u64::from(self.chunks[chunk as usize]);
            for postings in having.iter_mut().filter(|p| p.doc() == chunk) {
                postings.advance();
            }
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
