//! Tests of drafts against their sources: which checks fail, which sentences are marked, and what follows.

use super::*;
use crate::testing;
use envelope::Fact;
use proptest::prelude::*;

fn draft(text: &str, facts: &[&str]) -> Draft {
    let facts = (1u16..).zip(facts);
    let source = |n: u16| Citation {
        n,
        ..testing::citation(&format!("d{n}"))
    };
    Draft {
        sources: facts.clone().map(|(n, _)| source(n)).collect(),
        facts: facts
            .map(|(n, text)| Fact {
                n,
                text: (*text).into(),
            })
            .collect(),
        ..testing::draft(text)
    }
}

fn judged(text: &str, facts: &[&str]) -> Judged {
    let question = QuestionText {
        original: "What is due for order 77?".into(),
        rewritten: None,
    };
    judge(&draft(text, facts).into(), &question, &Options::default())
}

#[test]
fn a_supported_answer_is_grounded() {
    let Judged {
        verdict, failed, ..
    } = judged(
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
fn an_assessed_answer_has_the_likelihood_that_it_is_right() {
    let text = "For order 77, 200 EUR are due [1].";
    let told = |right| {
        let mut draft = draft(text, &["For order 77 the sum of 200 EUR is due."]);
        draft.assessment = Some(envelope::Assessment { right });
        judge(&draft.into(), &QuestionText::default(), &Options::default())
    };
    let (sure, unsure) = (told(0.99).verdict, told(0.7).verdict);
    assert!(sure.confidence > 0.8 && !sure.low_confidence, "{sure:?}");
    assert!(
        unsure.confidence < 0.5 && unsure.low_confidence,
        "{unsure:?}"
    );
    assert_eq!(unsure.answer, sure.answer);
    // What is hardly right is withheld, and that is the end of it.
    let hardly = told(0.3);
    assert!(hardly.verdict.answer.contains("do not say"));
    assert!(hardly.verdict.low_confidence && hardly.verdict.notices == [LOOK]);
    assert_eq!(hardly.verdict.citations, sure.citations);
    assert!(hardly.failed.is_empty() && hardly.is_withheld());
    // What a source says otherwise is flagged, however sure the model is.
    let mut wrong = draft(
        "For order 77, 250 EUR are due [1].",
        &["For order 77 the sum of 200 EUR is due."],
    );
    wrong.assessment = Some(envelope::Assessment { right: 1.0 });
    let wrong = judge(&wrong.into(), &QuestionText::default(), &Options::default());
    assert!(wrong.verdict.low_confidence);
    // So is what it denies, where the source denies nothing.
    for (text, is_low) in [
        ("For order 77, 200 EUR are not due [1].", true),
        ("For order 77, 200 EUR are due [1].", false),
    ] {
        let mut draft = draft(text, &["For order 77 the sum of 200 EUR is due."]);
        draft.assessment = Some(envelope::Assessment { right: 1.0 });
        let judged = judge(&draft.into(), &QuestionText::default(), &Options::default());
        assert_eq!(judged.verdict.low_confidence, is_low, "{text}");
    }
    // Where the words differ too much to contradict, the denial alone tells.
    let mut alone = draft(
        "The warranty is not four years [1].",
        &["| part | warranty |\n| pump | four years |"],
    );
    alone.assessment = Some(envelope::Assessment { right: 1.0 });
    let alone = judge(&alone.into(), &QuestionText::default(), &Options::default());
    let is_contradicted = |one: &CheckedSentence| one.support == Support::Contradicted;
    assert!(!alone.verdict.sentences.iter().any(is_contradicted));
    assert!(alone.verdict.low_confidence);
}

#[test]
fn what_no_model_wrote_is_flagged_and_not_redone() {
    let options = Options {
        low_confidence: 0.0,
        ..Options::default()
    };
    let question = QuestionText::default();
    for (text, grounded) in [
        ("200 EUR are due [1].", true),
        ("250 EUR are due [1].", false),
    ] {
        let mut stitched = draft(text, &["200 EUR are due."]);
        stitched.stitched = true;
        let judged = judge(&stitched.clone().into(), &question, &options);
        assert_eq!(judged.failed.is_empty(), grounded, "{:?}", judged.failed);
        assert!(judged.verdict.low_confidence);
        match exit(judged, &stitched.into()) {
            ValidatorExit::Grounded(verdict) => assert!(grounded && verdict.low_confidence),
            ValidatorExit::Insufficient { .. } => panic!("nobody judged it"),
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
    assert!((at.verdict.overlap.unwrap() - 0.2).abs() < 1e-6);
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
        unsupported: UnsupportedPolicy::Mark,
        contradicted: ContradictedPolicy::Mark,
        ..Options::default()
    };
    let question = QuestionText {
        original: "?".into(),
        rewritten: None,
    };
    let judged = judge(
        &draft("It is 5.", &["It is 4."]).into(),
        &question,
        &options,
    );
    assert!(judged.failed.is_empty() && !judged.verdict.low_confidence);
}

#[test]
fn no_information_is_an_honest_answer() {
    let mut draft = draft("No relevant information found.", &["unused 1"]);
    draft.no_information = true;
    let question = QuestionText {
        original: "?".into(),
        rewritten: None,
    };
    let judged = judge(&draft.clone().into(), &question, &Options::default());
    let ValidatorExit::Grounded(verdict) = exit(judged, &draft.into()) else {
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
            read: None,
            strict,
            ..draft("9 [1]", &["8"])
        };
        let question = QuestionText {
            original: "?".into(),
            rewritten: None,
        };
        match exit(
            judge(&draft.clone().into(), &question, &Options::default()),
            &draft.into(),
        ) {
            ValidatorExit::Ungrounded { stricter_from, .. } => stricter_from,
            ValidatorExit::Grounded(_) | ValidatorExit::Insufficient { .. } => panic!("grounded"),
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
        let overlap = judged.verdict.overlap.unwrap();
        prop_assert!(overlap > 0.99 || text::words::content(&words).is_empty());
        prop_assert!(judged.verdict.sentences.iter().all(|one| !one.support.is_doubted()));
    }

    #[test]
    fn whatever_is_drafted_is_judged(text in "(\\[[0-9]{1,3}\\]|\\PC|\n){0,60}", fact in "\\PC{0,60}") {
        let judged = judged(&text, &[&fact]);
        prop_assert!((0.0..=1.0).contains(&judged.verdict.confidence));
        prop_assert!(judged.failed.is_empty() || judged.verdict.low_confidence);
    }
}

/// The lease of the lies, as the passage of a scatter record.
const LEASE: &str = "Either party may terminate this agreement with 60 days' notice in writing. \
    The Client guarantees payment of all invoices within 30 days.";

fn lied(text: &str, options: &Options) -> Judged {
    let draft = Draft {
        sources: vec![testing::citation("lease")],
        // A mapper that made it up, too: what it says proves nothing.
        facts: vec![Fact {
            n: 1,
            text: text.replace(" [1]", ""),
        }],
        ..testing::draft(text)
    };
    let scatter = envelope::Scatter {
        passages: vec![testkit::model::passage("lease", LEASE)],
        ..testing::scatter()
    };
    let task = envelope::Task {
        payload: envelope::Payload::Validator(draft),
        evidence: vec![envelope::FanOut {
            hop: 2,
            scatter,
            results: Vec::new(),
        }],
        kept: None,
    };
    let question = QuestionText {
        original: "How can the agreement be terminated?".into(),
        rewritten: None,
    };
    judge(&Evidence::try_from(task).unwrap(), &question, options)
}

fn supports(judged: &Judged) -> Vec<Support> {
    judged
        .verdict
        .sentences
        .iter()
        .map(|one| one.support)
        .collect()
}

#[test]
fn a_lie_that_a_mapper_believes_is_marked_all_the_same() {
    let options = Options::default();
    let truth = "Either party may terminate this agreement with 60 days' notice [1].";
    let honest = lied(truth, &options);
    assert_eq!(supports(&honest), [Support::Supported], "{honest:?}");
    assert!(honest.failed.is_empty() && honest.verdict.notices.is_empty());
    for (lie, support) in [
        (
            "Neither party may terminate this agreement with 60 days' notice [1].",
            Support::Contradicted,
        ),
        (
            "Either party may terminate this agreement with 90 days' notice [1].",
            Support::Contradicted,
        ),
        (
            "Zorvex Holdings guarantees payment of all invoices within 30 days [1].",
            Support::Unsupported,
        ),
    ] {
        let judged = lied(lie, &options);
        let found = supports(&judged);
        assert!(found[0].is_doubted(), "{lie}: {judged:?}");
        if support == Support::Contradicted {
            assert_eq!(found[0], support, "{lie}: {judged:?}");
            assert!(judged.verdict.low_confidence);
            assert!(
                judged.failed[0].starts_with("a source says otherwise"),
                "{judged:?}"
            );
            assert!(
                judged.verdict.sentences[0]
                    .evidence
                    .contains("Either party")
            );
        }
        assert_eq!(judged.verdict.notices.len(), 1);
        assert!(judged.verdict.confidence < honest.verdict.confidence);
    }
}

#[test]
fn what_is_not_said_is_marked_cut_or_refused_as_is_wanted() {
    let text = "Either party may terminate this agreement with 60 days' notice [1]. Zorvex Holdings pays a fee of 500 EUR for it [1].";
    let with = |unsupported, contradicted| Options {
        unsupported,
        contradicted,
        figures_checked: false,
        ..Options::default()
    };
    let mark = lied(
        text,
        &with(UnsupportedPolicy::Mark, ContradictedPolicy::Mark),
    );
    assert_eq!(mark.verdict.answer, text);
    assert_eq!(
        mark.fallbacks,
        [Fallback::SentencesUnsupported { count: 1 }]
    );
    let cut = lied(
        text,
        &with(UnsupportedPolicy::Cut, ContradictedPolicy::Mark),
    );
    assert_eq!(
        cut.verdict.answer,
        "Either party may terminate this agreement with 60 days' notice [1]."
    );
    assert_eq!(cut.fallbacks, [Fallback::SentencesCut { count: 1 }]);
    assert_eq!(supports(&cut), [Support::Supported]);
    let all = "Zorvex Holdings pays a fee of 500 EUR for it [1].";
    let nothing = lied(all, &with(UnsupportedPolicy::Cut, ContradictedPolicy::Mark));
    assert_eq!(nothing.verdict.answer, WITHHELD);
    assert!(nothing.failed.is_empty() && nothing.verdict.citations.is_empty());
    let refused = lied(
        text,
        &with(UnsupportedPolicy::Refuse, ContradictedPolicy::Mark),
    );
    assert_eq!(refused.verdict.answer, WITHHELD);
    assert_eq!(refused.failed.len(), 1, "a stricter one is asked for");
    let lie = "Neither party may terminate this agreement with 60 days' notice [1].";
    let denied = lied(lie, &with(UnsupportedPolicy::Mark, ContradictedPolicy::Cut));
    assert_eq!(denied.verdict.answer, WITHHELD);
}
