//! Judges a draft by counting.
//!
//! Two signals, kept apart: *confidence* is the share of the answer's words that stand in the
//! facts, and a low one is told; a *failed check* (a citation of nothing, no citation at all, a
//! figure that stands nowhere) says that the draft claims more than it was given, and asks for a
//! stricter one. A draft that no model wrote is all facts, but whether they answer the question nobody
//! has looked at: that is told like a low confidence.

use crate::citations::{Settled, settle, without_marks};
use crate::figures::unfounded;
use crate::options::Options;
use crate::table;
use envelope::hop::ValidatorExit;
use envelope::{Asked, Draft, DraftTable, Verdict};

/// Most figures that are named in the trail.
const NAMED_MAX: usize = 3;

/// What was found out about a draft.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Judged {
    pub(crate) verdict: Verdict,
    /// What failed, in words; empty when the draft is grounded.
    pub(crate) failed: Vec<String>,
}

/// Judges `draft` as an answer to `question`.
pub(crate) fn judge(draft: &Draft, question: &Asked, options: &Options) -> Judged {
    if draft.no_information {
        return no_information(draft);
    }
    if let Some(told) = &draft.table {
        return table(told, draft);
    }
    let settled = settle(&draft.text, &draft.sources);
    let facts: Vec<_> = draft.facts.iter().map(|fact| fact.text.as_str()).collect();
    let confidence = text::overlap(&settled.answer, &facts);
    let mut failed = failed_citations(&settled, options);
    if options.figures_checked {
        failed.extend(failed_figures(&settled.answer, draft, question, facts));
    }
    Judged {
        verdict: Verdict {
            table: None,
            answer: settled.answer,
            citations: settled.citations,
            confidence,
            low_confidence: confidence < options.low_confidence
                || !failed.is_empty()
                || draft.stitched,
        },
        failed,
    }
}

/// The exit that a judged draft takes. A stricter draft is asked for once, only where there is a scatter
/// record to take it from, and not where there was no model for this one.
pub(crate) fn exit(judged: Judged, draft: &Draft) -> ValidatorExit {
    if judged.failed.is_empty() {
        return ValidatorExit::Grounded(judged.verdict);
    }
    let stricter_from = match draft.strict || draft.stitched {
        true => Vec::new(),
        false => draft.scatters.clone(),
    };
    ValidatorExit::Ungrounded {
        reason: judged.failed.join("; "),
        verdict: judged.verdict,
        stricter_from,
    }
}

/// That the documents do not say is an honest answer: nothing to cite, nothing to flag.
fn no_information(draft: &Draft) -> Judged {
    Judged {
        verdict: Verdict {
            answer: draft.text.clone(),
            citations: Vec::new(),
            confidence: 0.0,
            low_confidence: false,
            table: None,
        },
        failed: Vec::new(),
    }
}

/// A table holds or it does not: nothing in it is a matter of words.
fn table(told: &DraftTable, draft: &Draft) -> Judged {
    let failed = table::wrong(told, draft);
    let holds = failed.is_empty();
    Judged {
        verdict: Verdict {
            answer: draft.text.clone(),
            citations: draft.sources.clone(),
            confidence: if holds { 1.0 } else { 0.0 },
            low_confidence: !holds,
            table: Some(Box::new(told.table.clone())),
        },
        failed,
    }
}

fn failed_citations(settled: &Settled, options: &Options) -> Vec<String> {
    let mut failed = Vec::new();
    if settled.unknown > 0 {
        failed.push(format!("{} citations of no source", settled.unknown));
    }
    if options.citations_required && settled.citations.is_empty() {
        failed.push("no citation".into());
    }
    failed
}

fn failed_figures(
    answer: &str,
    draft: &Draft,
    question: &Asked,
    facts: Vec<&str>,
) -> Option<String> {
    let mut given = facts;
    given.push(&question.original);
    given.extend(question.rewritten.as_deref());
    for source in &draft.sources {
        given.extend([source.title.as_str(), &source.source]);
    }
    let mut figures = unfounded(&without_marks(answer), &given);
    if figures.is_empty() {
        return None;
    }
    figures.truncate(NAMED_MAX);
    Some(format!("not in the facts: {}", figures.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Citation, DocId, Fact, Matched};
    use proptest::prelude::*;

    fn draft(text: &str, facts: &[&str]) -> Draft {
        let source = |n: u16| Citation {
            n,
            doc_id: DocId::new(format!("d{n}")).unwrap(),
            chunk_id: format!("d{n}.0"),
            title: "Invoice".into(),
            source: format!("in/{n}.txt"),
            page: None,
            line: 1,
            score: 1.0,
            quote: String::new(),
        };
        let facts = (1u16..).zip(facts);
        Draft {
            text: text.into(),
            sources: facts.clone().map(|(n, _)| source(n)).collect(),
            facts: facts
                .map(|(n, text)| Fact {
                    n,
                    text: (*text).into(),
                })
                .collect(),
            scatters: vec![2],
            strict: false,
            no_information: false,
            stitched: false,
            matched: Matched::Matched,
            table: None,
        }
    }

    fn judged(text: &str, facts: &[&str]) -> Judged {
        let question = Asked {
            original: "What is due for order 77?".into(),
            rewritten: None,
        };
        judge(&draft(text, facts), &question, &Options::default())
    }

    #[test]
    fn a_supported_answer_is_grounded() {
        let Judged { verdict, failed } = judged(
            "For order 77, 200 EUR are due [2].",
            &[
                "It was sent in May.",
                "For order 77 the sum of 200 EUR is due.",
            ],
        );
        assert_eq!(failed, Vec::<String>::new());
        assert_eq!(verdict.answer, "For order 77, 200 EUR are due [1].");
        assert_eq!(verdict.citations[0].doc_id.as_str(), "d2");
        assert!(verdict.confidence > 0.9 && !verdict.low_confidence);
    }

    #[test]
    fn what_no_model_wrote_is_flagged_and_not_redone() {
        let options = Options {
            low_confidence: 0.0,
            ..Options::default()
        };
        let question = Asked::default();
        for (text, grounded) in [
            ("200 EUR are due [1].", true),
            ("250 EUR are due [1].", false),
        ] {
            let mut stitched = draft(text, &["200 EUR are due."]);
            stitched.stitched = true;
            let judged = judge(&stitched, &question, &options);
            assert_eq!(judged.failed.is_empty(), grounded, "{:?}", judged.failed);
            assert!(judged.verdict.low_confidence);
            match exit(judged, &stitched) {
                ValidatorExit::Grounded(verdict) => assert!(grounded && verdict.low_confidence),
                ValidatorExit::Ungrounded { stricter_from, .. } => {
                    assert!(!grounded && stricter_from.is_empty());
                }
            }
        }
    }

    #[test]
    fn the_threshold_is_one_word_of_five() {
        let fact = "The warranty runs.";
        let at = judged("warranty purple elephants dance tonight [1]", &[fact]);
        assert!((at.verdict.confidence - 0.2).abs() < 1e-6);
        assert!(!at.verdict.low_confidence, "0.2 is not below 0.2");
        let below = judged(
            "warranty purple elephants dance tonight wildly [1]",
            &[fact],
        );
        assert!(below.verdict.low_confidence);
        assert!(below.failed.is_empty(), "flagged, not redone (R102)");
    }

    #[test]
    fn failed_checks_are_named_and_flag_the_answer() {
        for (text, failed) in [
            ("200 EUR are due [1][9].", "1 citations of no source"),
            ("200 EUR are due.", "no citation"),
            (
                "250 EUR are due on INV-7 [1].",
                "not in the facts: 250, INV-7",
            ),
        ] {
            let judged = judged(text, &["200 EUR are due."]);
            assert_eq!(judged.failed, [failed]);
            assert!(judged.verdict.low_confidence);
        }
    }

    #[test]
    fn checks_can_be_switched_off() {
        let options = Options {
            citations_required: false,
            figures_checked: false,
            low_confidence: 0.0,
        };
        let question = Asked {
            original: "?".into(),
            rewritten: None,
        };
        let judged = judge(&draft("It is 5.", &["It is 4."]), &question, &options);
        assert!(judged.failed.is_empty() && !judged.verdict.low_confidence);
    }

    #[test]
    fn no_information_is_an_honest_answer() {
        let mut draft = draft("No relevant information found.", &["unused 1"]);
        draft.no_information = true;
        let question = Asked {
            original: "?".into(),
            rewritten: None,
        };
        let judged = judge(&draft, &question, &Options::default());
        let ValidatorExit::Grounded(verdict) = exit(judged, &draft) else {
            panic!("ungrounded")
        };
        assert_eq!(verdict.answer, "No relevant information found.");
        assert_eq!(
            (
                verdict.citations,
                verdict.confidence,
                verdict.low_confidence
            ),
            (vec![], 0.0, false)
        );
    }

    #[test]
    fn a_stricter_draft_is_asked_for_once() {
        let stricter = |scatters: &[u16], strict| {
            let draft = Draft {
                scatters: scatters.to_vec(),
                strict,
                ..draft("9 [1]", &["8"])
            };
            let question = Asked {
                original: "?".into(),
                rewritten: None,
            };
            match exit(judge(&draft, &question, &Options::default()), &draft) {
                ValidatorExit::Ungrounded { stricter_from, .. } => stricter_from,
                ValidatorExit::Grounded(_) => panic!("grounded"),
            }
        };
        assert_eq!(stricter(&[2, 7], false), [2, 7]);
        assert_eq!(stricter(&[2], true), Vec::<u16>::new());
        assert_eq!(stricter(&[], false), Vec::<u16>::new());
    }

    proptest! {
        #[test]
        fn the_facts_themselves_are_grounded(words in "([A-Za-z]{2,8}|[0-9]{1,5}| ){1,30}[a-z]{5}") {
            let judged = judged(&format!("{words} [1]"), &[&words]);
            prop_assert_eq!(judged.failed, Vec::<String>::new());
            prop_assert!(judged.verdict.confidence > 0.99 || text::words::content(&words).is_empty());
        }

        #[test]
        fn whatever_is_drafted_is_judged(text in "(\\[[0-9]{1,3}\\]|\\PC|\n){0,60}", fact in "\\PC{0,60}") {
            let judged = judged(&text, &[&fact]);
            prop_assert!((0.0..=1.0).contains(&judged.verdict.confidence));
            prop_assert!(judged.failed.is_empty() || judged.verdict.low_confidence);
        }
    }
}
