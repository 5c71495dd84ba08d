//! One search: from words to scored candidates.
//!
//! The query is built from tokens by hand; there is no query language, so nothing a user or a model
//! writes can be a syntax error.

use super::Index;
use super::filter::restrictions;
use super::schema::{self, Fields};
use crate::normalise::unify;
use crate::record::ChunkRecord;
use crate::search::{Error, Request};
use std::collections::HashMap;
use tantivy::collector::{Count, TopDocs};
use tantivy::query::{AllQuery, BooleanQuery, BoostQuery, Occur, PhraseQuery, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{Searcher, Term};

/// Weight of an identifier (`AX-1042`) that stands in the text as it is written in the query.
const IDENTIFIER_BOOST: f32 = 2.0;
/// Most different words of one query; what is over it is noise.
const WORDS_MAX: usize = 64;
/// How many words of a query are looked at at all.
const WORDS_READ_MAX: usize = 4 * WORDS_MAX;
/// Most candidates of one search.
const FETCH_MAX: usize = 1_000;
/// Words that say nothing about what is looked for. A query of nothing else is searched as it is.
const STOP_WORDS: &str = "a about all also am an and any are as at be been but by can could did do \
    does for from give had has have how i if in into is it its list many may me more most much my \
    no not of on or our please should show so tell than that the their them then there these they \
    this those to us was we were what when where which who whom whose why will with would you your";

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
}

/// What the index found.
pub(crate) struct Candidates {
    /// Scores and records, best first.
    pub(crate) found: Vec<(f32, ChunkRecord)>,
    /// How many chunks match.
    pub(crate) total: u64,
    /// Fields that no document has.
    pub(crate) unknown_fields: Vec<String>,
    /// What was looked for.
    pub(crate) terms: Terms,
}

impl Index {
    /// The best `fetch_k` chunks of a request, by BM25 over text, title and path.
    pub(crate) fn candidates(&self, request: &Request) -> Result<Candidates, Error> {
        let searcher = self.reader.searcher();
        let terms = Terms::of(request, &searcher, self.fields.text)?;
        let restrictions = restrictions(&searcher, &self.fields, request)?;
        let queries = restrictions.queries.into_iter();
        let mut clauses: Vec<_> = queries.map(|query| (Occur::Must, query)).collect();
        clauses.push((Occur::Must, terms.query(&self.fields)));
        let top = TopDocs::with_limit(request.fetch_k.clamp(1, FETCH_MAX)).order_by_score();
        let (best, total) = searcher.search(&BooleanQuery::new(clauses), &(top, Count))?;
        let found = best
            .into_iter()
            .map(|(score, address)| Ok((score, self.stored(&searcher, address)?)))
            .collect::<Result<_, Error>>()?;
        Ok(Candidates {
            found,
            total: total as u64,
            unknown_fields: restrictions.unknown_fields,
            terms,
        })
    }
}

impl Terms {
    fn of(request: &Request, searcher: &Searcher, text: Field) -> Result<Terms, Error> {
        let mut analyzer = schema::analyzer();
        let asked = unify(&format!("{} {}", request.query, request.keywords.join(" ")));
        let words: Vec<&str> = asked.split_whitespace().take(WORDS_READ_MAX).collect();
        let telling: Vec<&str> = words.iter().copied().filter(|w| !is_stop_word(w)).collect();
        let words = if telling.is_empty() { words } else { telling };

        let mut terms = Terms::default();
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
                if stems.len() > 1 && terms.phrases.len() < WORDS_MAX {
                    terms.phrases.push(stems);
                }
            }
        }
        Ok(terms)
    }

    /// Any of the words; the more and the rarer, the better. Without words everything matches.
    fn query(&self, fields: &Fields) -> Box<dyn Query> {
        if self.stems.is_empty() {
            return Box::new(AllQuery);
        }
        let mut clauses: Vec<Box<dyn Query>> = Vec::new();
        for (stem, _) in &self.stems {
            // No further boost for title and path: they are short, so BM25 weighs them more already.
            for field in [fields.text, fields.title, fields.path] {
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
    if identifier(word).is_none() || known(searcher, text, &written)? {
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

fn is_stop_word(word: &str) -> bool {
    let word = word
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    STOP_WORDS.split_ascii_whitespace().any(|stop| stop == word)
}

/// The stems of a text, in order.
pub(crate) fn stems(analyzer: &mut TextAnalyzer, text: &str) -> Vec<String> {
    let mut stems = Vec::new();
    let mut stream = analyzer.token_stream(text);
    stream.process(&mut |token| stems.push(token.text.clone()));
    stems
}

/// A word with a digit in it as it is compared: lower case, without hyphens and what surrounds it.
pub(crate) fn identifier(word: &str) -> Option<String> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
    let word = owner.unwrap_or(word);
    let digit = word.contains(|c: char| c.is_ascii_digit());
    digit.then(|| word.to_lowercase().replace('-', ""))
}
