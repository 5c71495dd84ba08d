//! Counts how many chunks of a set have each value of a field.
//!
//! It makes one pass over the terms of the field, in the order of values, through all segments and both kinds of terms
//! (text and number) at once. So a value is counted completely before the next one begins. The most frequent values are
//! therefore exact, whatever the number of values and of tenants, and memory holds only as many values as the caller
//! asks for. There is *no* search for each value.

use crate::Error;
use envelope::lookup::FacetValue;
use search::filter_terms;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use tantivy::collector::DocSetCollector;
use tantivy::query::Query;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::termdict::TermStreamer;
use tantivy::{DocSet, InvertedIndexReader, Searcher, TERMINATED, TantivyError};

/// Chunks, by segment and number, each in one of several groups.
pub(super) struct Scope(Vec<Vec<u16>>);

/// A chunk of a scope that has a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    /// Its segment and its number in there.
    pub(super) at: (usize, usize),
    /// Its group, from 1.
    pub(super) group: u16,
    /// Whether the value is a text there; a number as it is written else.
    pub(super) is_text: bool,
}

/// What is told of a field, value by value: first each chunk that has the value, then the value itself.
pub(super) enum Told<'a> {
    Hit(Hit),
    Value(&'a str),
}

impl Scope {
    /// Those that match, in group 1.
    pub(super) fn of(searcher: &Searcher, query: &dyn Query) -> Result<Scope, Error> {
        let mut scope = Scope::nothing(searcher);
        scope.add(searcher, query, 1)?;
        Ok(scope)
    }

    /// No chunk.
    pub(super) fn nothing(searcher: &Searcher) -> Scope {
        let segments = searcher.segment_readers().iter();
        let chunks = segments.map(|segment| vec![0; segment.max_doc() as usize]);
        Scope(chunks.collect())
    }

    /// A mark for each chunk of the index, none of them set.
    pub(super) fn unseen(&self) -> Vec<Vec<bool>> {
        let segments = self.0.iter();
        segments.map(|chunks| vec![false; chunks.len()]).collect()
    }

    /// Puts those that match into a group, from 1; tells how many they are.
    pub(super) fn add(
        &mut self,
        searcher: &Searcher,
        query: &dyn Query,
        group: u16,
    ) -> Result<u64, Error> {
        let matching = searcher.search(query, &DocSetCollector)?;
        for at in &matching {
            self.0[at.segment_ord as usize][at.doc_id as usize] = group;
        }
        Ok(matching.len() as u64)
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
) -> Result<(Vec<FacetValue>, bool), Error> {
    let (mut best, mut hits) = (Best::new(values_max), 0);
    each_value(searcher, in_facts, scope, field, &mut |told| match told {
        Told::Hit(_) => hits += 1,
        Told::Value(value) => best.add(value, std::mem::take(&mut hits)),
    })?;
    Ok(best.done())
}

/// Tells every value of a field, in the order of values; also those that no chunk of the scope has.
pub(super) fn each_value(
    searcher: &Searcher,
    in_facts: Field,
    scope: &Scope,
    field: &str,
    told: &mut impl FnMut(Told<'_>),
) -> Result<(), Error> {
    let readers = searcher.segment_readers().iter();
    let indexes = readers.map(|segment| segment.inverted_index(in_facts));
    let indexes = indexes.collect::<Result<Vec<_>, _>>()?;
    let pairs = indexes.iter().zip(&scope.0).enumerate();
    let segments = pairs.map(|(n, (index, chunks))| Segment::open(n, index, chunks, field));
    let mut segments = segments.collect::<Result<Vec<_>, Error>>()?;
    while let Some(least) = segments.iter().filter_map(Segment::value).min() {
        let least = least.to_vec();
        for segment in &mut segments {
            segment.count(&least, told)?;
        }
        told(Told::Value(&String::from_utf8_lossy(&least)));
    }
    Ok(())
}

/// The values of a field in one segment, from some value on: texts, and numbers as they are written.
/// What is a text here may be a number there, and is one value.
struct Segment<'a> {
    number: usize,
    index: &'a InvertedIndexReader,
    chunks: &'a [u16],
    kinds: Vec<Cursor<'a>>,
}

/// The terms of one kind, at one of them.
struct Cursor<'a> {
    terms: TermStreamer<'a>,
    is_text: bool,
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
        number: usize,
        index: &'a InvertedIndexReader,
        chunks: &'a [u16],
        field: &str,
    ) -> Result<Segment<'a>, Error> {
        let mut kinds = Vec::new();
        for kind in ['t', 'd'] {
            let start = filter_terms::start_of(kind, field);
            let range = index.terms().range().ge(&start);
            let range = range.lt(filter_terms::end_of(kind, field));
            let mut terms = range.into_stream().map_err(TantivyError::from)?;
            if terms.advance() {
                kinds.push(Cursor {
                    terms,
                    is_text: kind == 't',
                    start: start.len(),
                });
            }
        }
        Ok(Segment {
            number,
            index,
            chunks,
            kinds,
        })
    }

    /// The value that comes next.
    fn value(&self) -> Option<&[u8]> {
        self.kinds.iter().map(Cursor::value).min()
    }

    /// Tells the chunks of the scope that have the value, each once; goes on behind it.
    fn count(&mut self, value: &[u8], told: &mut impl FnMut(Told<'_>)) -> Result<(), Error> {
        let mut having = Vec::with_capacity(self.kinds.len());
        for cursor in self.kinds.iter().filter(|c| c.value() == value) {
            let postings = self
                .index
                .read_postings_from_terminfo(cursor.terms.value(), IndexRecordOption::Basic);
            having.push((cursor.is_text, postings.map_err(TantivyError::from)?));
        }
        self.kinds
            .retain_mut(|cursor| cursor.value() != value || cursor.terms.advance());
        while let Some(chunk) = having.iter().map(|(_, postings)| postings.doc()).min()
            && chunk != TERMINATED
        {
            let mut is_text = false;
            for (of_texts, postings) in having.iter_mut().filter(|(_, p)| p.doc() == chunk) {
                is_text |= *of_texts;
                postings.advance();
            }
            let group = self.chunks[chunk as usize];
            if group > 0 {
                told(Told::Hit(Hit {
                    at: (self.number, chunk as usize),
                    group,
                    is_text,
                }));
            }
        }
        Ok(())
    }
}

/// The most frequent values so far.
#[derive(Default)]
pub(super) struct Best {
    max: usize,
    /// The one that goes first is on top.
    held: BinaryHeap<Reverse<(u64, Reverse<String>)>>,
    more: bool,
}

impl Best {
    /// Of nothing yet; at most `max` are held.
    pub(super) fn new(max: usize) -> Best {
        Best {
            max,
            ..Best::default()
        }
    }

    /// A value, counted to its end; one that nothing has is passed over.
    pub(super) fn add(&mut self, value: &str, count: u64) {
        if count == 0 {
            return;
        }
        let new = Reverse((count, Reverse(value)));
        let least = self
            .held
            .peek()
            .map(|Reverse((n, Reverse(v)))| Reverse((*n, Reverse(v.as_str()))));
        if self.held.len() >= self.max && least.is_none_or(|least| new >= least) {
            self.more = true;
            return;
        }
        self.held.push(Reverse((count, Reverse(value.to_owned()))));
        if self.held.len() > self.max {
            self.held.pop();
            self.more = true;
        }
    }

    /// A value that is not to be shown.
    pub(super) fn pass_over(&mut self) {
        self.more = true;
    }

    /// The values and their counts, most frequent first, and whether there are more.
    pub(super) fn done(self) -> (Vec<FacetValue>, bool) {
        let value = |Reverse((documents, Reverse(value)))| FacetValue { value, documents };
        let values = self.held.into_sorted_vec().into_iter().map(value);
        (values.collect(), self.more)
    }
}
