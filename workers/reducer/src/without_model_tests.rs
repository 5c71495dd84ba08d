//! Tests of the draft that is made when no model can be called.

use super::*;
use envelope::Class;
use stage::{BoxFuture, StepClock};

#[tokio::test]
async fn what_waiting_cannot_cure_is_stitched() {
    let refused = || llm::Error::Refused {
        status: 401,
        message: "key".into(),
    };
    let stitched = "Guarantee: 24 months [1]. The Delta pump is sold with lamps [2].";
    let too_long = || llm::Error::TooLong { limit: None };
    for error in [refused as fn() -> llm::Error, too_long] {
        let model = ScriptedModel::answering(move |_| Err(error()));
        let (draft, done) = run(&model, &cx(), gather(enough(), false, false)).await;
        let mut sentences: Vec<_> = draft.text.split_inclusive(". ").map(str::trim).collect();
        sentences.sort_unstable();
        assert_eq!(sentences.join(" "), stitched);
        assert_eq!(done.fallbacks, [Fallback::ReduceDefault]);
        assert_eq!(
            (done.model, done.decided.as_str()),
            (None, "stitched from 2 facts of 2 sources")
        );
    }
    let model = ScriptedModel::failing(refused());
    let (draft, _) = run(&model, &cx(), generate()).await;
    assert_eq!(
        draft.text,
        "The guarantee of the Delta pump runs for 24 months [1]."
    );
}

#[tokio::test]
async fn a_model_that_does_not_come_back_leaves_the_facts() {
    let overloaded = || llm::Error::Overloaded { retry_after: None };
    let timed_out = || llm::Error::TimedOut(Duration::from_secs(1));
    let often = StepContext {
        attempt: TRIES_MAX,
        ..cx()
    };
    let late = StepContext {
        now: UnixMs(cx().header.deadline.0 - 100),
        ..cx()
    };
    for (cx, error) in [
        (&often, timed_out as fn() -> llm::Error),
        (&late, timed_out),
        (&late, overloaded),
    ] {
        let model = ScriptedModel::answering(move |_| Err(error()));
        let (draft, done) = run(&model, cx, gather(enough(), false, false)).await;
        assert!(draft.text.contains("24 months [1]"), "{}", draft.text);
        assert_eq!(done.fallbacks, [Fallback::ReduceDefault]);
    }
    // Left alone until there is no time for an answer: 60 seconds, of which 7.5 are kept.
    for (wait, gives_up) in [(52, false), (53, true), (60, true), (u64::MAX, true)] {
        let retry_after = Some(Duration::from_secs(wait));
        for error in [
            llm::Error::Unavailable {
                reason: "left alone".into(),
                retry_after,
            },
            llm::Error::Overloaded { retry_after },
        ] {
            let model = ScriptedModel::failing(error);
            let work = gather(enough(), false, false);
            let done = reducer(&model).run(&cx(), work).await;
            assert_eq!(done.is_ok(), gives_up, "{wait} s: {done:?}");
        }
    }
    let model = ScriptedModel::failing(overloaded());
    let reducer = reducer(&model);
    let busy = reducer.run(&often, gather(enough(), false, false)).await;
    assert_eq!(
        busy.unwrap_err().class,
        Class::Overloaded,
        "nodes that are busy will have room"
    );
}

/// A node that accepts calls and answers none, as a pool reports it.
struct Hanging(Arc<ScriptedModel>);

impl ChatModel for Hanging {
    fn name(&self) -> &str {
        "hanging"
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatReply, llm::Error>> {
        Box::pin(async move {
            let _ = self.0.chat(request).await;
            tokio::time::sleep(request.timeout).await;
            Err(llm::Error::TimedOut(request.timeout))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_never_answers_leaves_time_for_the_facts() {
    // Of 60 seconds 7.5 are kept: of a late try, half of what is left.
    for (begun, asked_for) in [
        (31_000, Duration::from_millis(22_500)),
        (57_000, Duration::from_secs(2)),
        (61_000, Duration::ZERO),
    ] {
        let began = tokio::time::Instant::now();
        let clock = move || UnixMs(begun + began.elapsed().as_millis() as u64);
        let cx = StepContext {
            now: UnixMs(begun),
            clock: StepClock::new(clock),
            ..cx()
        };
        let seen = ScriptedModel::saying(["never heard"]);
        let model = Arc::new(Hanging(seen.clone()));
        let reducer = Reducer::new(model, &Prompts::default(), Options::default()).unwrap();
        let done = reducer.run(&cx, gather(enough(), false, false)).await;
        let done = done.expect("what was read");
        assert_eq!(done.fallbacks, [Fallback::ReduceDefault]);
        let asked: Vec<_> = seen.requests().iter().map(|r| r.timeout).collect();
        assert_eq!(asked, [asked_for]);
    }
}

#[tokio::test]
async fn a_task_that_asks_no_model_is_stitched_from_all_rounds() {
    let fan_outs = [
        gather(enough(), false, false),
        gather(enough(), false, true),
    ];
    let mut evidence = fan_outs.map(|mut work| work.evidence.remove(0));
    evidence[0].scatter.passages[0] = passage("first", "The guarantee ends after 24 months.");
    let work = Reduction {
        task: ReduceTask::Stitch {
            scatters: vec![2, 7],
            strict: true,
        },
        evidence: evidence.into(),
    };
    let model = ScriptedModel::saying(["made up"]);
    let (draft, done) = run(&model, &cx(), work).await;
    assert!(model.requests().is_empty());
    assert!(draft.text.contains("24 months"), "{}", draft.text);
    let sources: Vec<_> = draft.sources.iter().map(|c| c.doc_id.as_str()).collect();
    assert_eq!(sources, ["first", "d2", "d0"]);
    assert_eq!((draft.scatters, draft.strict), (vec![2, 7], true));
    assert!(draft.stitched);
    assert_eq!(done.fallbacks, [Fallback::ReduceDefault]);
    assert_eq!(done.decided, "stitched from 3 facts of 3 sources");
}

#[tokio::test]
async fn what_may_pass_is_left_to_the_harness() {
    for (error, class) in [
        (
            llm::Error::Overloaded { retry_after: None },
            Class::Overloaded,
        ),
        (
            llm::Error::TimedOut(Duration::from_secs(1)),
            Class::Transient,
        ),
    ] {
        let model = ScriptedModel::failing(error);
        let error = reducer(&model)
            .run(&cx(), gather(enough(), false, false))
            .await;
        assert_eq!(error.unwrap_err().class, class);
    }
}
