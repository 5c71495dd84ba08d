//! Judges an answer by the values that a right one states. Pure, and strict: a right value beside a wrong one is
//! wrong, and so is a contradiction that the documents do not have. *Not* a judgement of style, or by a model.

use super::question::AnswerQuestion;
use super::values::{Said, without_marks};
use serde::{Deserialize, Serialize};

/// What an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Verdict {
    /// It states every value, and no rival of one.
    Right,
    /// It states something else.
    Wrong,
    /// It says that the documents do not say, or asks back.
    Refused,
    /// There is no answer.
    Failed,
}

/// Words with which answers of any model say that they have none.
const REFUSALS: &[&str] = &[
    "no relevant information",
    "no information",
    "not enough information",
    "insufficient information",
    "not mentioned",
    "not specified",
    "not stated",
    "not provided",
    "not available in",
    "not given in",
    "not included in",
    "not found in",
    "not contain",
    "not mention",
    "not specify",
    "not state",
    "not provide",
    "not say",
    "not give",
    "not include any",
    "no mention of",
    "no answer",
    "cannot be determined",
    "cannot be answered",
    "cannot determine",
    "cannot answer",
    "can't answer",
    "unable to",
    "i don't know",
    "i do not know",
    "unknown",
];

/// How the reducer begins a line that tells of a contradiction.
const CONTRADICTION: &str = "contradiction:";

/// What an answer to a question is. `None` is no answer, or a question back.
pub(super) fn judge(question: &AnswerQuestion, answer: Option<&str>) -> Verdict {
    let Some(answer) = answer else {
        return Verdict::Refused;
    };
    let said = Said::of(answer);
    let has = |value: &String| value.split('|').any(|one| said.has(one));
    let is_complete = !question.contains.is_empty() && question.contains.iter().all(has);
    if !is_complete && is_refusal(answer) {
        return Verdict::Refused;
    }
    let claims = answer.to_lowercase().contains(CONTRADICTION) && question.kind != "contradiction";
    match is_complete && !question.rivals.iter().any(has) && !claims {
        true => Verdict::Right,
        false => Verdict::Wrong,
    }
}

/// Whether an answer says that the documents do not say.
pub(super) fn is_refusal(answer: &str) -> bool {
    let plain = without_marks(answer)
        .to_lowercase()
        .replace('\u{2019}', "'");
    let plain = plain.replace("n't ", " not ");
    plain.trim().is_empty() || REFUSALS.iter().any(|words| plain.contains(words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Refused, Right, Wrong};

    fn question(kind: &str, contains: &[&str], rivals: &[&str]) -> AnswerQuestion {
        let all = |values: &[&str]| values.iter().map(|one| (*one).to_owned()).collect();
        AnswerQuestion {
            kind: kind.into(),
            contains: all(contains),
            rivals: all(rivals),
            ..AnswerQuestion::default()
        }
    }

    #[test]
    fn answers_are_judged_by_values() {
        let fact = question("fact", &["45 V"], &["60 V"]);
        let both = question("contradiction", &["400 ns", "285 ns"], &[]);
        let none = question("unanswerable", &[], &[]);
        let cases = [
            (&fact, Some("It is 45 volts [1]."), Right),
            (&fact, Some("It is 145 V."), Wrong),
            (&fact, Some("It is 45 V, or 60 V."), Wrong),
            (
                &fact,
                Some("45 V [1].\nContradiction: it is 9 kg [1], or 11 kg [2]."),
                Wrong,
            ),
            (&fact, Some("The documents don't mention it."), Refused),
            (
                &fact,
                Some("The passages do not say more. It is 45 V."),
                Right,
            ),
            (
                &fact,
                Some("It is long. The voltage is not stated."),
                Refused,
            ),
            (&fact, None, Refused),
            (&fact, Some(" "), Refused),
            (
                &both,
                Some("Contradiction: 400 ns [1], or 285 ns [2]."),
                Right,
            ),
            (&both, Some("400 ns"), Wrong),
            (&none, Some("No relevant information found."), Refused),
            (&none, Some("It is 5."), Wrong),
        ];
        for (question, answer, verdict) in cases {
            assert_eq!(judge(question, answer), verdict, "{answer:?}");
        }
    }
}
