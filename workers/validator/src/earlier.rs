//! Chooses the better of two drafts. A new draft is not always better than the one before it, so the earlier one is
//! kept.
//!
//! A draft that passes every check becomes the answer, whatever the earlier one was. Otherwise the draft with the
//! better score becomes the answer. The next step (a stricter draft, another search, a question back) follows from
//! the faults of the newer draft.

use crate::evidence::Evidence;
use crate::options::Options;
use crate::verdict::{Judged, judge};
use envelope::{DraftScore, Fallback, KeptDraft};
use stage::StepContext;

/// What is missing where no later draft says anything at all.
const LEFT_OPEN: &str = "the documents that were found leave open a part of what was asked";

/// Puts the kept draft in the place of `judged`, the verdict on the draft of `evidence`, where the kept one is
/// better.
pub(crate) fn put_back(
    judged: &mut Judged,
    cx: &StepContext,
    evidence: &Evidence,
    options: &Options,
) {
    let Some((kept, earlier)) = cx.case.kept.zip(evidence.of_kept()) else {
        return;
    };
    if !is_better(&kept, judged, evidence) {
        return;
    }
    let earlier = judge(&earlier, &cx.case.question, options);
    let KeptDraft { hop, score } = kept;
    judged.verdict = earlier.verdict;
    // A model may have judged it; what it found is in the score.
    judged.verdict.confidence = judged.verdict.confidence.min(score.confidence);
    judged.verdict.low_confidence = true;
    judged.fallbacks.retain(|one| !is_of_draft(one));
    judged.fallbacks.extend(earlier.fallbacks);
    judged.fallbacks.push(Fallback::EarlierDraft { hop });
    if judged.failed.is_empty() && judged.lacking.is_none() {
        judged.lacking = Some(LEFT_OPEN.into());
    }
}

fn is_better(kept: &KeptDraft, judged: &Judged, evidence: &Evidence) -> bool {
    let draft = &evidence.draft;
    let grounded = judged.failed.is_empty();
    let says_something = !draft.no_information && !draft.stitched && !judged.is_withheld();
    if grounded && says_something && judged.lacking.is_none() {
        return false;
    }
    // That the documents do not say, and facts that no model put into words, are honest and answer least.
    let confidence = match says_something {
        true => judged.verdict.confidence,
        false => 0.0,
    };
    kept.score.is_better_than(&DraftScore {
        grounded,
        confidence,
    })
}

/// Whether the fallback tells what became of the sentences of one draft.
fn is_of_draft(fallback: &Fallback) -> bool {
    matches!(
        fallback,
        Fallback::SentencesUnsupported { .. }
            | Fallback::SentencesContradicted { .. }
            | Fallback::SentencesCut { .. }
            | Fallback::AnswerWithheld
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use envelope::{Draft, Payload, Role, Task};
    use testkit::model::step;

    const GROUNDED: f32 = 0.6;

    fn said(text: &str) -> Draft {
        testing::draft(text)
    }

    /// The result for `later` where `earlier` was kept with this score.
    fn better(earlier: &str, score: (bool, f32), later: Draft) -> Judged {
        let options = Options {
            citations_required: false,
            ..Options::default()
        };
        let task = Task {
            payload: Payload::Validator(later),
            evidence: Vec::new(),
            kept: Some(said(earlier)),
        };
        let evidence = Evidence::try_from(task).unwrap();
        let mut cx = step(Role::Validator, "how long?");
        let (grounded, confidence) = score;
        let score = DraftScore {
            grounded,
            confidence,
        };
        cx.case.kept = Some(KeptDraft { hop: 7, score });
        let mut judged = judge(&evidence, &cx.case.question, &options);
        put_back(&mut judged, &cx, &evidence, &options);
        judged
    }

    #[test]
    fn what_passes_every_check_is_answered() {
        let judged = better("Earlier.", (true, 1.0), said("Later."));
        assert_eq!(judged.verdict.answer, "Later.");
        assert!(judged.lacking.is_none());
    }

    #[test]
    fn a_worse_later_draft_gives_way() {
        // A figure that stands nowhere.
        let judged = better("Earlier.", (true, GROUNDED), said("It lasts 4 days."));
        assert_eq!(judged.verdict.answer, "Earlier.");
        assert!(judged.verdict.confidence <= GROUNDED);
        assert!(judged.verdict.low_confidence);
        assert_eq!(judged.failed, ["not in the facts: 4"], "of the later one");
        let told = Fallback::EarlierDraft { hop: 7 };
        assert!(judged.fallbacks.contains(&told), "{judged:?}");
    }

    #[test]
    fn saying_nothing_goes_before_what_is_not_grounded_alone() {
        let nothing = || Draft {
            no_information: true,
            ..said("The documents do not say.")
        };
        let judged = better("Earlier.", (true, GROUNDED), nothing());
        assert_eq!(judged.verdict.answer, "Earlier.");
        assert_eq!(judged.lacking.as_deref(), Some(LEFT_OPEN));
        let judged = better("It lasts 4 days.", (false, 0.9), nothing());
        assert_eq!(judged.verdict.answer, "The documents do not say.");
        assert!(!judged.verdict.low_confidence);
    }

    #[test]
    fn of_two_that_are_not_grounded_the_more_certain_one_is_answered() {
        let later = || said("It lasts 4 days.");
        let seen = better("It lasts 5 days.", (false, 2.0), later());
        assert_eq!(seen.verdict.answer, "It lasts 5 days.");
        let seen = better("It lasts 5 days.", (false, -1.0), later());
        assert_eq!(seen.verdict.answer, "It lasts 4 days.");
    }
}
