//! Finds the column that a few words mean: by its name, then by its synonyms in the schema, then by its description, then
//! by words that stand for one another in English.

use crate::dictionary::described::{self, Synonym};
use crate::dictionary::{ColumnId, ColumnKind, Dictionary, KnownColumn};
use crate::kindred::Kin;
use crate::likeness::WordLikeness;
use std::collections::HashSet;

/// The scores of a fit: the words are the whole name of the column; they are a part of the name; name and description
/// together have all of them; all of them are related to words of the name.
const WHOLE: usize = 100;
const PART: usize = 50;
/// The scores if the words are a whole synonym of the schema, the same with other endings, or a part of a synonym.
const SYNONYM: usize = 90;
const SYNONYM_LIKE: usize = 80;
const SYNONYM_PART: usize = 40;
/// The score if the words are a whole label of the documents.
const LABEL: usize = 45;
/// More words of a synonym than so many count no more, so that a part of one stays below a label.
const PART_WORDS_MAX: usize = 4;
const DESCRIBED: usize = 20;
const KINDRED: usize = 10;
/// The score if all words are related to words of the description.
const KINDRED_DESCRIBED: usize = 7;
/// The score of a noun for what the column holds.
const ROLE: usize = 6;
/// The score of a name or description that is similar in meaning alone.
pub(super) const LIKE: usize = 5;
/// The least similarity of words and a column, and the least distance to the next column. Both were read off pairs of
/// words and not fitted to a test set.
const LIKE_MIN: f32 = 0.30;
const LIKE_MARGIN: f32 = 0.08;

/// Short forms in names of columns, with the full words.
const SHORT: [(&str, &str); 6] = [
    ("max", "maximum"),
    ("min", "minimum"),
    ("avg", "average"),
    ("qty", "quantity"),
    ("amt", "amount"),
    ("no", "number"),
];

/// The least score for words that name a column and do not only describe it.
pub(super) const NAMED_MIN: usize = PART;

/// The columns that some words fit best.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) score: usize,
    /// The columns that fit equally well, in the order of the schema.
    pub(super) columns: Vec<ColumnId>,
}

struct SaidWords<'a> {
    words: &'a [&'a str],
    kin: Vec<Kin>,
    key: String,
}

impl Fit {
    /// Whether words of the column's own name are said, and not a synonym.
    pub(super) fn is_named(&self) -> bool {
        self.score == WHOLE || (PART..SYNONYM_LIKE).contains(&self.score)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.score == WHOLE
    }

    pub(super) fn is_synonym(&self) -> bool {
        (SYNONYM_LIKE..=SYNONYM).contains(&self.score)
    }
}

/// The columns of a bucket that `words` fit best, of those that `is_of_kind` accepts; `None` if the words fit none.
pub(super) fn best(
    dictionary: &Dictionary,
    bucket: Option<&str>,
    words: &[&str],
    is_of_kind: impl Fn(&KnownColumn) -> bool,
) -> Option<Fit> {
    let said = SaidWords {
        words,
        kin: words.iter().map(|word| Kin::of(word)).collect(),
        key: described::key(&words.concat()),
    };
    let columns = dictionary.columns(bucket);
    let columns = columns.filter(|(_, column)| !column.is_named() && is_of_kind(column));
    let scored = columns.map(|(id, column)| (score(column, &said), id));
    let scored: Vec<(usize, ColumnId)> = scored.filter(|(score, _)| *score > 0).collect();
    let score = scored.iter().map(|(score, _)| *score).max()?;
    let mut best = scored;
    best.retain(|(known, _)| *known == score);
    // A field that several buckets have counts as one column here.
    let mut fields = HashSet::new();
    best.retain(|(_, id)| fields.insert(&dictionary.column(*id).field));
    let columns = best.into_iter().map(|(_, id)| id).collect();
    Some(Fit { score, columns })
}

/// The column of a bucket that words are most similar to in meaning, of those that `is_of_kind` accepts. The name or
/// the description counts, whichever is more similar. The result is `None` if no column is similar, or two are about
/// equally so.
pub(super) fn nearest(
    dictionary: &Dictionary,
    bucket: Option<&str>,
    said: &str,
    likeness: &dyn WordLikeness,
    is_of_kind: impl Fn(&KnownColumn) -> bool,
) -> Option<Fit> {
    let columns = dictionary.columns(bucket);
    let columns = columns.filter(|(_, column)| !column.is_named() && is_of_kind(column));
    let near = |column: &KnownColumn| {
        let called = likeness.likeness(said, &column.words.join(" "));
        // Synonyms count only when they are said: a word that is near one of them is near those of other columns, too.
        match column.said.description.is_empty() {
            true => called,
            false => called.max(likeness.likeness(said, &column.said.description)),
        }
    };
    let mut near: Vec<(f32, ColumnId)> = columns.map(|(id, column)| (near(column), id)).collect();
    near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let (best, id) = *near.first()?;
    let field = &dictionary.column(id).field;
    let mut others = near.iter().skip(1);
    let other = others.find(|(_, other)| dictionary.column(*other).field != *field);
    let margin = other.map_or(best, |(other, _)| best - other);
    (best >= LIKE_MIN && margin >= LIKE_MARGIN).then(|| Fit {
        score: LIKE,
        columns: vec![id],
    })
}

fn score(column: &KnownColumn, said: &SaidWords<'_>) -> usize {
    let words = said.words;
    if words.is_empty() {
        return 0;
    }
    let is_among = |word: &str, known: &[String]| known.iter().any(|known| is_same(word, known));
    let is_in_name = |word: &&&str| is_among(word, &column.words);
    let named = words.iter().filter(is_in_name).count();
    let is_said = |known: &String| words.iter().any(|word| is_same(word, known));
    let is_all_named = named == words.len();
    if is_all_named && words.len() == column.words.len() && column.words.iter().all(is_said) {
        return WHOLE;
    }
    if let Some(score) = synonym_score(column, said) {
        return score;
    }
    if is_all_named {
        return PART + named;
    }
    if column.said.labels.contains(&said.key) {
        return LABEL;
    }
    if let Some(score) = part_of_synonym(column, said) {
        return score;
    }
    let description = &column.said.description_words;
    let is_described = |word: &&str| is_in_name(&word) || is_among(word, description);
    if words.iter().all(is_described) {
        // The last word of `agreement currency` says what the column holds.
        let is_head = words.last().is_some_and(|last| is_in_name(&last));
        return DESCRIBED + 5 * named + words.len() + usize::from(is_head);
    }
    let is_related = |known: &[Kin]| {
        let is_kin = |word: &Kin| {
            let mut known = known.iter();
            known.any(|known| word.stands_for(known) || word.is_like(known))
        };
        said.kin.iter().all(is_kin)
    };
    if is_related(&column.kin) {
        let is_like = |word: &&Kin| column.kin.iter().any(|known| word.is_like(known));
        return KINDRED + named + said.kin.iter().filter(is_like).count();
    }
    match column.kind() {
        // Their descriptions are short: `issuance date`.
        ColumnKind::Day if is_related(&column.said.described_by) => KINDRED_DESCRIBED,
        ColumnKind::Text => role_score(column, said),
        _ => 0,
    }
}

/// The score of a single noun that stands for what a column of texts holds: `seller`, where its name or the beginning of its
/// description says `vendor`.
fn role_score(column: &KnownColumn, said: &SaidWords<'_>) -> usize {
    let [noun] = &said.kin[..] else {
        return 0;
    };
    let mut known = column.kin.iter().chain(&column.said.head);
    match known.any(|known| noun.plays_role_of(known)) {
        true => ROLE,
        false => 0,
    }
}

/// The score of words that are a whole synonym in the schema, if they are one.
fn synonym_score(column: &KnownColumn, said: &SaidWords<'_>) -> Option<usize> {
    let mut synonyms = column.said.synonyms.iter();
    if synonyms.clone().any(|synonym| synonym.key == said.key) {
        return Some(SYNONYM);
    }
    let is_form = |synonym: &Synonym| {
        let mut pairs = synonym.words.iter().zip(&said.kin);
        synonym.words.len() == said.kin.len() && pairs.all(|(known, word)| known.is_form_of(word))
    };
    synonyms.any(is_form).then_some(SYNONYM_LIKE)
}

/// The score of words that all stand in one synonym or in the column's name, if they do.
fn part_of_synonym(column: &KnownColumn, said: &SaidWords<'_>) -> Option<usize> {
    let is_telling =
        |(word, kin): (&&str, &Kin)| !text::stop::is_content_free(word) && kin.is_telling();
    if !said.words.iter().zip(&said.kin).all(is_telling) {
        return None;
    }
    let is_of = |synonym: &Synonym| {
        said.words.iter().zip(&said.kin).all(|(word, kin)| {
            synonym.words.iter().any(|known| known.is_form_of(kin))
                || column.words.iter().any(|known| is_same(word, known))
        })
    };
    let is_any = column.said.synonyms.iter().any(is_of);
    is_any.then_some(SYNONYM_PART + said.words.len().min(PART_WORDS_MAX))
}

/// Whether two words are the same apart from number and short form.
fn is_same(word: &str, known: &str) -> bool {
    let is_short = |(short, long): &(&str, &str)| {
        (word, known) == (*short, *long) || (known, word) == (*short, *long)
    };
    if word == known || SHORT.iter().any(is_short) {
        return true;
    }
    // Words of one key have one first letter. Most words do not have it, so that keys are made for few of them.
    let first = |word: &str| word.bytes().next().filter(u8::is_ascii_alphanumeric);
    let may_be = match (first(word), first(known)) {
        (Some(one), Some(other)) => one.eq_ignore_ascii_case(&other),
        _ => true,
    };
    may_be && described::key(word) == described::key(known)
}

pub(super) fn is_number(column: &KnownColumn) -> bool {
    column.kind() == ColumnKind::Number
}

pub(super) fn is_day(column: &KnownColumn) -> bool {
    matches!(column.kind(), ColumnKind::Day | ColumnKind::Year)
}
