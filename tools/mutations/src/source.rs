//! Documents, and those of their sentences that are known to be true.

use text::sentences::cited;

/// The fewest words of a sentence that can be reworded and changed.
const WORDS_MIN: usize = 8;
/// The most words; longer sentences are lists.
const WORDS_MAX: usize = 60;

/// A document with the sentences that it states.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceText {
    /// The id of the document.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Sentences that occur in the text word for word.
    pub facts: Vec<String>,
}

impl SourceText {
    /// A document with those of these facts that are sentences of its text.
    pub fn with_facts(id: String, text: String, facts: Vec<String>) -> SourceText {
        let stands = |fact: &String| is_sentence(fact) && text.contains(fact.as_str());
        let facts = facts.into_iter().filter(stands).collect();
        SourceText { id, text, facts }
    }

    /// A document with all its sentences as facts.
    pub fn of_prose(id: String, text: String) -> SourceText {
        let lines = text
            .lines()
            .filter(|line| !line.starts_with(['#', '|', '-', '*', '<']));
        let facts = lines.flat_map(|line| {
            cited::spans(line)
                .into_iter()
                .map(|span| line[span].to_owned())
        });
        let facts = facts.filter(|fact| is_sentence(fact)).collect();
        SourceText { id, text, facts }
    }
}

/// Whether a text is one whole sentence of prose.
fn is_sentence(fact: &str) -> bool {
    let words = fact.split_whitespace().count();
    // What begins with a digit was cut behind `No.`.
    let begins = fact.starts_with(char::is_uppercase);
    let is_whole = begins && fact.ends_with('.') && !fact.ends_with("...");
    // A quotation that is left open, or an ellipsis, says something else than it seems to.
    let is_open = fact.matches('"').count() % 2 == 1
        || fact.matches('“').count() != fact.matches('”').count();
    let is_clear = !fact.contains("...") && !fact.contains('…') && !fact.contains('\n') && !is_open;
    is_whole
        && is_clear
        && (WORDS_MIN..=WORDS_MAX).contains(&words)
        && cited::spans(fact).len() == 1
}
