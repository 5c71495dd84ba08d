//! What a question asks for, and what an answer must mention to be one.

use super::cues::Wants;
use super::lexicon::Lexicon;
use llm::words;

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
    /// Which run of neighbouring names it belongs to: `Harbour Light Ltd` is one.
    pub(super) run: usize,
}

impl Term {
    /// How much it counts.
    pub(super) fn weight(&self) -> f32 {
        match self.kind {
            Kind::Identifier => 3.0,
            Kind::Number | Kind::Name => 1.5,
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

/// Words that tell the kind of answer, lower case and sorted.
const GENERIC: [&str; 34] = [
    "amount",
    "answer",
    "called",
    "compare",
    "date",
    "day",
    "days",
    "describe",
    "detail",
    "details",
    "difference",
    "document",
    "documents",
    "explain",
    "file",
    "files",
    "find",
    "information",
    "kind",
    "list",
    "long",
    "mention",
    "mentioned",
    "month",
    "name",
    "named",
    "number",
    "show",
    "state",
    "stated",
    "time",
    "type",
    "value",
    "year",
];

impl Question {
    pub(super) fn read(lexicon: &Lexicon, text: &str) -> Question {
        let lower = text.to_lowercase();
        let mut terms: Vec<Term> = Vec::new();
        let mut run = 0;
        let titled = is_title_case(text);
        for (at, token) in text.split_whitespace().enumerate() {
            let opens = token.starts_with(|c: char| !c.is_alphanumeric());
            let closes = token.ends_with([',', ';', ':', '?', '.', '"', ')']);
            let token = bare(token);
            let mut named = false;
            for part in parts(token) {
                let kind = kind_of(part, at == 0 || titled);
                let Some(kind) = kind else { continue };
                named = kind == Kind::Name;
                let key = match kind {
                    Kind::Identifier | Kind::Number => squash(part),
                    _ => lexicon.key(part),
                };
                run += usize::from(!named || opens);
                if !terms.iter().any(|term| term.key == key) {
                    let text = part.to_owned();
                    terms.push(Term {
                        text,
                        key,
                        kind,
                        run,
                    });
                }
            }
            run += usize::from(!named || closes);
        }
        Question {
            wants: Wants::read(lexicon, &lower),
            compares: compares(&lower),
            terms,
        }
    }

    /// Weight of all terms together.
    pub(super) fn weight(&self) -> f32 {
        self.terms.iter().map(Term::weight).sum()
    }
}

/// A token without the punctuation around it and without a possessive.
fn bare(token: &str) -> &str {
    let token = token.trim_matches(|c: char| !c.is_alphanumeric());
    token
        .strip_suffix("'s")
        .or_else(|| token.strip_suffix("’s"))
        .unwrap_or(token)
}

/// A token with digits stays whole; others fall apart at hyphens and slashes.
fn parts(token: &str) -> Vec<&str> {
    if token.contains(|c: char| c.is_ascii_digit()) {
        return vec![token];
    }
    words::runs(token).collect()
}

fn kind_of(part: &str, capital_means_nothing: bool) -> Option<Kind> {
    let lower = part.to_lowercase();
    if part.is_empty() || words::is_stop(&lower) {
        return None;
    }
    if part.contains(|c: char| c.is_ascii_digit()) {
        return Some(match is_identifier(part) {
            true => Kind::Identifier,
            false => Kind::Number,
        });
    }
    let capital = part.starts_with(char::is_uppercase);
    let acronym = part.len() >= 2 && part.chars().all(char::is_uppercase);
    Some(match () {
        () if GENERIC.binary_search(&lower.as_str()).is_ok() => Kind::Generic,
        () if capital && !acronym && !capital_means_nothing => Kind::Name,
        () => Kind::Plain,
    })
}

/// A letter and a digit in one token, and neither an amount with its unit nor an ordinal.
fn is_identifier(part: &str) -> bool {
    let letters = part.chars().filter(|c| c.is_alphabetic()).count();
    let starts_with_digit = part.starts_with(|c: char| c.is_ascii_digit());
    let unit = starts_with_digit && letters <= 3 && !part.contains(['-', '/']);
    let codes = !starts_with_digit || letters >= 1;
    (letters > 0 && !unit && codes) || (part.contains('-') && part.len() >= 7 && !is_date(part))
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

fn compares(lower: &str) -> bool {
    let has = |word: &str| words::runs(lower).any(|run| run == word);
    let any = [
        "compare",
        "compared",
        "versus",
        "vs",
        "difference",
        "differ",
        "both",
        "than",
        "respectively",
    ];
    any.into_iter().any(has) || (lower.starts_with("which") && has("or"))
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
    fn the_generic_list_can_be_searched() {
        assert!(GENERIC.is_sorted());
    }

    #[test]
    fn tells_identifiers_numbers_and_names() {
        let text = "What is the total of invoice INV-2041 from Harbour Light in 2024 for 5kg?";
        assert_eq!(of(text, Kind::Identifier), ["INV-2041"]);
        assert_eq!(of(text, Kind::Number), ["2024", "5kg"]);
        assert_eq!(of(text, Kind::Name), ["Harbour", "Light"]);
        assert_eq!(of(text, Kind::Plain), ["total", "invoice"]);
        assert_eq!(
            of("Is ISO 9001 met by BC547B's maker?", Kind::Identifier),
            ["BC547B"]
        );
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
    fn comparisons() {
        let compares = |text| Question::read(&Lexicon::new(), text).compares;
        assert!(compares("Which is cheaper, A or B?"));
        assert!(compares("Compare the two"));
        assert!(!compares("When does it end?"));
    }
}
