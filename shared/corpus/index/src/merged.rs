//! Merges the hits of the word search and of the vector search into one list of candidates, and makes the passages
//! of the search result from the best of them.
//!
//! A candidate is an address in the index and a score; its stored record is fetched only when the candidate may be in
//! the result. *Not* here: how candidates are reranked ([`crate::rerank`]) and picked ([`crate::diversify`]).

use crate::Error;
use crate::diversify::{Dropped, Scored, Shares, Why, pick};
use crate::document_search::{RankedDocuments, rank, search_inside};
use crate::front::Fronts;
use crate::fusion::{Fusion, fuse};
use crate::index::{Hits, Occurrences, SentenceVectors, Snapshot, document_number, text_analyzer};
use crate::options::Options;
use crate::rerank::{Features, QueryFeatures};
use crate::similarity::{Desk, SentenceSimilarity};
use envelope::{ChunkRecord, Passage};
use search::{SearchRequest, SearchResult};
use std::collections::HashMap;
use tantivy::DocAddress;
use tantivy::tokenizer::TextAnalyzer;

/// How close a chunk has to be when no chunk has a word of the query. Chosen on the side of caution,
/// not by measurement.
const ALONE_COSINE_MIN: f32 = 0.5;

/// The vector of a query and its share in the score.
pub(crate) struct Aim {
    pub(crate) vector: Vec<f32>,
    weight: f32,
}

impl Aim {
    /// A query without anything to go by has no direction, and everything would be as close.
    pub(crate) fn new(vector: Vec<f32>, weight: f32) -> Option<Aim> {
        let aims = vector.iter().any(|x| *x != 0.0);
        aims.then_some(Aim { vector, weight })
    }
}

/// A chunk that was found, with its fused score from 0 to 1.
pub(crate) struct Candidate {
    pub(crate) chunk: DocAddress,
    pub(crate) score: f32,
    /// How much likelier the profile of its document makes it.
    pub(crate) lift: f32,
    /// What a reranker that is a model gives it, from 0 to 1, in the place of the features.
    pub(crate) judged: Option<f32>,
    /// The record, once it was fetched.
    pub(crate) record: Option<ChunkRecord>,
}

/// What both legs found together.
pub(crate) struct Merged {
    snapshot: Snapshot,
    pub(crate) candidates: Vec<Candidate>,
    /// `None` where there is no reranking.
    asked: Option<QueryFeatures>,
    total_hits: u64,
    unknown_fields: Vec<String>,
    unlike_fields: Vec<String>,
    relevance: f32,
    /// Memory for the sentences that are read.
    cache_bytes: usize,
    /// Which documents the question is about; `None` where that does not count.
    documents: Option<RankedDocuments>,
    /// What that weighs beside the score of a passage.
    document_weight: f32,
}

/// What is shown, and what helped.
pub(crate) struct Picked {
    pub(crate) result: SearchResult,
    /// What is not in it.
    pub(crate) dropped: Vec<Dropped>,
    /// Candidates whose sentences were read before.
    pub(crate) sentences_found: u64,
    /// Those whose sentences had to be read for the first time, or again because they are no longer in the cache.
    pub(crate) sentences_read: u64,
}

impl Merged {
    pub(crate) fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    pub(crate) fn documents(&self) -> Option<&RankedDocuments> {
        self.documents.as_ref()
    }

    /// Keeps so many of the best, in the order of scores.
    pub(crate) fn keep_best(&mut self, count: usize) {
        let candidates = &mut self.candidates;
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        candidates.truncate(count);
    }

    /// The same in the order of scores, the first so many with their records. Blocking.
    pub(crate) fn with_records(mut self, count: usize) -> Result<Merged, Error> {
        self.keep_best(usize::MAX);
        for candidate in self.candidates.iter_mut().take(count) {
            candidate.record = Some(self.snapshot.record(candidate.chunk)?);
        }
        Ok(self)
    }

    /// Reranks the candidates and picks the passages. The best `top_k` come first; scores are from 0 to 1 and only
    /// comparable within one search. Without reranking the order is that of the hits. One document fills at most
    /// half of the list while others have something, and so does each of several values of a field that the query
    /// names. Blocking.
    pub(crate) fn into_result(self, top_k: usize) -> Result<Picked, Error> {
        self.picked(top_k, 0)
    }

    /// The same, with the best `reasons` of the passages that are not in the result. Blocking.
    pub(crate) fn picked(self, top_k: usize, reasons: usize) -> Result<Picked, Error> {
        let Merged {
            snapshot,
            candidates,
            asked,
            cache_bytes,
            documents,
            document_weight,
            ..
        } = self;
        let asked = asked.as_ref();
        let read = read_before(&snapshot, &candidates, asked, cache_bytes);
        let sentences_found = read.iter().flatten().count() as u64;
        let scored = scored(&snapshot, candidates, asked, read, document_weight)?;
        let words = asked.map_or(&[][..], |asked| &asked.terms.stems);
        let weights: Vec<f32> = words.iter().map(|(_, weight)| *weight).collect();
        let named = asked.map_or(&[][..], |asked| &asked.named);
        let mut reader = Reader {
            snapshot: &snapshot,
            asked,
            cache_bytes,
            document_weight,
            analyzer: text_analyzer(),
            desk: Desk::default(),
            sentences_read: 0,
        };
        let look = &mut |one: &mut Scored<Unread>| reader.look(one);
        let likelihood = |record: &ChunkRecord| {
            let documents = documents.as_ref();
            documents.map_or(0.0, |all| all.likelihood(document_number(record)))
        };
        let shares = Shares::new(named, top_k, &likelihood);
        let picked = pick(
            scored,
            &weights,
            shares,
            (top_k, reasons),
            &mut text_analyzer(),
            look,
        );
        let (taken, dropped) = picked?;
        // Whoever wants reasons reads no passage.
        let documents = documents.as_ref().filter(|_| reasons == 0);
        let mut fronts = documents.map(|documents| Fronts::new(&snapshot, documents));
        let mut passages = Vec::with_capacity(taken.len());
        for (record, score) in taken {
            let front = match &mut fronts {
                Some(fronts) => fronts.of(&record)?,
                None => String::new(),
            };
            passages.push(Passage {
                front,
                ..record.into_passage(score)
            });
        }
        let repeats = dropped.iter().filter(|one| one.why == Why::Repeats);
        let result = SearchResult {
            passages,
            repeated: repeats.count() as u32,
            total_hits: self.total_hits,
            unknown_fields: self.unknown_fields,
            unlike_fields: self.unlike_fields,
            relevance: self.relevance,
            fitting: documents.as_ref().map(|all| all.fitting),
            failed: Vec::new(),
            read_before: 0,
        };
        Ok(Picked {
            result,
            dropped,
            sentences_found,
            sentences_read: reader.sentences_read,
        })
    }
}

/// What it takes to look closer at a candidate.
struct Unread {
    chunk: DocAddress,
    judged: Option<f32>,
    lift: f32,
    /// What the postings say of it; `None` where there is no reranking.
    seen: Option<Occurrences>,
    /// As far as it was looked at.
    features: Option<Features>,
    /// Whether its sentences were read before.
    is_read: bool,
}

/// What is kept of the sentences of each candidate; nothing where they do not count.
fn read_before(
    snapshot: &Snapshot,
    candidates: &[Candidate],
    asked: Option<&QueryFeatures>,
    cache_bytes: usize,
) -> Vec<Option<SentenceVectors>> {
    let are_judged = candidates
        .iter()
        .any(|candidate| candidate.judged.is_some());
    let they_count = asked.is_some_and(|asked| asked.meaning.is_some()) && !are_judged;
    if !they_count || cache_bytes == 0 {
        return Vec::new();
    }
    snapshot.sentences(candidates.iter().map(|candidate| candidate.chunk))
}

/// The candidates with the most that they can be worth by the postings.
fn scored(
    snapshot: &Snapshot,
    candidates: Vec<Candidate>,
    asked: Option<&QueryFeatures>,
    read: Vec<Option<SentenceVectors>>,
    document_weight: f32,
) -> Result<Vec<Scored<Unread>>, Error> {
    let mut read = read.into_iter();
    let mut seen = match asked {
        Some(asked) => {
            let chunks: Vec<DocAddress> = candidates.iter().map(|c| c.chunk).collect();
            snapshot.occurrences(&chunks, &asked.terms, &asked.named)?
        }
        None => Vec::new(),
    }
    .into_iter();
    let one = |candidate: Candidate| {
        let seen = seen.next();
        let read = read.next().flatten();
        let features = asked.zip(seen.as_ref());
        let features = features
            .map(|(asked, seen)| Features::at_most(candidate.score, seen, read.as_ref(), asked));
        let score = asked
            .zip(features.as_ref())
            .map(|(asked, f)| f.score(asked));
        Scored {
            score: lifted(
                candidate.judged.or(score).unwrap_or(candidate.score),
                candidate.lift,
                document_weight,
            ),
            has: features.as_ref().map_or(0, Features::has),
            record: candidate.record,
            exact: false,
            more: Unread {
                chunk: candidate.chunk,
                judged: candidate.judged,
                lift: candidate.lift,
                seen,
                features,
                is_read: read.is_some(),
            },
        }
    };
    Ok(candidates.into_iter().map(one).collect())
}

/// Reads candidates, one after the other.
struct Reader<'a> {
    snapshot: &'a Snapshot,
    asked: Option<&'a QueryFeatures>,
    /// Memory for sentences that are read.
    cache_bytes: usize,
    document_weight: f32,
    analyzer: TextAnalyzer,
    desk: Desk,
    /// Candidates whose sentences were not known.
    sentences_read: u64,
}

impl Reader<'_> {
    /// Looks closer at a candidate: first at its record, then, where that is worth something, at its sentences.
    fn look(&mut self, one: &mut Scored<Unread>) -> Result<(), Error> {
        let record = match one.record.take() {
            Some(record) => record,
            None => self.snapshot.record(one.more.chunk)?,
        };
        let (seen, features) = (one.more.seen.take(), one.more.features.take());
        match (self.asked, seen, features) {
            (Some(asked), Some(seen), Some(features)) => {
                let features = features.by_record(&seen, &record, asked, &mut self.analyzer);
                one.has = features.has();
                let score = one.more.judged.unwrap_or_else(|| features.score(asked));
                one.score = lifted(score, one.more.lift, self.document_weight);
                one.exact = one.more.judged.is_some() || asked.meaning.is_none();
                one.more.features = Some(features);
            }
            (Some(asked), None, Some(features)) => {
                let features = features.by_sentences(&record, asked, &mut self.desk);
                let score = features.score(asked);
                one.score = lifted(score, one.more.lift, self.document_weight);
                one.exact = true;
                self.keep(asked, &one.more);
            }
            _ => one.exact = true,
        }
        one.record = Some(record);
        Ok(())
    }

    /// Keeps the sentences that were read just now.
    fn keep(&mut self, asked: &QueryFeatures, read: &Unread) {
        let Some(meaning) = asked.meaning.as_ref().filter(|_| !read.is_read) else {
            return;
        };
        self.sentences_read += 1;
        if self.cache_bytes > 0 {
            let vectors = meaning.to_keep(&mut self.desk);
            self.snapshot
                .keep_sentences(read.chunk, vectors, self.cache_bytes);
        }
    }
}

/// The score of a passage together with the lift of its document, from 0 to 1.
fn lifted(score: f32, lift: f32, document_weight: f32) -> f32 {
    (score + document_weight * lift).max(0.0) / (1.0 + document_weight)
}

/// Merges the legs.
pub(crate) fn merge(
    snapshot: Snapshot,
    request: &SearchRequest,
    options: &Options,
    words: Option<(Hits, QueryFeatures)>,
    vectors: Option<(Vec<(f32, DocAddress)>, Aim)>,
) -> Result<Merged, Error> {
    let (hits, asked) = words.unzip();
    let (close, aim) = vectors.unzip();
    let mut by_words: HashMap<DocAddress, f32> = hits
        .iter()
        .filter(|_| options.words)
        .flat_map(|hits| hits.best.iter().map(|(score, chunk)| (*chunk, *score)))
        .collect();
    // Something is always closest. Where no word of the query is in the corpus, close is not enough.
    let nothing_said = options.words && hits.as_ref().is_some_and(|hits| hits.total == 0);
    let least = if nothing_said { ALONE_COSINE_MIN } else { -1.0 };
    let by_vector: HashMap<DocAddress, f32> = close
        .into_iter()
        .flatten()
        .filter(|(score, _)| *score >= least)
        .map(|(score, chunk)| (chunk, score))
        .collect();
    let weight = aim.as_ref().map_or(0.0, |aim| aim.weight);
    let mut legs = Legs {
        snapshot: &snapshot,
        aim: aim.as_ref(),
        by_vector,
        fusion: options.fusion,
    };
    let (mut chunks, mut fused) = legs.fused(&by_words)?;
    let fitted = snapshot.fitted().zip(aim.as_ref());
    let meaning = fitted.map(|(by, aim)| SentenceSimilarity::new(by.clone(), aim.vector.clone()));
    let mut asked = asked.filter(|_| options.rerank).map(|asked| QueryFeatures {
        vector_share: weight,
        meaning,
        ..asked
    });
    let counts = options.document_weight > 0.0 && options.words;
    let documents = match asked.as_mut().filter(|_| counts) {
        Some(asked) => {
            let documents = rank(&snapshot, request, &chunks, &fused)?;
            let aim = aim.as_ref().map(|aim| aim.vector.as_slice());
            let found = search_inside(&snapshot, request, &asked.terms, aim, &documents)?;
            by_words.extend(
                found
                    .by_words
                    .into_iter()
                    .map(|(score, chunk)| (chunk, score)),
            );
            let close = found.by_vector.into_iter();
            legs.by_vector
                .extend(close.map(|(score, chunk)| (chunk, score)));
            asked.terms.leave(&found.left);
            (chunks, fused) = legs.fused(&by_words)?;
            Some(documents)
        }
        None => None,
    };
    let numbers = snapshot.documents_of(chunks.iter().copied())?;
    let lifts: Vec<f32> = match &documents {
        Some(documents) => numbers
            .iter()
            .map(|number| documents.lift(*number))
            .collect(),
        None => vec![0.0; chunks.len()],
    };
    let candidate = |((chunk, score), lift)| Candidate {
        chunk,
        score,
        lift,
        judged: None,
        record: None,
    };
    let candidates = chunks.into_iter().zip(fused).zip(lifts);
    let candidates = candidates.map(candidate).collect();
    let best = hits.as_ref().and_then(|hits| hits.best.first());
    let words = request.query.split_whitespace().count().max(1) as f32 + context_words(request);
    let relevance = best.map_or(0.0, |(score, _)| score / words);
    let (total_hits, unknown_fields, unlike_fields) = hits.map_or_else(Default::default, |h| {
        (h.total, h.unknown_fields, h.unlike_fields)
    });
    Ok(Merged {
        snapshot,
        candidates,
        asked,
        total_hits,
        unknown_fields,
        unlike_fields,
        relevance,
        cache_bytes: options.sentence_cache_bytes.as_usize(),
        documents,
        document_weight: options.document_weight,
    })
}

/// What the fused scores are made of, besides the hits by words.
struct Legs<'a> {
    snapshot: &'a Snapshot,
    aim: Option<&'a Aim>,
    by_vector: HashMap<DocAddress, f32>,
    fusion: Fusion,
}

impl Legs<'_> {
    /// Each chunk that a leg has found, with its fused score.
    fn fused(
        &self,
        by_words: &HashMap<DocAddress, f32>,
    ) -> Result<(Vec<DocAddress>, Vec<f32>), Error> {
        let mut chunks: Vec<DocAddress> = by_words
            .keys()
            .chain(self.by_vector.keys())
            .copied()
            .collect();
        chunks.sort_unstable();
        chunks.dedup();
        let words: Vec<Option<f32>> = chunks.iter().map(|c| by_words.get(c).copied()).collect();
        // Where the rows are at hand, a chunk that only the words found has its cosine too.
        let cosines = match self.aim {
            Some(aim) => self.snapshot.cosines(&chunks, &aim.vector)?,
            None => vec![None; chunks.len()],
        };
        let pairs = chunks.iter().zip(cosines);
        let vectors: Vec<Option<f32>> = pairs
            .map(|(chunk, own)| own.or_else(|| self.by_vector.get(chunk).copied()))
            .collect();
        let weight = self.aim.map_or(0.0, |aim| aim.weight);
        let fused = fuse(&words, &vectors, weight, self.fusion);
        Ok((chunks, fused))
    }
}

/// The words of the context, as far as they count.
fn context_words(request: &SearchRequest) -> f32 {
    let words = request.context.iter().map(|context| {
        let words = context.text.split_whitespace().count() as f32;
        context.weight * words
    });
    words.sum()
}

#[cfg(test)]
#[path = "merged_tests.rs"]
mod tests;

#[cfg(test)]
mod ranking_tests;
