//! The invariant of answers in which the model denies its own sources: such a sentence is marked, so that no user
//! takes it for what the document says. The check recognises a denial by fixed words, so that it does not depend on
//! the code under test.

use crate::fleet::Remains;
use crate::reading::terminals;
use envelope::{CheckedSentence, Fallback, Support, Terminal};

/// What every sentence of the sources says of an item, and what the model says instead.
const SAID: &str = " is ";
const DENIAL: &str = " is not ";

/// The opposite of the first sentence about a limit in the prompt, with a citation; `None` for a prompt without such
/// a sentence.
pub(crate) fn denial(shown: &str) -> Option<String> {
    let from = shown.find("The limit of item")?;
    let sentence = shown[from..].split('.').next()?;
    Some(format!("{} [1].", sentence.replace(SAID, DENIAL)))
}

/// A sentence that denies its source is marked in every answer that holds it, and the answer is flagged as doubtful.
/// Where the answer could not be checked, the event says so.
pub(crate) fn no_denial_goes_unmarked(remains: &Remains) -> Result<(), String> {
    for (turn, (terminal, _)) in terminals(remains) {
        if is_denial(&terminal) && !(terminal.low_confidence && is_told(&terminal)) {
            let sentences = &terminal.sentences;
            let answer = &terminal.answer;
            return Err(format!("{turn} says {answer:?} with {sentences:?}"));
        }
    }
    Ok(())
}

/// How many answers deny their sources.
pub(crate) fn count(remains: &Remains) -> usize {
    let ended = terminals(remains);
    ended.values().filter(|(t, _)| is_denial(t)).count()
}

fn is_denial(terminal: &Terminal) -> bool {
    let answer = terminal.answer.as_deref();
    answer.is_some_and(|answer| answer.contains(DENIAL))
}

fn is_told(terminal: &Terminal) -> bool {
    let answer = terminal.answer.as_deref().unwrap_or_default();
    let is_marked = |one: &CheckedSentence| {
        one.support == Support::Contradicted && one.of(answer).contains(DENIAL)
    };
    let is_unchecked = || {
        let all = terminal.trail.iter().flat_map(|entry| &entry.fallbacks);
        all.into_iter().any(|one| *one == Fallback::Unvalidated)
    };
    terminal.sentences.iter().any(is_marked) || is_unchecked()
}
