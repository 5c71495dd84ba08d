//! Tests of what a model says of its own draft, with a scripted model.

use super::*;
use envelope::Case;
use testkit::model::FakeReply;

const DRAFT: &str = "It runs for 24 months [1].";

/// A step whose draft is assessed, with these replies.
async fn assessed(replies: Vec<FakeReply>, set: impl FnOnce(&mut Case)) -> Seen {
    let model = ScriptedModel::queue(replies);
    let options = Options {
        assess: Some(true),
        ..Options::default()
    };
    let reducer = Reducer::new(model.clone(), &Prompts::default(), options).unwrap();
    let mut cx = cx();
    set(&mut cx.case);
    let done = reducer.run(&cx, generate()).await.unwrap();
    let ReducerExit::Composed(draft) = done.out.clone() else {
        panic!("no draft");
    };
    (draft, model, done.map(|_| ()))
}

type Seen = (Draft, Arc<ScriptedModel>, StepOutput<()>);

fn says(replies: &[&str]) -> Vec<FakeReply> {
    replies
        .iter()
        .map(|reply| Ok((*reply).to_owned()))
        .collect()
}

#[tokio::test]
async fn a_draft_is_assessed_by_the_first_source() {
    let (draft, model, done) = assessed(says(&[DRAFT, "No."]), |_| ()).await;
    assert_eq!(draft.text, DRAFT);
    let said = draft.assessment.unwrap();
    assert!(said.right < 0.5, "{said:?}");
    assert_eq!(done.usage.calls, 2);
    assert!(done.decided.ends_with("; right with 0.25, by its model"));
    let asked = model.requests();
    let words: Vec<bool> = asked.iter().map(|one| one.likely > 0).collect();
    assert_eq!(words, [false, true]);
    let sources = |user: &str| user.matches(".txt)").count();
    assert_eq!((sources(&asked[0].user), sources(&asked[1].user)), (2, 1));
    assert!(asked[1].user.contains("(d0.txt)\n"), "{}", asked[1].user);
    assert!(asked[1].user.contains("It runs for 24 months.\n</answer>"));
}

#[tokio::test]
async fn why_a_draft_is_not_assessed_is_told() {
    let late = || Err(llm::Error::TimedOut(Duration::from_secs(1)));
    for (reply, calls, told) in [
        (Ok("hm".into()), 2, "the model said neither yes nor no"),
        (late(), 1, "no answer within 1s"),
    ] {
        let (draft, _, done) = assessed(vec![Ok(DRAFT.into()), reply], |_| ()).await;
        assert_eq!((draft.text.as_str(), draft.assessment), (DRAFT, None));
        assert_eq!(done.usage.calls, calls, "{told}");
        let end = format!("; not assessed: {told}");
        assert!(done.decided.ends_with(&end), "{}", done.decided);
    }
    let spent = |case: &mut Case| case.budget.llm_calls = 1;
    let (_, model, done) = assessed(says(&[DRAFT]), spent).await;
    assert!(done.decided.ends_with("; not assessed: no llm_calls left"));
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn only_what_a_small_model_wrote_of_an_agentic_question_is_assessed() {
    type Set = fn(&mut Case);
    for (reply, set, is_written) in [
        ("The passages do not say.", (|_| ()) as Set, false),
        ("<think>It is long.</think>", |_| (), false),
        (DRAFT, |case| case.mode = Mode::Simple, true),
        (DRAFT, |case| case.profile = Profile::Large, true),
    ] {
        let (draft, model, _) = assessed(says(&[reply]), set).await;
        assert_eq!((draft.assessment, model.requests().len()), (None, 1));
        assert_eq!(draft.text == DRAFT, is_written, "{reply}");
    }
}

#[tokio::test]
async fn marks_that_rules_add_are_no_fallback_where_none_were_asked_for() {
    let bare = DRAFT.trim_end_matches(" [1].").to_owned() + ".";
    let (draft, _, done) = assessed(says(&[&bare, "yes"]), |_| ()).await;
    assert_eq!((draft.text.as_str(), done.fallbacks), (DRAFT, vec![]));
}

/// A model that writes the draft, and then says no: with the log-odds `draft` of yes to its draft, and with `known` to the
/// answers of which is known whether they are right.
struct Sure {
    draft: f32,
    known: fn(usize) -> Option<f32>,
    asked: std::sync::Mutex<Vec<ChatRequest>>,
}

impl llm::ChatModel for Sure {
    fn name(&self) -> &str {
        "sure"
    }

    fn chat<'a>(
        &'a self,
        request: &'a ChatRequest,
    ) -> llm::BoxFuture<'a, Result<ChatReply, llm::Error>> {
        let mut asked = self.asked.lock().unwrap();
        asked.push(request.clone());
        let odds = match asked.len() {
            1 => None,
            2 => Some(self.draft),
            n => match (self.known)(n - 3) {
                None => {
                    let waited = request.timeout;
                    return Box::pin(async move { Err(llm::Error::TimedOut(waited)) });
                }
                said => said,
            },
        };
        let yes = odds.map(|odds| 1.0 / (1.0 + (-odds).exp()));
        let tokens = yes.map(|yes: f32| llm::TokenProbability {
            text: "no".into(),
            log: (1.0 - yes).ln(),
            others: vec![("yes".into(), yes.ln()), ("no".into(), (1.0 - yes).ln())],
        });
        let reply = ChatReply {
            text: tokens.as_ref().map_or(DRAFT.into(), |_| "no".into()),
            model: "sure".into(),
            usage: Usage {
                calls: 1,
                ..Usage::default()
            },
            tokens: tokens.into_iter().collect(),
        };
        Box::pin(async move { Ok(reply) })
    }
}

/// The likelihood of yes that two steps in one process count, and the calls of each.
async fn twice(draft: f32, known: fn(usize) -> Option<f32>) -> [(f32, u32); 2] {
    twice_with(draft, known, |_| ()).await
}

async fn twice_with(
    draft: f32,
    known: fn(usize) -> Option<f32>,
    set: fn(&mut Case),
) -> [(f32, u32); 2] {
    let model = Arc::new(Sure {
        draft,
        known,
        asked: Default::default(),
    });
    let options = Options {
        assess: Some(true),
        ..Options::default()
    };
    let reducer = Reducer::new(model.clone(), &Prompts::default(), options).unwrap();
    let mut seen = [(0.0, 0); 2];
    for seen in &mut seen {
        let mut cx = cx();
        set(&mut cx.case);
        let done = reducer.run(&cx, generate()).await.unwrap();
        let asked = std::mem::take(&mut *model.asked.lock().unwrap());
        // Somebody waits for the draft.
        let besides = asked.iter().skip(2);
        assert!(
            besides
                .clone()
                .all(|one| one.timeout <= Duration::from_secs(10))
        );
        let ReducerExit::Composed(draft) = &done.out else {
            panic!("no draft");
        };
        *seen = (draft.assessment.unwrap().right, done.usage.calls);
    }
    seen
}

/// The first of each pair of known answers is the right one.
const TELLS: fn(usize) -> Option<f32> = |n| Some(if n % 2 == 0 { 2.0 } else { 0.0 });

#[tokio::test]
async fn the_no_of_a_model_that_guesses_counts_for_nothing() {
    let near = |right: f32, wanted: f32| (right - wanted).abs() < 0.01;
    let [(first, calls), (second, later)] = twice(-1.0, TELLS).await;
    assert!(
        near(first, 0.269) && near(second, 0.269),
        "{first}, {second}"
    );
    assert_eq!((calls, later), (8, 2), "the known answers are asked once");
    let [(first, calls), (second, later)] = twice(-1.0, |_| Some(-1.0)).await;
    assert!(near(first, 0.7) && near(second, 0.7), "{first}, {second}");
    assert_eq!((calls, later), (8, 2));
    // A yes is not looked into.
    let [(first, calls), _] = twice(1.5, |_| Some(-1.0)).await;
    assert!(near(first, 0.818), "{first}");
    assert_eq!(calls, 2);
    // As long as it cannot be asked, its word counts: a call fails, or the turn has too few left.
    let failing = twice(-1.0, |n| (n == 0).then_some(-1.0)).await;
    let few: fn(&mut Case) = |case| case.budget.llm_calls = 7;
    let spent = twice_with(-1.0, |_| Some(-1.0), few).await;
    for ([(first, calls), (second, later)], wanted) in [(failing, 3), (spent, 2)] {
        assert!(
            near(first, 0.269) && near(second, 0.269),
            "{first}, {second}"
        );
        assert_eq!((calls, later), (wanted, wanted));
    }
}
