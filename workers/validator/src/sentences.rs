//! Compares each sentence of an answer with the cited passages, and handles the sentences that these do not support.
//! *Not* here: the rules of the comparison (`groundedness`).

use envelope::{CheckedSentence, Citation, Support};
use groundedness::{SentenceCheck, SentenceVerdict, Thresholds};

/// The longest quote of a passage that is told of one sentence, in characters.
const EVIDENCE_CHARS_MAX: usize = 400;
/// The longest quotes of all sentences of an answer together, in bytes, so that an event has room for a long answer
/// and for the findings about each of its sentences. The last sentences are told without a quote.
const EVIDENCE_BYTES_MAX: usize = 32 * 1024;
/// Longest reason, in characters.
const REASON_CHARS_MAX: usize = 120;

/// The findings about an answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checked {
    pub(crate) sentences: Vec<CheckedSentence>,
    /// How probable it is that nothing in the answer is made up, 0 to 1; bounded by its worst sentence.
    pub(crate) confidence: f32,
    /// Whether a sentence denies what its sources say without a denial.
    pub(crate) denies_alone: bool,
}

/// Checks an answer; `texts` are the texts that its citations stand for, one for each.
pub(crate) fn check(answer: &str, citations: &[Citation], texts: &[String]) -> Checked {
    let passages: Vec<&str> = texts.iter().map(String::as_str).collect();
    let found = groundedness::check(answer, &passages, &Thresholds::default());
    let each = found.sentences.iter();
    let mut sentences: Vec<CheckedSentence> =
        each.map(|one| told(one, citations, &passages)).collect();
    let mut room = EVIDENCE_BYTES_MAX;
    for one in &mut sentences {
        match room.checked_sub(one.evidence.len()) {
            Some(left) => room = left,
            None => one.evidence.clear(),
        }
    }
    Checked {
        sentences,
        confidence: found.confidence(),
        denies_alone: found.sentences.iter().any(|one| one.denies_alone),
    }
}

fn told(of: &SentenceCheck, citations: &[Citation], passages: &[&str]) -> CheckedSentence {
    let support = match of.verdict {
        SentenceVerdict::Supported => Support::Supported,
        SentenceVerdict::Unsupported => Support::Unsupported,
        SentenceVerdict::Contradicted => Support::Contradicted,
        SentenceVerdict::NoClaim => Support::NoClaim,
    };
    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let reason = of.reason.as_ref();
    let passage = of.passage.and_then(|at| passages.get(at));
    let window = passage.zip(of.window.clone());
    let evidence = window.and_then(|(passage, window)| passage.get(window));
    CheckedSentence {
        start: place(of.start),
        end: place(of.end),
        support,
        score: of.score,
        reason: reason.map_or(String::new(), |one| {
            let reason = format!("{}: {}", one.kind.as_str(), one.words);
            reason.chars().take(REASON_CHARS_MAX).collect()
        }),
        citation: of
            .passage
            .and_then(|at| citations.get(at))
            .map(|cited| cited.n),
        evidence: evidence
            .unwrap_or_default()
            .trim()
            .chars()
            .take(EVIDENCE_CHARS_MAX)
            .collect(),
    }
}

/// The sentences of a kind, in order.
pub(crate) fn of_kind(
    sentences: &[CheckedSentence],
    support: Support,
) -> impl Iterator<Item = &CheckedSentence> {
    sentences.iter().filter(move |one| one.support == support)
}

/// The answer without the sentences for which `goes` holds, without the space before them, and without the sign of a
/// list item.
pub(crate) fn without(
    answer: &str,
    sentences: &[CheckedSentence],
    goes: impl Fn(&CheckedSentence) -> bool,
) -> String {
    let mut left = String::with_capacity(answer.len());
    let mut from = 0;
    for one in sentences.iter().filter(|one| goes(one)) {
        let (start, end) = (one.start as usize, one.end as usize);
        left.push_str(answer.get(from..start).unwrap_or_default());
        let ends_line = answer
            .get(end..)
            .is_none_or(|rest| rest.is_empty() || rest.starts_with('\n'));
        if ends_line {
            left.truncate(left.trim_end_matches(' ').len());
            let line = left.rfind('\n').map_or(0, |at| at + 1);
            // Nothing is left of an item of a list but its sign.
            if !left[line..].chars().any(char::is_alphabetic) {
                left.truncate(left[..line].trim_end().len());
            }
        }
        from = end;
        if !ends_line {
            let blanks = answer.get(end..).unwrap_or_default();
            from += blanks.len() - blanks.trim_start_matches(' ').len();
        }
    }
    left.push_str(answer.get(from..).unwrap_or_default());
    left.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::citation;

    #[test]
    fn what_is_told_of_a_long_answer_has_room_in_an_event() {
        let source: Vec<String> = (0..300)
            .map(|n| {
                format!(
                    "{}The pump {n} weighs {n} kg. ",
                    "Ä word before it, ".repeat(30)
                )
            })
            .collect();
        let answer: Vec<String> = (0..300)
            .map(|n| format!("The pump {n} weighs {} {} kg [1].", n + 1, "x".repeat(500)))
            .collect();
        let checked = check(&answer.join(" "), &[citation("a")], &[source.concat()]);
        assert!(checked.sentences.len() > 200);
        let told = serde_json::to_string(&checked.sentences).unwrap();
        assert!(told.len() < 128 * 1024, "{} bytes", told.len());
        assert!(!checked.sentences[0].evidence.is_empty());
        assert!(checked.sentences.iter().any(|one| one.evidence.is_empty()));
    }

    #[test]
    fn sentences_are_cut_out_with_the_blanks_beside_them() {
        let answer = "One [1]. Two [1]. Three [1].\n- Four [1].\n- Five [1].";
        let sentence = |said: &str| {
            let start = answer.find(said).unwrap() as u32;
            CheckedSentence {
                start,
                end: start + said.len() as u32,
                support: Support::Unsupported,
                score: 0.0,
                reason: String::new(),
                citation: None,
                evidence: String::new(),
            }
        };
        let cut = |said: &[&str]| {
            let all: Vec<CheckedSentence> = said.iter().map(|said| sentence(said)).collect();
            without(answer, &all, |_| true)
        };
        assert_eq!(
            cut(&["Two [1]."]),
            "One [1]. Three [1].\n- Four [1].\n- Five [1]."
        );
        assert_eq!(
            cut(&["Three [1]."]),
            "One [1]. Two [1].\n- Four [1].\n- Five [1]."
        );
        assert_eq!(
            cut(&["One [1].", "Five [1]."]),
            "Two [1]. Three [1].\n- Four [1]."
        );
    }
}
