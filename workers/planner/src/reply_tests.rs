//! Tests of what is read out of a model's replies, by cases in a data file, and of limits that hold for any reply.

use crate::bucket_choice;
use crate::bucket_note::BucketNote;
use crate::cases;
use crate::corpus_note::CorpusNote;
use crate::fingerprint::Fingerprint;
use crate::follow_up::{self, FollowUp};
use crate::lists::ListLimits;
use crate::options::Options;
use crate::plan::{self, PlanReading, ReadBy};
use crate::review::{self, Decision, ReviewBy, Reviewed};
use crate::routes;
use crate::tools::{Tool, Toolbox};
use crate::trail_line;
use envelope::limits::{QUESTION_CHARS_MAX, REASON_CHARS_MAX, TOPICS_MAX};
use envelope::lookup::CorpusCatalog;
use envelope::{Bucket, Exchange, Fallback, History, Plan, PlanRoute, Profile, QuestionText};
use proptest::prelude::*;
use serde_json::{Value, json};

const FRAGMENT: &str = "And what does it cost?";

#[test]
fn replies() {
    let text = include_str!("../tests-data/replies.txt");
    cases::check("replies.txt", text, told);
}

/// What a reply says. A question may stand before it, with `::` between; `LONG` stands for a long text.
fn told(place: &str, teller: &str, said: &str) -> String {
    let said = said
        .replace('\n', "\\n")
        .replace("LONG", &"Bolt ".repeat(200));
    let (question, reply) = said.split_once(" :: ").unwrap_or((FRAGMENT, &said));
    let is = |word: &str| place.contains(word);
    let none = || "none".to_owned();
    match teller {
        "plan" => {
            let read = read_plan(reply, question, is("large"), is("trusting"));
            read.map_or_else(none, |PlanReading { plan, fallbacks }| {
                let told = fallbacks.iter().map(|one| format!("; {}", fallback(one)));
                format!("{}{}", shown(&plan), told.collect::<String>())
            })
        }
        "purposes" => {
            let read = read_plan(reply, question, true, false);
            read.map_or_else(none, |read| read.plan.purposes.join("; "))
        }
        "choice" => chosen(reply),
        "route" => {
            let read = routed(reply, question, &PlanRoute::ALL);
            read.map_or_else(none, |read| trail_line::of_route(&read, &history()))
        }
        "review" => reviewed(reply, is("talks")),
        "call" => {
            let call = serde_json::from_str(reply).unwrap();
            let call = toolbox(is("places")).read(&call);
            call.map_or_else(|wrong| format!("! {wrong}"), |call| call.to_string())
        }
        "search" => {
            let call = json!({"tool": reply, "args": {"query": "q"}});
            let call = toolbox(true).read(&call).unwrap();
            shown(&call.plan(question, &options(true)))
        }
        "routes" => offered(reply),
        "same search" => {
            let earlier = ["What is the total of the invoice?", "who?"].map(str::to_owned);
            Fingerprint::of(reply).is_among(&earlier).to_string()
        }
        _ => panic!("nothing is called `{teller}`"),
    }
}

fn read_plan(
    reply: &str,
    question: &str,
    is_large: bool,
    is_trusting: bool,
) -> Option<PlanReading> {
    let options = Options {
        unnamed_hints: is_trusting,
        ..Options::default()
    };
    let profile = match is_large {
        true => Profile::Large,
        false => Profile::Small,
    };
    let corpus = CorpusNote {
        buckets: parts(),
        ..CorpusNote::default()
    };
    let by = ReadBy {
        options: &options,
        limits: ListLimits::new(profile, &options),
        corpus: &corpus,
    };
    plan::read(&plan::fields(reply), question, by)
}

/// A plan: its line in the trail, and what that leaves out. All conditions of a plan are guesses.
pub(crate) fn shown(plan: &Plan) -> String {
    assert!(plan.filter.0.iter().all(|one| one.origin.is_guess()));
    let mut said = format!("{}; <{}>", trail_line::of_plan(plan), plan.query);
    let hints = plan.bucket_hints.iter().map(|one| one.as_str().to_owned());
    for (name, values) in [
        ("keywords", plan.keywords.clone()),
        ("topics", plan.topics.clone()),
        ("hints", hints.collect()),
        ("rewritten", plan.rewritten.clone().into_iter().collect()),
        ("context", vec![plan.context.clone()]),
    ] {
        if !values.concat().is_empty() {
            said.push_str(&format!("; {name} {}", values.join(", ")));
        }
    }
    said
}

/// A fallback with its details.
pub(crate) fn fallback(fallback: &Fallback) -> String {
    let mut details = serde_json::to_value(fallback).unwrap();
    let details = details.as_object_mut().unwrap();
    details.remove("kind");
    let details = details.values().map(|value| format!(" {value}"));
    format!("{}{}", fallback.as_str(), details.collect::<String>())
}

fn parts() -> Vec<BucketNote> {
    let note = |name: &str| BucketNote {
        bucket: Bucket::new(name).unwrap(),
        description: String::new(),
    };
    ["bills", "leases"].map(note).to_vec()
}

fn chosen(reply: &str) -> String {
    let Some(choice) = bucket_choice::read(reply, &parts()) else {
        return "none".to_owned();
    };
    let bucket = choice.bucket.as_ref().map_or("no part", |one| one.as_str());
    let intent = choice.intent.map_or("", |intent| intent.as_str());
    let unsaid = if choice.is_said { "" } else { " unsaid" };
    format!("{bucket} {intent}{unsaid}")
}

/// A conversation of one exchange.
pub(crate) fn history() -> History {
    let exchange = Exchange {
        question: "How long is the guarantee on the Delta pump?".into(),
        answer: "24 months [1].".into(),
    };
    History::of(vec![exchange], vec!["manual.3".into()])
}

fn routed(reply: &str, question: &str, offered: &[PlanRoute]) -> Option<FollowUp> {
    let object: Value = serde_json::from_str(reply).unwrap();
    follow_up::read(&object, question, &history(), offered)
}

fn reviewed(reply: &str, may_ask: bool) -> String {
    let tools = Toolbox::of(
        &Tool::OF_REVIEW,
        &Options::default(),
        &CorpusCatalog::default(),
        &[],
    );
    let by = ReviewBy {
        question: "How long?",
        queries: &["how long".to_owned()],
        tools: &tools,
        may_ask,
    };
    match review::decide(reply, &by) {
        Err(wrong) => format!("! {wrong}"),
        Ok(Reviewed { decision, told, .. }) => match decision {
            Decision::Enough => format!("enough {told}"),
            Decision::More(call) => call.to_string(),
            Decision::Clarify(doubt) => doubt.as_str().to_owned(),
        },
    }
}

pub(crate) fn options(has_places: bool) -> Options {
    let places = has_places.then(|| Bucket::new("facilities").unwrap());
    Options {
        location_buckets: places.into_iter().collect(),
        ..Options::default()
    }
}

fn toolbox(has_places: bool) -> Toolbox {
    let named = ["contracts", "bills"].map(|name| Bucket::new(name).unwrap());
    let options = options(has_places);
    Toolbox::of(
        &Tool::OF_REVIEW,
        &options,
        &CorpusCatalog::default(),
        &named,
    )
}

/// The routes of a question with these properties.
fn offered(properties: &str) -> String {
    let is = |word: &str| properties.contains(word);
    let question = QuestionText {
        rewritten: is("replied").then(|| "a - User clarified: b".into()),
        ..QuestionText::default()
    };
    let history = match properties {
        _ if is("answered") => history(),
        _ if is("said") => History::of(vec![Exchange::default()], Vec::new()),
        _ => History::default(),
    };
    let offered = routes::offered(&question, &history, &options(is("places")));
    let words: Vec<_> = offered.into_iter().map(PlanRoute::as_str).collect();
    words.join(" ")
}

#[test]
fn a_route_that_is_not_offered_is_a_search() {
    for route in PlanRoute::ALL {
        let reply = json!({"route": route.as_str(), "question": "What does the Delta pump cost?"});
        let reply = reply.to_string();
        let read = routed(&reply, FRAGMENT, &PlanRoute::ALL).unwrap();
        assert_eq!(read.route, route);
        let read = routed(&reply, FRAGMENT, &[]).unwrap();
        let searched = follow_up::searched(&read.rewritten);
        assert_eq!(read.route, searched, "{}", route.as_str());
    }
}

#[test]
fn a_tool_that_is_not_there_is_not_told() {
    let lines = |has_places| toolbox(has_places).lines();
    assert!(lines(true).contains("- search_location(query)"));
    assert!(!lines(false).contains("search_location"));
    assert!(lines(false).ends_with("Buckets: contracts, bills"));
}

#[test]
fn what_was_said_is_shown_line_by_line_and_counted() {
    let mut long = history();
    long.older = vec!["Which\npumps are there?".into()];
    long.left_out = 2;
    assert_eq!(
        follow_up::section(&long),
        "User: Which pumps are there?\n\
         User: How long is the guarantee on the Delta pump?\n\
         Assistant: 24 months [1]."
    );
    let used = "after 1 exchange and 1 older question, 2 left out";
    assert_eq!(follow_up::used(&long), used);
}

proptest! {
    #[test]
    fn whatever_is_written_the_plan_keeps_its_limits(
        answer in "(\"keywords\": ?\\[|\"query\": ?|[{}\\[\\]\",: a-z]|\\PC){0,60}",
        listed in proptest::collection::vec("\\PC{0,120}", 0..40),
        hint in "\\PC{0,12}",
        question in "\\PC{1,60}",
    ) {
        let made = json!({
            "keywords": listed, "topics": listed, "buckets": listed, "class": hint, "source_hint": hint
        });
        for answer in [answer, made.to_string()] {
            let read = read_plan(&answer, &question, false, false);
            let Some(PlanReading { plan, .. }) = read else { continue };
            prop_assert!(plan.keywords.len() <= 6 && plan.topics.len() <= TOPICS_MAX);
            prop_assert!(plan.filter.0.len() <= 2 && plan.bucket_hints.len() <= 2);
            prop_assert!(plan.query.chars().count() <= QUESTION_CHARS_MAX + 6 * 81);
        }
    }

    #[test]
    fn whatever_is_said_of_a_route_limits_hold(
        route in "\\PC{0,12}",
        question in "\\PC{0,60}",
        reason in "\\PC{0,400}",
    ) {
        let reply = json!({"route": route, "question": question, "reason": reason}).to_string();
        if let Some(read) = routed(&reply, FRAGMENT, &PlanRoute::ALL) {
            prop_assert!(read.reason.chars().count() <= REASON_CHARS_MAX);
            prop_assert!(read.route != PlanRoute::RewriteThenRetrieve || read.rewritten.is_some());
        }
    }

    #[test]
    fn order_case_and_repetition_do_not_matter(
        words in proptest::collection::vec("[a-z]{1,8}", 1..8),
        turn in 0usize..8,
    ) {
        let mut turned = words.clone();
        turned.rotate_left(turn % words.len());
        turned.push(words[0].to_uppercase());
        prop_assert_eq!(Fingerprint::of(&words.join(" ")), Fingerprint::of(&turned.join(", ")));
    }
}
