//! Finds the positions of a query's words in chunks by the postings.
//!
//! The index already has the words of a text, as stems with positions, so the text need not be read again. *Not* exact
//! for the metadata of a chunk, whose numbers and lists are indexed as words: a word that occurs only there counts as
//! possible, and the caller has to look at the record.

use super::query::Snapshot;
use super::terms::Terms;
use crate::Error;
use crate::gazetteer::Named;
use search::filter_terms;
use tantivy::postings::Postings;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocSet, SegmentReader, Term};

/// Named values that are looked up; a chunk may have any of those over it.
const NAMED_MAX: usize = 64;

/// What the postings say of one chunk. Bit n of a set stands for word n of the query.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Occurrences {
    /// Words that the text has.
    pub(crate) text: u64,
    /// Words that title or path have.
    pub(crate) title: u64,
    /// Words that the metadata may have: each of them that they have, and others.
    pub(crate) metadata: u64,
    /// Named values that the chunk may have, by bits too.
    pub(crate) named: u64,
    /// Where words occur in the text, in its order. A word that is too long to be indexed has a position and is
    /// counted.
    pub(crate) places: Vec<(u32, u8)>,
}

impl Occurrences {
    /// Whether the chunk may have the named value of this number.
    pub(crate) fn may_have_named(&self, n: usize) -> bool {
        n >= NAMED_MAX || self.named & 1 << n != 0
    }
}

/// Words of a query as bits: word n is bit n.
impl Terms {
    /// What some words weigh together.
    pub(crate) fn weight(&self, words: u64) -> f32 {
        let all = self.stems.iter().enumerate();
        let some = all.filter(|(n, _)| words & 1 << n != 0);
        some.map(|(_, (_, weight))| weight).sum()
    }

    /// Those that stand among the stems of a text.
    pub(crate) fn among(&self, text: &[String]) -> u64 {
        let places = self.places(text);
        places.iter().fold(0, |words, (_, word)| words | 1 << word)
    }

    /// Where they stand among the stems of a text, in its order.
    pub(crate) fn places(&self, text: &[String]) -> Vec<(u32, u8)> {
        let word = |stem: &String| {
            let place = self.stems.iter().position(|(known, _)| known == stem)?;
            u8::try_from(place).ok()
        };
        let places = text.iter().zip(0..);
        places
            .filter_map(|(stem, at)| Some((at, word(stem)?)))
            .collect()
    }

    /// Those that the index may cut otherwise in metadata, which it has in lower case.
    pub(crate) fn not_ascii(&self) -> u64 {
        let all = self.stems.iter().enumerate();
        let some = all.filter(|(_, (stem, _))| !stem.is_ascii());
        some.fold(0, |words, (n, _)| words | 1 << n)
    }
}

/// A chunk of a segment, and a number for the caller, as where in the answer it stands.
type Wanted = (u32, usize);

/// Some chunks of a segment, in their order.
type Among<'a> = (&'a SegmentReader, &'a [Wanted]);

impl Snapshot {
    /// What the postings say of each chunk, in the order of `chunks`.
    pub(crate) fn occurrences(
        &self,
        chunks: &[DocAddress],
        terms: &Terms,
        named: &[Named],
    ) -> Result<Vec<Occurrences>, Error> {
        let mut found = vec![Occurrences::default(); chunks.len()];
        let mut order: Vec<(DocAddress, usize)> = chunks.iter().copied().zip(0..).collect();
        order.sort_unstable();
        for group in order.chunk_by(|(a, _), (b, _)| a.segment_ord == b.segment_ord) {
            let segment = self.searcher.segment_reader(group[0].0.segment_ord);
            let wanted: Vec<Wanted> = group.iter().map(|(at, n)| (at.doc_id, *n)).collect();
            self.words_in((segment, &wanted), terms, &mut found)?;
            self.named_in((segment, &wanted), named, &mut found)?;
        }
        for chunk in &mut found {
            chunk.metadata |= terms.not_ascii();
            chunk.places.sort_unstable();
        }
        Ok(found)
    }

    fn words_in(
        &self,
        among: Among<'_>,
        terms: &Terms,
        found: &mut [Occurrences],
    ) -> Result<(), Error> {
        let fields = &self.index.fields;
        let stems = || terms.stems.iter().map(|(stem, _)| stem.as_str()).zip(0u8..);
        for (stem, n) in stems() {
            let option = IndexRecordOption::WithFreqsAndPositions;
            let mut places = Vec::new();
            each(among, fields.text, stem, option, |at, postings| {
                found[at].text |= 1 << n;
                postings.positions(&mut places);
                let places = places.iter().map(|place| (*place, n));
                found[at].places.extend(places);
            })?;
            let option = IndexRecordOption::Basic;
            for field in [fields.title, fields.path] {
                each(among, field, stem, option, |at, _| {
                    found[at].title |= 1 << n
                })?;
            }
            each(among, fields.meta, stem, option, |at, _| {
                found[at].metadata |= 1 << n;
            })?;
        }
        Ok(())
    }

    fn named_in(
        &self,
        among: Among<'_>,
        named: &[Named],
        found: &mut [Occurrences],
    ) -> Result<(), Error> {
        let (facts, option) = (self.index.fields.facts, IndexRecordOption::Basic);
        for (value, n) in named.iter().zip(0..NAMED_MAX) {
            let fact = filter_terms::text_term(&value.field, &value.value);
            each(among, facts, &fact, option, |at, _| {
                found[at].named |= 1 << n
            })?;
        }
        Ok(())
    }
}

/// Calls `hit` for each of some chunks that has a term.
pub(super) fn each(
    (segment, wanted): Among<'_>,
    field: Field,
    term: &str,
    option: IndexRecordOption,
    mut hit: impl FnMut(usize, &mut tantivy::postings::SegmentPostings),
) -> Result<(), Error> {
    let index = segment.inverted_index(field)?;
    let term = Term::from_field_text(field, term);
    let postings = index.read_postings(&term, option);
    let Some(mut postings) = postings.map_err(tantivy::TantivyError::from)? else {
        return Ok(());
    };
    for (doc, at) in wanted {
        if postings.doc() < *doc {
            postings.seek(*doc);
        }
        if postings.doc() == *doc {
            hit(*at, &mut postings);
        }
    }
    Ok(())
}
