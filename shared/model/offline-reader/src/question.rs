//! Reads what a question asks for, and what a text has to mention to be an answer.

use super::cues::Wants;
use super::lexicon::Lexicon;
use super::vocabulary::{is_asking, is_bound, is_comparison, is_generic, is_labelled, is_led_by};
use text::{Language, words};

/// How much a term says about which passage is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A part, invoice or standard number.
    Identifier,
    /// A year or another number.
    Number,
    /// A name, told by its capital.
    Name,
    /// Any other word.
    Plain,
    /// A word with its number or letter, `line 3`: a passage about line 4 is about another one.
    Label,
    /// A word that says what kind of answer is wanted, and is often not in it.
    Generic,
}

/// One term of a question.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Term {
    /// As written, without punctuation around it.
    pub(super) text: String,
    /// As compared.
    pub(super) key: String,
    pub(super) kind: Kind,
    /// The language of the question.
    pub(super) language: Language,
    /// How many pairs of characters its word has, where words are cut into pairs; else 0.
    pub(super) pairs: usize,
    /// Which run of neighbouring names it belongs to: `Harbour Light Ltd` is one.
    pub(super) run: usize,
}

impl Term {
    /// How much it counts.
    pub(super) fn weight(&self) -> f32 {
        match self.kind {
            Kind::Identifier => 3.0,
            Kind::Number | Kind::Name | Kind::Label => 1.5,
            Kind::Plain if self.pairs > 1 => (self.pairs as f32).sqrt().recip(),
            Kind::Plain if self.key.len() >= 7 => 1.2,
            Kind::Plain => 1.0,
            Kind::Generic => 0.3,
        }
    }

    /// Whether a passage has to mention it, alone or with its run.
    pub(super) fn is_specific(&self) -> bool {
        matches!(self.kind, Kind::Identifier | Kind::Name) || self.is_year()
    }

    /// Whether it is a year.
    pub(super) fn is_year(&self) -> bool {
        self.kind == Kind::Number && is_year(&self.key)
    }
}

/// A question, read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Question {
    pub(super) terms: Vec<Term>,
    pub(super) wants: Wants,
    /// Whether it holds two or more things against each other.
    pub(super) compares: bool,
}

/// From how many words on, above this, a later clause stands for itself.
const OWN_WORDS: usize = 2;

impl Question {
    /// Reads a question as a whole.
    pub(super) fn read(lexicon: &Lexicon, text: &str) -> Question {
        let language = Language::of(text);
        let titled = language.has_capital_nouns() || is_title_case(text);
        let mut terms: Vec<Term> = Vec::new();
        let mut run = 0;
        for (at, token) in tokens(text).into_iter().enumerate() {
            let mut named = false;
            for (part, pairs) in parts(&token.text, language) {
                let kind = || kind_of(part, language, at == 0 || titled);
                let Some(kind) = token.kind.or_else(kind) else {
                    continue;
                };
                named = kind == Kind::Name;
                run += usize::from(!named || token.opens);
                let key = match kind {
                    Kind::Identifier | Kind::Number | Kind::Label => squash(part),
                    _ => lexicon.key(part, language),
                };
                if !terms.iter().any(|term| term.key == key) {
                    let text = part.to_owned();
                    terms.push(Term {
                        text,
                        key,
                        kind,
                        language,
                        pairs,
                        run,
                    });
                }
            }
            run += usize::from(!named || token.closes);
        }
        let lower = text.to_lowercase();
        Question {
            wants: Wants::read(lexicon, &lower, language),
            compares: compares(&lower, &terms),
            terms,
        }
    }

    /// The questions that are asked in one: "what is …, and who …?" is two. A later one that says
    /// little itself is about what the first one names.
    pub(super) fn parts(lexicon: &Lexicon, text: &str) -> Vec<Question> {
        let mut parts: Vec<Question> = clauses(text)
            .into_iter()
            .map(|clause| Question::read(lexicon, clause))
            .collect();
        let Some((first, later)) = parts.split_first_mut() else {
            return parts;
        };
        let names = |t: &Term| t.kind == Kind::Name;
        let of_names = first.terms.iter().any(names);
        for part in later {
            let telling = part.terms.iter().filter(|t| t.kind == Kind::Plain).count();
            if telling > OWN_WORDS || part.terms.iter().any(Term::is_specific) {
                continue;
            }
            let inherited = first
                .terms
                .iter()
                .filter(|t| t.is_specific() && (names(t) || !of_names));
            part.terms.extend(inherited.cloned());
        }
        parts
    }
}

/// A piece of a question between white space, or several that belong together.
struct Token {
    text: String,
    /// What it is, when that is not to be told from the text alone.
    kind: Option<Kind>,
    /// Whether punctuation stands before it.
    opens: bool,
    /// Whether punctuation stands after it.
    closes: bool,
}

fn tokens(text: &str) -> Vec<Token> {
    let raw = text.split_whitespace().flat_map(words::by_script);
    let raw: Vec<&str> = raw.collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        let (kind, count) = joined(&raw[at..]);
        let group = &raw[at..at + count];
        let words: Vec<&str> = group.iter().map(|token| bare(token)).collect();
        let closing = |c: char| matches!(c, ',' | ';' | ':' | '?' | '.' | '"' | ')');
        tokens.push(Token {
            text: words.join(" "),
            kind,
            opens: raw[at].starts_with(|c: char| !c.is_alphanumeric()),
            closes: group[count - 1].ends_with(closing),
        });
        at += count;
    }
    tokens
}

/// How many of the next tokens are one term: `ISO 9001`, `TP 120 X`, `serial number 40781`, `line 3`.
pub(super) fn joined(next: &[&str]) -> (Option<Kind>, usize) {
    let open = |at: usize| {
        at == 0
            || next
                .get(at - 1)
                .is_some_and(|t| !t.ends_with([',', ';', '?']))
    };
    let word = |at: usize| next.get(at).filter(|_| open(at)).map_or("", |t| bare(t));
    let (first, second, third) = (word(0), word(1), word(2));
    let lower = first.to_lowercase();
    let digits = |w: &str| w.len() >= 3 && w.bytes().all(|b| b.is_ascii_digit());
    let capital = |w: &str| w.len() == 1 && w.chars().all(char::is_uppercase);
    let small = |w: &str| w.len() <= 3 && w.contains(|c: char| c.is_ascii_digit()) || capital(w);
    let code = is_acronym(first) && !CURRENCIES.contains(&first);
    if code && (digits(second) || is_code(second)) {
        let suffixed = capital(third) && third != "I" && third != "A";
        return (Some(Kind::Identifier), 2 + usize::from(suffixed));
    }
    if is_bound(&lower) && is_year(second) {
        return (Some(Kind::Generic), 2);
    }
    if is_labelled(&lower) && small(second) {
        return (Some(Kind::Label), 2);
    }
    (None, 1)
}

const CURRENCIES: [&str; 4] = ["CHF", "EUR", "GBP", "USD"];

fn is_acronym(word: &str) -> bool {
    word.len() >= 2 && word.chars().all(char::is_uppercase)
}

/// A letter and a digit in one word.
fn is_code(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) && word.contains(char::is_alphabetic)
}

/// A question at its "and how", "and what" and the like.
pub(super) fn clauses(text: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut from = 0;
    for (at, and) in text.match_indices(" and ") {
        let rest = &text[at + and.len()..];
        let mut words = rest.split_whitespace().map(str::to_lowercase);
        let next = words.next().unwrap_or_default();
        let then = words.next().unwrap_or_default();
        let starts = is_asking(&next) && (!is_led_by(&next) || is_asking(&then));
        let long = text[from..at].split_whitespace().count() >= 3;
        if starts && long && rest.split_whitespace().count() >= 2 {
            clauses.push(&text[from..at]);
            from = at + and.len();
        }
    }
    clauses.push(&text[from..]);
    clauses
}

/// A token without the punctuation around it and without a possessive.
pub(super) fn bare(token: &str) -> &str {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    token
        .strip_suffix("'s")
        .or_else(|| token.strip_suffix("’s"))
        .unwrap_or(token)
}

/// A token with digits stays whole; others fall apart at hyphens and slashes, and where a script has no blanks into pairs
/// of characters, of which each is told with the number of those of its word.
fn parts(token: &str, language: Language) -> Vec<(&str, usize)> {
    if token.contains(|c: char| c.is_ascii_digit()) || token.contains(' ') {
        return vec![(token, 0)];
    }
    // What stands between characters of grammar may be a single one.
    let grammar = |c: char| words::is_unspaced(c) && language.is_stop(c.encode_utf8(&mut [0; 4]));
    let words = token.split(grammar).flat_map(|word| {
        let pairs: Vec<&str> = words::runs(word).collect();
        let count = if word.contains(words::is_cut) {
            pairs.len()
        } else {
            0
        };
        pairs.into_iter().map(move |pair| (pair, count))
    });
    words.collect()
}

pub(super) fn kind_of(part: &str, language: Language, capital_means_nothing: bool) -> Option<Kind> {
    let lower = part.to_lowercase();
    if part.is_empty() || language.is_stop(&lower) {
        return None;
    }
    if part.contains(|c: char| c.is_ascii_digit()) {
        return Some(match is_identifier(part) {
            true => Kind::Identifier,
            false => Kind::Number,
        });
    }
    let capital = part.starts_with(char::is_uppercase);
    let acronym = is_acronym(part);
    Some(match () {
        () if part.chars().count() == 1 && !part.contains(words::is_unspaced) => Kind::Generic,
        () if is_generic(&lower) => Kind::Generic,
        () if capital && !acronym && !capital_means_nothing => Kind::Name,
        () => Kind::Plain,
    })
}

/// A letter and a digit in one token, and neither an amount with its unit nor an ordinal.
fn is_identifier(part: &str) -> bool {
    let letters = part.chars().filter(|c| c.is_alphabetic()).count();
    let starts_with_digit = part.starts_with(|c: char| c.is_ascii_digit());
    let unit = starts_with_digit && letters <= 3 && !part.contains(['-', '/']);
    let dashed = part.contains('-') && part.len() >= 7 && !is_date(part);
    let long = letters == 0 && part.len() >= 5 && part.bytes().all(|b| b.is_ascii_digit());
    (letters > 0 && !unit) || dashed || long
}

fn is_date(part: &str) -> bool {
    let mut numbers = part.split(['-', '/', '.']);
    numbers.clone().count() == 3 && numbers.all(|n| n.len() <= 4 && n.parse::<u16>().is_ok())
}

/// Whether a token is a year that documents speak of.
pub(super) fn is_year(token: &str) -> bool {
    token.len() == 4
        && token
            .parse::<u16>()
            .is_ok_and(|y| (1800..2200).contains(&y))
}

/// Letters and digits only, lower case: `INV-2041` and `inv 2041` are one.
pub(super) fn squash(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// Most words have capitals, so a capital tells nothing.
fn is_title_case(text: &str) -> bool {
    let (capital, small) = words::runs(text)
        .filter(|run| run.len() > 3)
        .partition::<Vec<_>, _>(|run| run.starts_with(char::is_uppercase));
    capital.len() >= 4 && capital.len() > 2 * small.len()
}

/// Whether two or more things are held against each other: it says so, or it names two years, or
/// two versions.
fn compares(lower: &str, terms: &[Term]) -> bool {
    let runs: Vec<&str> = words::runs(lower).collect();
    let has = |word: &str| runs.contains(&word);
    let many = |of: &dyn Fn(&&Term) -> bool| terms.iter().filter(of).count() >= 2;
    runs.iter().any(|run| is_comparison(run))
        || (lower.starts_with("which") && has("or"))
        || (has("before") && has("after"))
        || many(&|t| t.is_year())
        || many(&|t| t.kind == Kind::Label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<(String, Kind)> {
        let question = Question::read(&Lexicon::new(), text);
        question
            .terms
            .into_iter()
            .map(|t| (t.text, t.kind))
            .collect()
    }

    fn of(text: &str, kind: Kind) -> Vec<String> {
        let of_kind = terms(text).into_iter().filter(|(_, k)| *k == kind);
        of_kind.map(|(text, _)| text).collect()
    }

    #[test]
    fn tells_identifiers_numbers_and_names() {
        let text = "What is the total of invoice INV-2041 from Harbour Light in 2024 for 5kg?";
        assert_eq!(of(text, Kind::Identifier), ["INV-2041"]);
        assert_eq!(of(text, Kind::Number), ["2024", "5kg"]);
        assert_eq!(of(text, Kind::Name), ["Harbour", "Light"]);
        assert_eq!(of(text, Kind::Plain), ["total", "invoice"]);
        assert_eq!(of("Is BC547B's maker known?", Kind::Identifier), ["BC547B"]);
    }

    #[test]
    fn neighbouring_names_are_one_run() {
        let question = Question::read(&Lexicon::new(), "Did Ada Byron meet Karl, Emil and Zoe?");
        let runs: Vec<usize> = question
            .terms
            .iter()
            .filter(|t| t.kind == Kind::Name)
            .map(|t| t.run)
            .collect();
        assert_eq!(runs[0], runs[1]);
        assert!(runs[1] < runs[2] && runs[2] < runs[3], "{runs:?}");
    }

    #[test]
    fn a_capital_in_a_title_is_no_name() {
        assert!(of("What Is The Maximum Collector Voltage Rating", Kind::Name).is_empty());
    }

    #[test]
    fn words_that_belong_together_are_one_term() {
        let text = "Does the TP 120 X of line 3 meet ISO 9001 for EUR 800 in range C?";
        assert_eq!(of(text, Kind::Identifier), ["TP 120 X", "ISO 9001"]);
        assert_eq!(of(text, Kind::Label), ["line 3", "range C"]);
        assert_eq!(
            of("Was serial number 40781 adjusted?", Kind::Identifier),
            ["40781"]
        );
    }

    #[test]
    fn two_questions_in_one() {
        let lexicon = Lexicon::new();
        let text = "What did Acme bill in May, and within how many days is it due?";
        let parts = Question::parts(&lexicon, text);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[1].wants, Wants::Duration);
        assert!(parts[1].terms.iter().any(|t| t.text == "Acme"));
        let one = "Who signed for Acme and by whom was it seen and for Bolt and Sons?";
        assert_eq!(Question::parts(&lexicon, one).len(), 2);
        assert_eq!(Question::parts(&lexicon, "").len(), 1);
    }

    #[test]
    fn comparisons() {
        let compares = |text| Question::read(&Lexicon::new(), text).compares;
        assert!(compares("Which is cheaper, A or B?"));
        assert!(compares("Compare the two"));
        assert!(!compares("When does it end?"));
    }
}
