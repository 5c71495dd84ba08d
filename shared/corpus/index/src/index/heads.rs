//! Finds the documents that a question may name, by the profiles that the first chunk of each document has in the
//! index.
//!
//! Rare matches are read first, and only as many postings as a bound allows; the matches of common words are then looked
//! up for the documents that were found. *Not* here: what the matches are worth ([`crate::document_rank`]).

use super::query::Snapshot;
use super::schema::DOCUMENT;
use super::{any_term, term_query};
use crate::Error;
use crate::document_rank::{Likeness, Match, Place};
use crate::profile::Unit;
use search::SearchRequest;
use std::collections::{BTreeMap, HashMap};
use tantivy::collector::DocSetCollector;
use tantivy::postings::SegmentPostings;
use tantivy::query::{BooleanQuery, EnableScoring, FuzzyTermQuery, Query};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocAddress, DocSet, SegmentReader, TERMINATED, TantivyError, Term};

/// Postings that are read to find documents; what is more common than that only adds to those that were found.
const POSTINGS_MAX: u64 = 10_000;
/// Names that begin like a word, or are spelt nearly like it.
const LIKE_MAX: usize = 64;
/// Letters of a word that names may begin with.
const PREFIX_CHARS_MIN: usize = 3;
/// Letters of a word that may be misspelt, in one place and in two.
const MISSPELT_CHARS_MIN: [usize; 2] = [4, 9];
/// Chunks with a word that the corpus hardly has.
const UNKNOWN_MAX: u64 = 2;

/// The heads of documents, with what of the question matches them.
pub(crate) type Matches = BTreeMap<DocAddress, Vec<Match>>;

/// One way in which a unit of the question may match profiles.
struct Lookup {
    unit: usize,
    place: Place,
    likeness: Likeness,
    field: Field,
    terms: Vec<String>,
    /// How many heads match, over all segments.
    count: u64,
}

impl Snapshot {
    /// The heads that match units of a question under the conditions of a request, and those of the documents with
    /// these numbers. `counts` says of each stem of each unit how many chunks have it. At most [`POSTINGS_MAX`] matches are read; rare ones come first.
    pub(crate) fn matching_heads(
        &self,
        request: &SearchRequest,
        units: &[Unit],
        counts: &[Vec<u64>],
        documents: &[u64],
    ) -> Result<Matches, Error> {
        let mut lookups = Vec::new();
        for (n, (unit, counts)) in units.iter().zip(counts).enumerate() {
            let is_unknown = counts.iter().any(|count| *count <= UNKNOWN_MAX);
            self.add_lookups(n, unit, is_unknown, &mut lookups)?;
        }
        let all = self.document_count()?;
        lookups.sort_by_key(|lookup| lookup.count);
        let mut room = POSTINGS_MAX;
        let (mut rare, mut common) = (Vec::new(), Vec::new());
        for lookup in lookups {
            match room.checked_sub(lookup.count) {
                Some(left) => {
                    room = left;
                    rare.push(lookup);
                }
                None => common.push(lookup),
            }
        }
        let mut found: Matches = self
            .heads_of(documents)?
            .into_iter()
            .map(|at| (at, Vec::new()))
            .collect();
        for lookup in &rare {
            self.each_match(lookup, |at| {
                found.entry(at).or_default().push(lookup.matched(all))
            })?;
        }
        self.keep_allowed(request, &mut found)?;
        for lookup in &common {
            self.add_common(lookup, all, &mut found)?;
        }
        Ok(found)
    }

    /// How many documents the index has, of all tenants.
    pub(crate) fn document_count(&self) -> Result<u64, Error> {
        let head = Term::from_field_u64(self.index.fields.n, 0);
        Ok(self.searcher.doc_freq(&head)?)
    }

    /// How many chunks the index has, of all tenants.
    pub(crate) fn chunks_of_all(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// How rare a stem of so many chunks is: inverse document frequency, as BM25 has it.
    pub(crate) fn text_rarity(&self, chunks: u64) -> f32 {
        let (with, all) = (chunks as f32, self.chunks_of_all() as f32);
        (1.0 + (all - with).max(0.0) / (with + 0.5)).ln()
    }

    /// How many chunks have a stem in their texts.
    pub(crate) fn text_count(&self, stem: &str) -> Result<u64, Error> {
        let term = Term::from_field_text(self.index.fields.text, stem);
        Ok(self.searcher.doc_freq(&term)?)
    }

    /// Adds the ways in which a unit may match. What texts hardly have (`is_unknown`) may be misspelt.
    fn add_lookups(
        &self,
        n: usize,
        unit: &Unit,
        is_unknown: bool,
        lookups: &mut Vec<Lookup>,
    ) -> Result<(), Error> {
        let fields = &self.index.fields;
        // What texts know as a word is a word.
        let initials = unit.initials.as_ref().filter(|_| is_unknown);
        let word = &unit.forms[0];
        let length = word.chars().count();
        // What two words begin with, or are nearly, one of them begins with or is, too.
        let is_part =
            !unit.is_number && length >= PREFIX_CHARS_MIN && unit.pieces.count_ones() == 1;
        let mut is_called = false;
        for (place, field) in [
            (Place::Path, fields.path_names),
            (Place::Title, fields.title_names),
        ] {
            let mut add =
                |likeness, terms| self.add_lookup((n, place, likeness), field, terms, lookups);
            is_called |= add(Likeness::Same, unit.forms.clone())?;
            if let Some(initials) = initials {
                add(Likeness::Initials, vec![initials.clone()])?;
            }
            if is_part {
                add(Likeness::Begins, self.terms_beginning(field, word)?)?;
            }
        }
        if unit.pieces.count_ones() == 1 {
            let place = (n, Place::Front, Likeness::Same);
            self.add_lookup(place, fields.front, unit.forms.clone(), lookups)?;
        }
        if let Some(initials) = initials {
            let place = (n, Place::Front, Likeness::Initials);
            self.add_lookup(place, fields.front, vec![initials.clone()], lookups)?;
        }
        let edits = MISSPELT_CHARS_MIN
            .iter()
            .filter(|least| length >= **least)
            .count();
        if !is_part || edits == 0 || is_called || !is_unknown {
            return Ok(());
        }
        let edits = u8::try_from(edits).unwrap_or_default();
        for (place, field) in [
            (Place::Path, fields.path_names),
            (Place::Title, fields.title_names),
            (Place::Front, fields.front),
        ] {
            let word = Term::from_field_text(field, word);
            // Names run together in paths: what is misspelt is then only the beginning of one.
            let near = match place {
                Place::Front => FuzzyTermQuery::new(word, edits, true),
                Place::Path | Place::Title => FuzzyTermQuery::new_prefix(word, 1, true),
            };
            let terms = self.terms_like(near, field, &unit.forms[0])?;
            self.add_lookup((n, place, Likeness::Nearly), field, terms, lookups)?;
        }
        Ok(())
    }

    /// Adds a lookup if it matches anything, and returns whether it does.
    fn add_lookup(
        &self,
        (unit, place, likeness): (usize, Place, Likeness),
        field: Field,
        terms: Vec<String>,
        lookups: &mut Vec<Lookup>,
    ) -> Result<bool, Error> {
        let mut count = 0;
        for term in &terms {
            count += self
                .searcher
                .doc_freq(&Term::from_field_text(field, term))?;
        }
        if count > 0 {
            lookups.push(Lookup {
                unit,
                place,
                likeness,
                field,
                terms,
                count,
            });
        }
        Ok(count > 0)
    }

    /// The names that begin with a word, without the word itself.
    fn terms_beginning(&self, field: Field, word: &str) -> Result<Vec<String>, Error> {
        let mut terms = Vec::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(field)?;
            let from_it = index.terms().range().gt(word.as_bytes());
            let mut stream = from_it.into_stream().map_err(TantivyError::from)?;
            let before = terms.len();
            while terms.len() - before < LIKE_MAX
                && stream.advance()
                && stream.key().starts_with(word.as_bytes())
            {
                let term = String::from_utf8_lossy(stream.key()).into_owned();
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
        }
        Ok(terms)
    }

    /// The names that a query stands for, without the word itself.
    fn terms_like(
        &self,
        query: FuzzyTermQuery,
        field: Field,
        word: &str,
    ) -> Result<Vec<String>, Error> {
        let mut terms = Vec::new();
        for segment in self.searcher.segment_readers() {
            let index = segment.inverted_index(field)?;
            let automaton = query.automaton()?;
            let mut stream = index
                .terms()
                .search(automaton)
                .into_stream()
                .map_err(TantivyError::from)?;
            let before = terms.len();
            while terms.len() - before < LIKE_MAX && stream.advance() {
                let term = String::from_utf8_lossy(stream.key()).into_owned();
                if term != word && !terms.contains(&term) {
                    terms.push(term);
                }
            }
        }
        Ok(terms)
    }

    fn each_match(&self, lookup: &Lookup, mut hit: impl FnMut(DocAddress)) -> Result<(), Error> {
        for (segment, ordinal) in self.searcher.segment_readers().iter().zip(0..) {
            for mut postings in lookup.postings(segment)? {
                while postings.doc() != TERMINATED {
                    if !segment.is_deleted(postings.doc()) {
                        hit(DocAddress::new(ordinal, postings.doc()));
                    }
                    postings.advance();
                }
            }
        }
        Ok(())
    }

    /// Adds the matches of something common to those heads that were found.
    fn add_common(&self, lookup: &Lookup, all: u64, found: &mut Matches) -> Result<(), Error> {
        for (segment, ordinal) in self.searcher.segment_readers().iter().zip(0..) {
            for mut postings in lookup.postings(segment)? {
                let of_segment = DocAddress::new(ordinal, 0)..DocAddress::new(ordinal, TERMINATED);
                for (at, matches) in found.range_mut(of_segment) {
                    if postings.doc() < at.doc_id {
                        postings.seek(at.doc_id);
                    }
                    if postings.doc() == at.doc_id {
                        matches.push(lookup.matched(all));
                    }
                }
            }
        }
        Ok(())
    }

    /// Removes the heads that the conditions of a request exclude.
    fn keep_allowed(&self, request: &SearchRequest, found: &mut Matches) -> Result<(), Error> {
        let queries = self.restrictions(request)?.queries;
        let query = BooleanQuery::intersection(queries);
        let weight = query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?;
        let mut scorers = Vec::new();
        for segment in self.searcher.segment_readers() {
            scorers.push(weight.scorer(segment, 1.0)?);
        }
        found.retain(|at, _| {
            let scorer = &mut scorers[at.segment_ord as usize];
            if scorer.doc() < at.doc_id {
                scorer.seek(at.doc_id);
            }
            scorer.doc() == at.doc_id
        });
        Ok(())
    }

    /// The heads of the documents with these numbers.
    fn heads_of(&self, documents: &[u64]) -> Result<Vec<DocAddress>, Error> {
        if documents.is_empty() {
            return Ok(Vec::new());
        }
        let fields = &self.index.fields;
        let terms = documents
            .iter()
            .map(|number| Term::from_field_u64(fields.document, *number));
        let query = BooleanQuery::intersection(vec![
            term_query(Term::from_field_u64(fields.n, 0)),
            any_term(terms),
        ]);
        let heads = self.search(&query, &DocSetCollector)?;
        Ok(heads.into_iter().collect())
    }

    /// The number of the document of each chunk.
    pub(crate) fn documents_of(
        &self,
        chunks: impl Iterator<Item = DocAddress>,
    ) -> Result<Vec<u64>, Error> {
        let mut columns = HashMap::new();
        chunks
            .map(|chunk| {
                let column = match columns.entry(chunk.segment_ord) {
                    std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
                    std::collections::hash_map::Entry::Vacant(new) => {
                        let segment = self.searcher.segment_reader(chunk.segment_ord);
                        new.insert(segment.fast_fields().u64(DOCUMENT)?)
                    }
                };
                Ok(column.first(chunk.doc_id).unwrap_or_default())
            })
            .collect()
    }
}

impl Lookup {
    fn matched(&self, all: u64) -> Match {
        let (all, with) = (all as f32, self.count.min(all) as f32);
        Match {
            unit: self.unit,
            place: self.place,
            likeness: self.likeness,
            rarity: (1.0 + (all - with) / (with + 0.5)).ln(),
        }
    }

    fn postings(&self, segment: &SegmentReader) -> Result<Vec<SegmentPostings>, Error> {
        let index = segment.inverted_index(self.field)?;
        let mut all = Vec::new();
        for term in &self.terms {
            let term = Term::from_field_text(self.field, term);
            let postings = index.read_postings(&term, IndexRecordOption::Basic);
            all.extend(postings.map_err(TantivyError::from)?);
        }
        Ok(all)
    }
}
