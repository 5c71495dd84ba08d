//! Searches inside documents: the best chunks of each of some documents, by words and by vector.
//!
//! Inside a document, a word that stands in all of its chunks finds nothing, however rare it is elsewhere. So a word
//! counts with what the documents leave of it. *Not* here: which documents are searched inside
//! ([`crate::document_search`]).

use super::any_term;
use super::occurrences::each;
use super::query::Snapshot;
use super::terms::Terms;
use crate::Error;
use search::SearchRequest;
use tantivy::query::{BooleanQuery, EnableScoring, Query};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocAddress, DocSet, TERMINATED, Term};

/// Scored chunks.
pub(crate) type Scored = Vec<(f32, DocAddress)>;

/// Chunks of a document in which words are counted, spread over all of it.
const COUNTED_MAX: usize = 256;
/// A word of every chunk counts half in a document of so many chunks, and less in a longer one.
const HALF_AT: f32 = 10.0;

/// The chunks of some documents, in the order of the index, each with the place of its document in the list.
pub(crate) struct Inside(Vec<(DocAddress, usize)>);

impl Snapshot {
    /// How many chunks a document has.
    pub(crate) fn chunk_count(&self, document: u64) -> Result<u64, Error> {
        let term = Term::from_field_u64(self.index.fields.document, document);
        Ok(self.searcher.doc_freq(&term)?)
    }

    /// The chunks of `documents` that a request allows.
    pub(crate) fn inside(
        &self,
        request: &SearchRequest,
        documents: &[u64],
    ) -> Result<Inside, Error> {
        let field = self.index.fields.document;
        let numbers = documents
            .iter()
            .map(|number| Term::from_field_u64(field, *number));
        let mut queries = self.restrictions(request)?.queries;
        queries.push(any_term(numbers));
        let scoring = EnableScoring::disabled_from_searcher(&self.searcher);
        let weight = BooleanQuery::intersection(queries).weight(scoring)?;
        let mut chunks = Vec::new();
        for (segment, ordinal) in self.searcher.segment_readers().iter().zip(0..) {
            let mut found = weight.scorer(segment, 1.0)?;
            while found.doc() != TERMINATED {
                if !segment.is_deleted(found.doc()) {
                    chunks.push(DocAddress::new(ordinal, found.doc()));
                }
                found.advance();
            }
        }
        let numbers = self.documents_of(chunks.iter().copied())?;
        let place = |number: u64| {
            let place = documents.iter().position(|one| *one == number);
            place.unwrap_or_default()
        };
        let places = numbers.into_iter().map(place);
        Ok(Inside(chunks.into_iter().zip(places).collect()))
    }

    /// What documents with these likelihoods leave of each stem: 1 of a stem that none of their chunks has, almost
    /// nothing of one that all chunks of a long and certain document have.
    pub(crate) fn left_inside(
        &self,
        inside: &Inside,
        likelihoods: &[f32],
        stems: &[(String, f32)],
    ) -> Result<Vec<f32>, Error> {
        let sample = inside.sample(likelihoods.len());
        let mut all = vec![HALF_AT; likelihoods.len()];
        sample
            .iter()
            .for_each(|(_, document)| all[*document] += 1.0);
        let mut left = vec![1.0; stems.len()];
        for group in sample.chunk_by(|(a, _), (b, _)| a.segment_ord == b.segment_ord) {
            let segment = self.searcher.segment_reader(group[0].0.segment_ord);
            let wanted: Vec<(u32, usize)> = group
                .iter()
                .map(|(at, document)| (at.doc_id, *document))
                .collect();
            let (field, option) = (self.index.fields.text, IndexRecordOption::Basic);
            for ((stem, _), left) in stems.iter().zip(&mut left) {
                each((segment, &wanted), field, stem, option, |document, _| {
                    *left -= likelihoods[document] / all[document];
                })?;
            }
        }
        Ok(left)
    }

    /// The best `k` chunks of each document by the words of their texts, of which so much is `left`; with their scores
    /// by BM25 as in [`Snapshot::by_words`].
    pub(crate) fn by_words_inside(
        &self,
        inside: &Inside,
        terms: &Terms,
        left: &[f32],
        k: usize,
    ) -> Result<Scored, Error> {
        let fields = &self.index.fields;
        let scores = self.scores(&*terms.query_of_texts(fields, left), &inside.chunks())?;
        let of = |chunk: &DocAddress| {
            let place = inside.0.binary_search_by_key(chunk, |(chunk, _)| *chunk);
            place.map_or(0, |place| inside.0[place].1)
        };
        let scores = scores.into_iter().map(|hit| (of(&hit.1), hit));
        let mut chunks: Vec<DocAddress> = best_of_each(scores, k).iter().map(|hit| hit.1).collect();
        chunks.sort_unstable();
        self.scores(&*terms.query(fields), &chunks)
    }

    /// The `k` chunks of each document that are closest to `vector`, by cosine; none when the index keeps no vectors.
    pub(crate) fn by_vector_inside(
        &self,
        inside: &Inside,
        vector: &[f32],
        k: usize,
    ) -> Result<Scored, Error> {
        let cosines = self.cosines(&inside.chunks(), vector)?;
        let hits = inside.0.iter().zip(cosines);
        let hits =
            hits.filter_map(|((chunk, document), cosine)| Some((*document, (cosine?, *chunk))));
        Ok(best_of_each(hits, k))
    }

    /// The scores of those of `chunks` that match a query. `chunks` are in the order of the index.
    fn scores(&self, query: &dyn Query, chunks: &[DocAddress]) -> Result<Scored, Error> {
        let weight = query.weight(EnableScoring::enabled_from_searcher(&self.searcher))?;
        let mut scores = Vec::with_capacity(chunks.len());
        for of_segment in chunks.chunk_by(|a, b| a.segment_ord == b.segment_ord) {
            let segment = self.searcher.segment_reader(of_segment[0].segment_ord);
            let mut scorer = weight.scorer(segment, 1.0)?;
            for chunk in of_segment {
                if scorer.doc() < chunk.doc_id {
                    scorer.seek(chunk.doc_id);
                }
                if scorer.doc() == chunk.doc_id {
                    scores.push((scorer.score(), *chunk));
                }
            }
        }
        Ok(scores)
    }
}

impl Inside {
    fn chunks(&self) -> Vec<DocAddress> {
        self.0.iter().map(|(chunk, _)| *chunk).collect()
    }

    /// At most [`COUNTED_MAX`] chunks of each document, in the order of the index.
    fn sample(&self, documents: usize) -> Vec<(DocAddress, usize)> {
        let mut sizes = vec![0usize; documents];
        for (_, document) in &self.0 {
            sizes[*document] += 1;
        }
        let mut seen = vec![0usize; documents];
        let chosen = self.0.iter().filter(|(_, document)| {
            seen[*document] += 1;
            seen[*document].is_multiple_of(sizes[*document].div_ceil(COUNTED_MAX))
        });
        chosen.copied().collect()
    }
}

/// The best `k` of each document; where scores are the same, by address.
fn best_of_each(hits: impl Iterator<Item = (usize, (f32, DocAddress))>, k: usize) -> Scored {
    let mut hits: Vec<(usize, (f32, DocAddress))> = hits.collect();
    hits.sort_by(|(one, a), (other, b)| {
        one.cmp(other)
            .then_with(|| b.0.total_cmp(&a.0))
            .then_with(|| a.1.cmp(&b.1))
    });
    let of_each = hits.chunk_by(|(one, _), (other, _)| one == other);
    of_each
        .flat_map(|of_one| of_one.iter().take(k).map(|(_, hit)| *hit))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{index_of, record, request};
    use super::*;
    use serde_json::json;

    /// Twenty chunks about Acme, of which one tells of a valve and one names Acme again and again; and another document.
    fn snapshot() -> Snapshot {
        let text = |n: u32| match n {
            7 => "acme opens the valve at nine bar".to_owned(),
            9 => "acme acme acme acme acme".to_owned(),
            n => format!("acme part {n} of the yearly words about things that go on"),
        };
        let mut records: Vec<_> = (0..20)
            .map(|n| record("files/acme.md", n, 20, &text(n), json!({})))
            .collect();
        records.push(record("files/bolt.md", 0, 1, "bolt has a valve", json!({})));
        index_of(&records).snapshot()
    }

    fn number(snapshot: &Snapshot, word: &str) -> u64 {
        let asked = request(word, json!({}));
        let terms = snapshot.terms(&asked).unwrap();
        let best = snapshot.by_words(&asked, &terms).unwrap().best;
        let chunks = best.iter().map(|(_, chunk)| *chunk);
        snapshot.documents_of(chunks).unwrap()[0]
    }

    #[test]
    fn what_stands_all_over_a_document_finds_nothing_in_it() {
        let snapshot = snapshot();
        let asked = request("acme valve", json!({}));
        let terms = snapshot.terms(&asked).unwrap();
        let acme = number(&snapshot, "acme");
        assert_eq!(snapshot.chunk_count(acme).unwrap(), 20);
        let inside = snapshot.inside(&asked, &[acme]).unwrap();
        assert_eq!(inside.0.len(), 20, "the chunks of the other are not read");
        let left = snapshot.left_inside(&inside, &[1.0], &terms.stems).unwrap();
        assert!((left[0] - (1.0 - 20.0 / 30.0)).abs() < 1e-6, "{left:?}");
        assert!((left[1] - (1.0 - 1.0 / 30.0)).abs() < 1e-6, "{left:?}");
        let best = snapshot.by_words_inside(&inside, &terms, &left, 1).unwrap();
        let texts: Vec<String> = best
            .iter()
            .map(|(_, chunk)| snapshot.record(*chunk).unwrap().text)
            .collect();
        assert_eq!(texts, ["acme opens the valve at nine bar"]);
    }

    #[test]
    fn each_document_gives_its_best() {
        let snapshot = snapshot();
        let asked = request("valve", json!({}));
        let documents = [number(&snapshot, "acme"), number(&snapshot, "bolt")];
        let inside = snapshot.inside(&asked, &documents).unwrap();
        let terms = snapshot.terms(&asked).unwrap();
        let best = snapshot
            .by_words_inside(&inside, &terms, &[1.0], 1)
            .unwrap();
        assert_eq!(best.len(), 2);
        let excluded = request("valve", json!({"source": {"contains": "bolt"}}));
        let inside = snapshot.inside(&excluded, &documents).unwrap();
        assert_eq!(inside.0.len(), 1, "conditions hold inside as well");
    }
}
