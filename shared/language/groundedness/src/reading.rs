//! Reads texts as sentences, tokens and values. *Not* a grammar.

use crate::values::{self, Value};
use crate::vocabulary::{Vocabulary, Word};
use std::ops::Range;
use std::rc::Rc;
use text::sentences::cited;

/// Most tokens of one sentence of a passage: what is longer is no prose, and is cut.
const SENTENCE_TOKENS_MAX: usize = 60;

/// Words that begin another clause behind a comma.
const JOINS: [&str; 5] = ["and", "but", "while", "whereas", "so"];
/// Fewest words of a clause that stands for itself; fewer are part of a list.
const CLAUSE_WORDS_MIN: usize = 3;

/// A run of letters and digits.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    /// Where it stands, in bytes of the text.
    pub(crate) at: Range<usize>,
    pub(crate) word: Rc<Word>,
    /// Whether it begins with a capital letter.
    pub(crate) is_capital: bool,
    /// Whether a sentence begins with it, where a capital says nothing.
    pub(crate) is_first: bool,
    /// Whether a comma or another mark parts it from the token before.
    pub(crate) is_parted: bool,
    /// Whether it is inside quotation marks.
    pub(crate) is_quoted: bool,
    /// Whether it is part of a value.
    pub(crate) is_value: bool,
}

/// A sentence with its tokens.
#[derive(Debug, Clone)]
pub(crate) struct Sentence {
    /// Where it stands, in bytes of the text.
    pub(crate) at: Range<usize>,
    pub(crate) tokens: Vec<Token>,
    pub(crate) values: Vec<Value>,
}

impl Sentence {
    /// Reads the part `at` of `text` as one sentence.
    pub(crate) fn read(text: &str, at: Range<usize>, vocabulary: &mut Vocabulary) -> Sentence {
        let mut tokens = tokens(text, at.clone(), vocabulary);
        let values = values::read(text, &tokens);
        for at in values.iter().flat_map(|value| value.tokens.clone()) {
            tokens[at].is_value = true;
        }
        Sentence { at, tokens, values }
    }

    /// The clause that tokens stand in: two sentences that a comma and an `and` made one are about two things.
    pub(crate) fn clause(&self, of: &Range<usize>) -> Range<usize> {
        let begins = |at: &usize| {
            let token = &self.tokens[*at];
            token.is_parted && JOINS.contains(&&*token.word.lower)
        };
        let start = (1..=of.start).rev().find(begins).unwrap_or(0);
        let end = (of.end..self.tokens.len()).find(begins);
        let clause = start..end.unwrap_or(self.tokens.len());
        let is_content = |token: &&Token| token.is_value || token.word.is_content();
        let said = self.tokens[clause.clone()].iter().filter(is_content);
        match said.count() {
            0..CLAUSE_WORDS_MIN => 0..self.tokens.len(),
            _ => clause,
        }
    }

    /// The words that say something of their own and are part of no value.
    pub(crate) fn content(&self) -> impl Iterator<Item = &Token> {
        let tokens = self.tokens.iter();
        tokens.filter(|token| token.word.is_content() && !token.is_value)
    }
}

/// The sentences of a passage. Lines that belong together are read as one; what is too long for a sentence is cut.
pub(crate) fn passage(text: &str, vocabulary: &mut Vocabulary) -> Vec<Sentence> {
    let flowing = flowing(text);
    let mut sentences = Vec::new();
    for at in cited::spans(&flowing) {
        let sentence = Sentence::read(text, at, vocabulary);
        for token in &sentence.tokens {
            vocabulary.see(&token.word, token.is_capital, token.is_first);
        }
        match sentence.tokens.len() <= SENTENCE_TOKENS_MAX {
            true => sentences.push(sentence),
            false => sentences.extend(cut(&sentence)),
        }
    }
    sentences
}

/// `text` with a blank for each line break inside a paragraph, so that places stay what they are.
fn flowing(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let body = line.trim_end_matches('\n');
        out.push_str(body);
        let Some(next) = lines.peek() else {
            out.push_str(&line[body.len()..]);
            break;
        };
        let goes_on = !body.trim().is_empty() && !begins_anew(next) && !is_row(body);
        out.push(if goes_on { ' ' } else { '\n' });
    }
    out
}

/// Whether a line cannot go on with the sentence of the line before.
fn begins_anew(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_item =
        number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") "));
    line.is_empty() || line.starts_with(['#', '|', '*', '•', '-', '–']) || is_item || is_row(line)
}

/// A row of a table, or a heading.
fn is_row(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(['|', '#']) || line.contains("   ")
}

/// A sentence in parts of which none is too long.
fn cut(sentence: &Sentence) -> Vec<Sentence> {
    let mut parts = Vec::new();
    let mut from = 0;
    while from < sentence.tokens.len() {
        let mut to = (from + SENTENCE_TOKENS_MAX).min(sentence.tokens.len());
        let is_inside = |at: usize| {
            let mut values = sentence.values.iter();
            values.any(|value| value.tokens.start < at && at < value.tokens.end)
        };
        while to < sentence.tokens.len() && to > from + 1 && is_inside(to) {
            to -= 1;
        }
        let tokens = sentence.tokens[from..to].to_vec();
        let is_in = |value: &&Value| from <= value.tokens.start && value.tokens.end <= to;
        let values = sentence.values.iter().filter(is_in).map(|value| Value {
            tokens: value.tokens.start - from..value.tokens.end - from,
            ..value.clone()
        });
        parts.push(Sentence {
            at: tokens[0].at.start..tokens[tokens.len() - 1].at.end,
            values: values.collect(),
            tokens,
        });
        from = to;
    }
    parts
}

/// The tokens of the part `at` of `text`.
fn tokens(text: &str, at: Range<usize>, vocabulary: &mut Vocabulary) -> Vec<Token> {
    // A word and a blank are seldom shorter than this.
    let mut tokens: Vec<Token> = Vec::with_capacity(at.len() / 5);
    let mut is_quoted = false;
    let mut end = at.start;
    let mut runs = runs(text, at).peekable();
    while let Some(mut run) = runs.next() {
        // `doesn't`, `U.S.` and a word torn by the end of a line are one word.
        while let Some(next) = runs.peek() {
            let between = &text[run.end..next.start];
            if !joins(&text[run.clone()], between, &text[next.clone()]) {
                break;
            }
            run.end = next.end;
            runs.next();
        }
        let gap = &text[end..run.start];
        // Mostly one blank.
        let is_marked = gap != " ";
        for c in gap.chars().filter(|_| is_marked) {
            match c {
                '"' => is_quoted = !is_quoted,
                '“' => is_quoted = true,
                '”' => is_quoted = false,
                _ => {}
            }
        }
        let written = &text[run.clone()];
        let bare = owned(written);
        let is_first = tokens.is_empty();
        tokens.push(Token {
            word: vocabulary.word(bare),
            is_capital: bare.starts_with(char::is_uppercase),
            is_first,
            is_parted: !is_first && is_marked && gap.contains([',', ';', ':', '(', ')', '—', '–']),
            is_quoted,
            is_value: false,
            at: run.clone(),
        });
        end = run.end;
    }
    tokens
}

/// A word without a possessive ending or a contracted verb: `party's`, `they've`.
fn owned(run: &str) -> &str {
    let Some(at) = run.rfind(['\'', '’']) else {
        return run;
    };
    let tail = run[at..].trim_start_matches(['\'', '’']);
    match matches!(tail, "s" | "S" | "re" | "ve" | "ll" | "d" | "m") {
        true => &run[..at],
        false => run,
    }
}

/// Whether two runs with `between` them are one word.
fn joins(first: &str, between: &str, second: &str) -> bool {
    let is_letters = |run: &str| run.chars().all(|c| !c.is_ascii_digit());
    match between {
        "'" | "’" => is_letters(first) && is_letters(second),
        "." => first.len() == 1 && second.len() == 1 && is_letters(first) && is_letters(second),
        "\u{ad}" => true,
        _ => {
            let tail = between.strip_prefix('-');
            tail.is_some_and(|tail| tail.contains('\n') && tail.trim().is_empty())
                && second.starts_with(char::is_lowercase)
        }
    }
}

/// The runs of letters and digits of a part of a text, by place. `OutdoorSeating` is two where the text is an object
/// with keys, as far as its beginning tells.
fn runs(text: &str, at: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let has_keys = text.trim_start().starts_with(['{', '[']);
    let mut from = at.start;
    std::iter::from_fn(move || {
        let start = from + text[from..at.end].find(char::is_alphanumeric)?;
        let run = &text[start..at.end];
        let length = run.find(|c: char| !c.is_alphanumeric());
        let length = length.unwrap_or(run.len());
        let length = if has_keys {
            humped(&run[..length])
        } else {
            length
        };
        from = start + length;
        Some(start..from)
    })
}

/// The length of the first word of a key.
fn humped(run: &str) -> usize {
    let following = run.char_indices().skip(1);
    let mut pairs = run.chars().zip(following);
    let end = pairs.find(|(c, (_, next))| c.is_lowercase() && next.is_uppercase());
    end.map_or(run.len(), |(_, (at, _))| at)
}
