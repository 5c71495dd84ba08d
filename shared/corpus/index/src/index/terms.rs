//! Makes the terms of a query: those that are searched for, and those that a chunk is compared with in reranking.
//!
//! The terms are built from tokens. There is no query language, so nothing that a user or a model writes can be a
//! syntax error.

use super::schema::{self, Fields};
use crate::Error;
use envelope::ChunkRecord;
use search::{QueryContext, SearchRequest};
use std::collections::HashMap;
use std::ops::RangeInclusive;
use tantivy::query::{
    AllQuery, BooleanQuery, BoostQuery, EmptyQuery, Occur, PhraseQuery, Query, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Searcher, Term};
use text::{Language, stop, unify};

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
/// The words of a query.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terms {
    /// Stems with their rarity in the corpus, each once, in the order of the query.
    pub(crate) stems: Vec<(String, f32)>,
    /// Stems of the context that the query lacks: they count in the search, with this share of the weight of a stem
    /// of the query. Reranking uses the query alone.
    pub(crate) context: Vec<String>,
    pub(crate) context_weight: f32,
    /// Words with a digit, as [`identifier`] has them, and their rarity: a part number is
    /// rarer than a year.
    pub(crate) identifiers: Vec<(String, f32)>,
    /// The same in stems, where it is more than one.
    pub(crate) phrases: Vec<Vec<String>>,
    /// The clauses of a query that has several, each as places in [`Terms::stems`].
    pub(crate) clauses: Vec<Vec<usize>>,
    /// Whether the query is empty: all chunks that match the filter are wanted.
    pub(crate) is_blank: bool,
}

impl Terms {
    pub(super) fn of(
        request: &SearchRequest,
        searcher: &Searcher,
        text: Field,
    ) -> Result<Terms, Error> {
        let asked = unify(&format!("{} {}", request.query, request.keywords.join(" ")));
        let language = Language::of(&asked);
        let mut analyzer = schema::analyzer_of(language);
        let words = words_of(&asked, language);

        let mut terms = Terms {
            is_blank: words.is_empty(),
            ..Terms::default()
        };
        let mut rarities: HashMap<String, f32> = HashMap::new();
        for word in words {
            let mut stems = known_spelling(searcher, text, &mut analyzer, word)?;
            if !known(searcher, text, &stems)? {
                stems = in_another_language(searcher, text, word, language)?.unwrap_or(stems);
            }
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
        terms.clauses = terms.clauses_of(&request.query, &mut analyzer);
        if let Some(context) = &request.context {
            terms.add(context, &mut analyzer);
        }
        Ok(terms)
    }

    /// Words of the context that the query lacks. A query without a word has none to lean on.
    fn add(&mut self, context: &QueryContext, analyzer: &mut TextAnalyzer) {
        if self.stems.is_empty() {
            return;
        }
        self.context_weight = context.weight;
        let unified = unify(&context.text);
        let words = unified.split_whitespace().take(WORDS_READ_MAX);
        for word in words.filter(|word| !stop::is_unsearched(word)) {
            for stem in stems(analyzer, word) {
                let is_known = self.stems.iter().any(|(known, _)| *known == stem);
                let is_new = !is_known && !self.context.contains(&stem);
                if is_new && self.context.len() < WORDS_MAX {
                    self.context.push(stem);
                }
            }
        }
    }

    /// The clauses of a query: between commas and the like, and words that join. A query of one has
    /// none.
    fn clauses_of(&self, query: &str, analyzer: &mut TextAnalyzer) -> Vec<Vec<usize>> {
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
                for stem in stems(analyzer, word) {
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

    /// A query for any of the words; more words and rarer ones score higher. Where the text contains no word,
    /// nothing matches: such a query is left to the vectors.
    pub(super) fn query(&self, fields: &Fields) -> Box<dyn Query> {
        if self.is_blank {
            return Box::new(AllQuery);
        }
        if self.stems.is_empty() {
            return Box::new(EmptyQuery);
        }
        let mut clauses = each_in(self.stems.iter().map(|(stem, _)| stem), fields);
        clauses.extend(self.phrases_in(fields));
        let query = Box::new(BooleanQuery::union(clauses));
        if self.context.is_empty() {
            return query;
        }
        // What only the context has in common with a chunk does not make it a match.
        let context = BooleanQuery::union(each_in(self.context.iter(), fields));
        let context = BoostQuery::new(Box::new(context), self.context_weight);
        Box::new(BooleanQuery::new(vec![
            (Occur::Must, query),
            (Occur::Should, Box::new(context)),
        ]))
    }
}

impl Terms {
    /// Weighs each word with so much of it as is `left`.
    pub(crate) fn leave(&mut self, left: &[f32]) {
        for ((_, weight), left) in self.stems.iter_mut().zip(left) {
            *weight *= left;
        }
    }

    /// A query for any of the words in the text alone, of each of which so much is `left`.
    pub(super) fn query_of_texts(&self, fields: &Fields, left: &[f32]) -> Box<dyn Query> {
        let words = self.stems.iter().zip(left).map(|((stem, _), left)| {
            let term = Term::from_field_text(fields.text, stem);
            let query = Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs));
            Box::new(BoostQuery::new(query, *left)) as Box<dyn Query>
        });
        Box::new(BooleanQuery::union(
            words.chain(self.phrases_in(fields)).collect(),
        ))
    }

    fn phrases_in(&self, fields: &Fields) -> impl Iterator<Item = Box<dyn Query>> {
        self.phrases.iter().map(|phrase| {
            let stems = phrase.iter();
            let terms = stems.map(|stem| Term::from_field_text(fields.text, stem));
            let query = Box::new(PhraseQuery::new(terms.collect()));
            Box::new(BoostQuery::new(query, IDENTIFIER_BOOST)) as Box<dyn Query>
        })
    }
}

/// Each word in each field. No further boost for title, path and metadata: they are short, so BM25 weighs
/// them more already.
fn each_in<'a>(stems: impl Iterator<Item = &'a String>, fields: &Fields) -> Vec<Box<dyn Query>> {
    let mut clauses: Vec<Box<dyn Query>> = Vec::new();
    for stem in stems {
        for field in [fields.text, fields.title, fields.path, fields.meta] {
            let term = Term::from_field_text(field, stem);
            clauses.push(Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs)));
        }
    }
    clauses
}

/// The words of a query that are searched for; all of them where none is.
fn words_of(query: &str, language: Language) -> Vec<&str> {
    let words = query.split_whitespace();
    if language == Language::English {
        let words: Vec<&str> = words.take(WORDS_READ_MAX).collect();
        let is_telling = |word: &&str| !stop::is_unsearched(word);
        let telling: Vec<&str> = words.iter().copied().filter(is_telling).collect();
        return if telling.is_empty() { words } else { telling };
    }
    // Codes stay whole, everything else falls into the words that the index has.
    let words = words.flat_map(text::words::by_script).flat_map(|word| {
        let whole = identifier(word).map(|_| word);
        let runs = whole.is_none().then(|| text::words::runs(word));
        whole.into_iter().chain(runs.into_iter().flatten())
    });
    let words: Vec<&str> = words.take(WORDS_READ_MAX).collect();
    // An acronym is no word of grammar: `AI` is French only in small letters.
    let is_acronym = |word: &str| word.bytes().all(|b| b.is_ascii_uppercase());
    let is_telling = |word: &&str| is_acronym(word) || !language.is_stop(&word.to_lowercase());
    let telling: Vec<&str> = words.iter().copied().filter(is_telling).collect();
    if telling.is_empty() { words } else { telling }
}

/// The stems of a word that the corpus does not know in the language of the query, in one in which it does: a name that
/// is asked for in English stands in a German text, as a form of its own or inside of a longer word.
fn in_another_language(
    searcher: &Searcher,
    text: Field,
    word: &str,
    language: Language,
) -> Result<Option<Vec<String>>, Error> {
    for &other in Language::ALL.iter().filter(|other| **other != language) {
        let found = stems(&mut schema::analyzer_of(other), word);
        let kept: usize = found.iter().map(|stem| stem.chars().count()).sum();
        // Short stems of long words are other words: `Larsen` and `Lars`.
        let letters = word.chars().filter(|c| c.is_alphanumeric()).count();
        let is_near = kept * 4 >= letters * 3;
        if !found.is_empty() && is_near && known(searcher, text, &found)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
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

/// The stems of a text that stands beside the text of a chunk: those of English, and those of its language.
pub(crate) fn name_stems(record: &ChunkRecord, text: &str) -> Vec<String> {
    let mut found = stems(&mut schema::analyzer(), text);
    let language = Language::of(&record.text);
    if language != Language::English {
        found.extend(stems(&mut schema::analyzer_of(language), text));
    }
    found
}

/// The stems that a query is searched for, each once, in alphabetical order: for measurements outside of a search.
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
