//! One search: from words to scored candidates.
//!
//! The query is built from tokens by hand; there is no query language, so nothing a user or a model
//! writes can be a syntax error.

use super::filter::{Restrictions, restrictions};
use super::nearest::{Close, Nearest};
use super::rows::Probe;
use super::schema::{self, Fields};
use super::sentence_cache::{ChunkPlace, SentenceVectors};
use super::tenant::OfTenant;
use super::vectors::{Vectors, View};
use super::{Index, term_query};
use crate::Error;
use crate::gazetteer::Named;
use envelope::ChunkRecord;
use search::{Near, Request, filter_terms as facts};
use static_embed::StaticEmbedder;
use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;
use tantivy::collector::{Collector, Count, DocSetCollector, TopDocs};
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, EmptyQuery, EnableScoring, PhraseQuery,
    Query, TermQuery, TermSetQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{DocAddress, Executor, Searcher, Term};
use text::{stop, unify};

/// Weight of an identifier (`AX-1042`) that stands in the text as it is written in the query.
const IDENTIFIER_BOOST: f32 = 2.0;
/// Most different words of one query; what is over it is noise.
const WORDS_MAX: usize = 64;
/// How many words of a query are looked at at all.
const WORDS_READ_MAX: usize = 4 * WORDS_MAX;
/// Stems of a part name that is looked for as it is written: a longer one is no name, and looking for it
/// costs with every stem.
const NAME_STEMS: RangeInclusive<usize> = 2..=8;
/// Words between two clauses of a question.
const JOINING_WORDS: &str =
    "and or but while whereas that which who whom whose between versus than compared";
/// A clause of fewer telling words says too little to be looked at by itself.
const CLAUSE_WORDS_MIN: usize = 4;
/// An index of so many chunks is searched on one thread: to wake others takes longer.
pub const ONE_THREAD_CHUNKS_MAX: u64 = 50_000;
/// Most candidates of one search.
const FETCH_MAX: usize = 1_000;
/// The words of a query.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terms {
    /// Stems with their rarity in the corpus, each once, in the order of the query.
    pub(crate) stems: Vec<(String, f32)>,
    /// Words with a digit, as [`identifier`] has them, and their rarity: a part number is
    /// rarer than a year.
    pub(crate) identifiers: Vec<(String, f32)>,
    /// The same in stems, where it is more than one.
    pub(crate) phrases: Vec<Vec<String>>,
    /// The clauses of a query that has several, each as places in [`Terms::stems`].
    pub(crate) clauses: Vec<Vec<usize>>,
    /// Nothing was written: all that a filter lets through is wanted.
    pub(crate) is_blank: bool,
}

/// The index at one moment: every part of a search sees the same chunks.
#[derive(Clone)]
pub(crate) struct Snapshot {
    pub(super) index: Index,
    pub(super) searcher: Searcher,
    pub(super) view: View,
}

/// Scored chunks, best first, and how many match in all.
pub(crate) struct Hits {
    pub(crate) best: Vec<(f32, DocAddress)>,
    pub(crate) total: u64,
    /// Fields of the filter that no document has.
    pub(crate) unknown_fields: Vec<String>,
    /// Fields without a value that can be compared with what was asked.
    pub(crate) unlike_fields: Vec<String>,
}

impl Index {
    /// The index as of its last commit.
    pub(crate) fn snapshot(&self) -> Snapshot {
        // The chunks first: rows of chunks that came after them do no harm.
        let searcher = self.reader.searcher();
        Snapshot {
            view: self.vectors.view(),
            index: self.clone(),
            searcher,
        }
    }
}

impl Snapshot {
    /// The words of a request.
    pub(crate) fn terms(&self, request: &Request) -> Result<Terms, Error> {
        Terms::of(request, &self.searcher, self.index.fields.text)
    }

    /// The best `fetch_k` chunks of a request, by BM25 over text, title and path.
    pub(crate) fn by_words(&self, request: &Request, terms: &Terms) -> Result<Hits, Error> {
        let fields = &self.index.fields;
        let restrictions = restrictions(&self.searcher, fields, request)?;
        let only_tenant = restrictions.queries.len() == 1;
        let mut queries = restrictions.queries;
        queries.push(terms.query(fields));
        let mut query: Box<dyn Query> = Box::new(BooleanQuery::intersection(queries));
        if only_tenant {
            query = Box::new(OfTenant {
                tenant: Term::from_field_text(fields.tenant, request.tenant.as_str()),
                words: terms.query(fields),
                restricted: query,
            });
        }
        let top = TopDocs::with_limit(request.fetch_k.clamp(1, FETCH_MAX)).order_by_score();
        let (best, total) = self.search(&*query, &(top, Count))?;
        Ok(Hits {
            best,
            total: total as u64,
            unknown_fields: restrictions.unknown_fields,
            unlike_fields: restrictions.unlike_fields,
        })
    }

    /// The best `k` chunks of a request that have a value which the query names, by BM25 as in
    /// [`Snapshot::by_words`].
    pub(crate) fn by_name(
        &self,
        request: &Request,
        terms: &Terms,
        named: &Named,
        k: usize,
    ) -> Result<Vec<(f32, DocAddress)>, Error> {
        let restrictions = restrictions(&self.searcher, &self.index.fields, request)?;
        let mut queries = restrictions.queries;
        let fact = facts::text_term(&named.field, &named.value);
        let has_it = term_query(Term::from_field_text(self.index.fields.facts, &fact));
        queries.push(Box::new(ConstScoreQuery::new(has_it, 0.0)));
        queries.push(terms.query(&self.index.fields));
        let top = TopDocs::with_limit(k.clamp(1, FETCH_MAX)).order_by_score();
        self.search(&BooleanQuery::intersection(queries), &top)
    }

    /// Asks the segments, those of a small index one after the other.
    pub(super) fn search<C: Collector>(
        &self,
        query: &dyn Query,
        collector: &C,
    ) -> Result<C::Fruit, Error> {
        let searcher = &self.searcher;
        if searcher.num_docs() > ONE_THREAD_CHUNKS_MAX {
            return Ok(searcher.search(query, collector)?);
        }
        let scoring = match collector.requires_scoring() {
            true => EnableScoring::enabled_from_searcher(searcher),
            false => EnableScoring::disabled_from_searcher(searcher),
        };
        let here = Executor::single_thread();
        Ok(searcher.search_with_executor(query, collector, &here, scoring)?)
    }

    /// The `k` chunks of a request that are closest to `vector`, by cosine; none when the index keeps
    /// no vectors of this kind.
    pub(crate) fn by_vector(
        &self,
        request: &Request,
        vector: &[f32],
        k: usize,
    ) -> Result<Vec<Close>, Error> {
        let Some(rows) = self.view.rows.clone() else {
            return Ok(Vec::new());
        };
        let restrictions = restrictions(&self.searcher, &self.index.fields, request)?;
        let nearest = Nearest {
            rows,
            probe: Arc::new(Probe::new(vector)),
            k: k.min(FETCH_MAX),
        };
        let query = BooleanQuery::intersection(restrictions.queries);
        self.search(&query, &nearest)
    }

    /// The cosine of each chunk; `None` for one without a vector.
    pub(crate) fn cosines(
        &self,
        chunks: &[DocAddress],
        vector: &[f32],
    ) -> Result<Vec<Option<f32>>, Error> {
        let Some(vectors) = &self.view.rows else {
            return Ok(vec![None; chunks.len()]);
        };
        let probe = Probe::new(vector);
        let mut cosines = Vec::with_capacity(chunks.len());
        for chunks in chunks.chunk_by(|a, b| a.segment_ord == b.segment_ord) {
            let segment = self.searcher.segment_reader(chunks[0].segment_ord);
            let column = segment.fast_fields().u64(schema::ROW)?;
            let row = |chunk: &DocAddress| column.first(chunk.doc_id);
            let rows = chunks.iter().map(row);
            cosines.extend(rows.map(|row| row.and_then(|row| vectors.similarity(row, &probe))));
        }
        Ok(cosines)
    }

    /// Whose vectors the index keeps, when they come with the chunks.
    pub(crate) fn carried_by(&self) -> Option<&str> {
        match &self.index.vectors.source {
            Vectors::Carried { by, .. } => Some(by),
            Vectors::None | Vectors::Table(_) => None,
        }
    }

    /// The static table as it is fitted to this index; `None` before that, and for other embedders.
    pub(crate) fn fitted(&self) -> Option<&Arc<StaticEmbedder>> {
        self.view.fitted.as_ref().map(|fitted| &fitted.embedder)
    }

    /// What is kept of the sentences of some chunks, in their order.
    pub(crate) fn sentences(
        &self,
        chunks: impl Iterator<Item = DocAddress>,
    ) -> Vec<Option<SentenceVectors>> {
        match &self.view.fitted {
            Some(fitted) => fitted.sentences.get(chunks.map(|chunk| self.place(chunk))),
            None => chunks.map(|_| None).collect(),
        }
    }

    /// Keeps those of a chunk, at most so many bytes in all.
    pub(crate) fn keep_sentences(&self, chunk: DocAddress, vectors: SentenceVectors, most: usize) {
        if let Some(fitted) = &self.view.fitted {
            fitted.sentences.put(self.place(chunk), vectors, most);
        }
    }

    fn place(&self, chunk: DocAddress) -> ChunkPlace {
        let segment = self.searcher.segment_reader(chunk.segment_ord);
        (segment.segment_id(), chunk.doc_id)
    }

    /// What restricts a request here.
    pub(crate) fn restrictions(&self, request: &Request) -> Result<Restrictions, Error> {
        restrictions(&self.searcher, &self.index.fields, request)
    }

    /// Where the chunks are that were found elsewhere, at most `most`, closest first. What was let
    /// through there may have changed here, and a condition may have been left out there: a chunk
    /// that is not here, not yet or no more, or is kept out here, is left out.
    pub(crate) fn find(
        &self,
        near: &[Near],
        restrictions: Restrictions,
        most: usize,
    ) -> Result<Vec<(f32, DocAddress)>, Error> {
        let key = |near: &Near| {
            let chunk = &near.chunk;
            let key = schema::key(&chunk.bucket, &chunk.doc_id, chunk.n);
            Term::from_field_text(self.index.fields.key, &key)
        };
        let mut queries = restrictions.queries;
        queries.push(Box::new(TermSetQuery::new(near.iter().map(key))));
        let query = BooleanQuery::intersection(queries);
        let let_through = self.searcher.search(&query, &DocSetCollector)?;
        let mut found = Vec::with_capacity(near.len().min(most));
        for near in near {
            if found.len() == most {
                break;
            }
            let query = term_query(key(near));
            let there = self.searcher.search(&*query, &DocSetCollector)?;
            let there = there.into_iter().find(|at| let_through.contains(at));
            found.extend(there.map(|at| (near.score, at)));
        }
        Ok(found)
    }

    /// The values of the corpus' metadata that a text names.
    pub(crate) fn named(&self, text: &str) -> Result<Vec<Named>, Error> {
        Ok(self.index.names_of(&self.searcher)?.named(text))
    }

    /// Every chunk.
    #[cfg(test)]
    pub(crate) fn all(&self) -> Vec<DocAddress> {
        let all = self.searcher.search(&AllQuery, &DocSetCollector).unwrap();
        let mut all: Vec<DocAddress> = all.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// What a chunk is.
    pub(crate) fn record(&self, chunk: DocAddress) -> Result<ChunkRecord, Error> {
        self.index.stored(&self.searcher, chunk)
    }
}

impl Terms {
    fn of(request: &Request, searcher: &Searcher, text: Field) -> Result<Terms, Error> {
        let mut analyzer = schema::analyzer();
        let asked = unify(&format!("{} {}", request.query, request.keywords.join(" ")));
        let words: Vec<&str> = asked.split_whitespace().take(WORDS_READ_MAX).collect();
        let telling: Vec<&str> = words
            .iter()
            .copied()
            .filter(|w| !stop::is_unsearched(w))
            .collect();
        let words = if telling.is_empty() { words } else { telling };

        let mut terms = Terms {
            is_blank: words.is_empty(),
            ..Terms::default()
        };
        let mut rarities: HashMap<String, f32> = HashMap::new();
        for word in words {
            let stems = known_spelling(searcher, text, &mut analyzer, word)?;
            for stem in &stems {
                if rarities.len() < WORDS_MAX && !rarities.contains_key(stem) {
                    let rarity = rarity(searcher, Term::from_field_text(text, stem))?;
                    rarities.insert(stem.clone(), rarity);
                    terms.stems.push((stem.clone(), rarity));
                }
            }
            if let Some(name) = identifier(word)
                && terms.identifiers.iter().all(|(known, _)| *known != name)
            {
                let rarest = stems
                    .iter()
                    .filter_map(|s| rarities.get(s))
                    .copied()
                    .fold(0.0, f32::max);
                terms.identifiers.push((name, rarest));
                if NAME_STEMS.contains(&stems.len()) && terms.phrases.len() < WORDS_MAX {
                    terms.phrases.push(stems);
                }
            }
        }
        terms.clauses = terms.clauses_of(&request.query);
        Ok(terms)
    }

    /// The clauses of a query: between commas and the like, and words that join. A query of one has
    /// none.
    fn clauses_of(&self, query: &str) -> Vec<Vec<usize>> {
        let mut analyzer = schema::analyzer();
        let mut clauses = vec![Vec::new()];
        let parts = query.split(|c: char| ",;:?!()".contains(c));
        for part in parts {
            clauses.push(Vec::new());
            for word in part.split_whitespace() {
                if JOINING_WORDS
                    .split_ascii_whitespace()
                    .any(|joining| joining.eq_ignore_ascii_case(word))
                {
                    clauses.push(Vec::new());
                    continue;
                }
                for stem in stems(&mut analyzer, word) {
                    let place = self.stems.iter().position(|(known, _)| *known == stem);
                    if let (Some(place), Some(clause)) = (place, clauses.last_mut())
                        && !clause.contains(&place)
                    {
                        clause.push(place);
                    }
                }
            }
        }
        clauses.retain(|clause| clause.len() >= CLAUSE_WORDS_MIN);
        if clauses.len() < 2 {
            clauses.clear();
        }
        clauses
    }

    /// Any of the words; the more and the rarer, the better. Where none of what was written is a word,
    /// nothing matches: then it is for the vectors.
    fn query(&self, fields: &Fields) -> Box<dyn Query> {
        if self.is_blank {
            return Box::new(AllQuery);
        }
        if self.stems.is_empty() {
            return Box::new(EmptyQuery);
        }
        let mut clauses: Vec<Box<dyn Query>> = Vec::new();
        for (stem, _) in &self.stems {
            // No further boost for title, path and metadata: they are short, so BM25 weighs them more already.
            for field in [fields.text, fields.title, fields.path, fields.meta] {
                let term = Term::from_field_text(field, stem);
                clauses.push(Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)));
            }
        }
        for phrase in &self.phrases {
            let terms = phrase
                .iter()
                .map(|stem| Term::from_field_text(fields.text, stem));
            let query = Box::new(PhraseQuery::new(terms.collect()));
            clauses.push(Box::new(BoostQuery::new(query, IDENTIFIER_BOOST)));
        }
        Box::new(BooleanQuery::union(clauses))
    }
}

/// The stems of a word. A part name that the corpus does not know is tried in its other spelling:
/// `QD7706` for `QD-7706`, and the other way round.
fn known_spelling(
    searcher: &Searcher,
    text: Field,
    analyzer: &mut TextAnalyzer,
    word: &str,
) -> Result<Vec<String>, Error> {
    let written = stems(analyzer, word);
    let is_name = identifier(word).is_some() && written.len() <= *NAME_STEMS.end();
    if !is_name || known(searcher, text, &written)? {
        return Ok(written);
    }
    let joined: String = word.chars().filter(|c| c.is_alphanumeric()).collect();
    let mut apart = String::with_capacity(joined.len() + 4);
    for c in joined.chars() {
        let letter = apart.chars().next_back().map(char::is_alphabetic);
        if letter.is_some_and(|letter| letter != c.is_alphabetic()) {
            apart.push(' ');
        }
        apart.push(c);
    }
    for spelling in [joined, apart] {
        let other = stems(analyzer, &spelling);
        if known(searcher, text, &other)? {
            return Ok(other);
        }
    }
    Ok(written)
}

/// Whether the corpus has all of these stems.
fn known(searcher: &Searcher, text: Field, stems: &[String]) -> Result<bool, Error> {
    for stem in stems {
        if searcher.doc_freq(&Term::from_field_text(text, stem))? == 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Inverse document frequency, as BM25 has it.
fn rarity(searcher: &Searcher, term: Term) -> Result<f32, Error> {
    let (all, with) = (searcher.num_docs() as f32, searcher.doc_freq(&term)? as f32);
    Ok((1.0 + (all - with).max(0.0) / (with + 0.5)).ln().max(0.1))
}

/// The stems of a text, in order.
pub(crate) fn stems(analyzer: &mut TextAnalyzer, text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    let mut stream = analyzer.token_stream(text);
    stream.process(&mut |token| stems.push(token.text.clone()));
    stems
}

/// The stems that a query is searched for, each once, in order of the alphabet: for a measure beside a search.
pub fn query_stems(query: &str) -> Vec<String> {
    let mut analyzer = super::analyzer();
    let words = query
        .split_whitespace()
        .filter(|word| !stop::is_unsearched(word));
    let mut found: Vec<String> = words.flat_map(|word| stems(&mut analyzer, word)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A word with a digit in it as it is compared: lower case, without hyphens and what surrounds it.
pub(crate) fn identifier(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
    let word = owner.unwrap_or(word);
    let digit = word.contains(|c: char| c.is_ascii_digit());
    digit.then(|| word.to_lowercase().replace('-', ""))
}
