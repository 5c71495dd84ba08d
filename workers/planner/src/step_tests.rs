//! Tests of the planner's steps against a scripted model, by cases in a data file.

use crate::cases;
use crate::options::Options;
use crate::planning::Planning;
use crate::reply_tests::{fallback, history, options, shown};
use crate::stage::Planner;
use envelope::hop::PlannerExit;
use envelope::lookup::CorpusCatalog;
use envelope::{
    After, Bucket, ConversationId, FanOut, FilterMatch, Findings, PartResult, Plan, PlanTask,
    Profile, ReadMark, Role, Scatter, SearchStrategy, TurnId, UnixMs,
};
use llm::{ChatRequest, Prompts};
use search::CatalogSource;
use serde_json::json;
use stage::{BoxFuture, Stage, StepContext};
use std::sync::Arc;
use testkit::model::{FakeReply, ScriptedModel, passage, step};

pub(crate) const QUESTION: &str = "How long is the guarantee on the Delta pump?";
const FRAGMENT: &str = "And what does it cost?";
pub(crate) const LEASE: &str = "When does the lease of Bolt end?";

#[test]
fn steps() {
    let text = include_str!("../tests-data/steps.txt");
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.unwrap();
    cases::check("steps.txt", text, |place, teller, said| {
        runtime.block_on(told(place, teller, said))
    });
}

/// What comes of a step after these replies, with `then` between them. A question may stand before them, with `::`
/// between.
async fn told(place: &str, teller: &str, said: &str) -> String {
    let (teller, is_prompt) = match teller.strip_suffix(" asked") {
        Some(teller) => (teller, true),
        None => (teller, false),
    };
    let (question, replies) = match said.split_once(" :: ") {
        Some((question, replies)) => (question, replies),
        None if teller == "follow up" => (FRAGMENT, said),
        None if teller == "action" => (LEASE, said),
        None => (QUESTION, said),
    };
    let made = Made::new(place, teller, question);
    let model = ScriptedModel::queue(replies.split(" then ").map(reply));
    let done = made.run(&model).await;
    match is_prompt {
        true => {
            let asked: Vec<String> = model.requests().iter().map(asked).collect();
            asked.join(" | ")
        }
        false => outcome(done, &made.planning, model.requests().len()),
    }
}

fn reply(text: &str) -> FakeReply {
    match text {
        "TOO LONG" => Err(llm::Error::TooLong { limit: Some(400) }),
        "TOO LATE" => Err(llm::Error::TimedOut(std::time::Duration::from_secs(1))),
        text => Ok(text.to_owned()),
    }
}

/// A step that a place describes.
pub(crate) struct Made {
    pub(crate) cx: StepContext,
    pub(crate) planning: Planning,
    has_places: bool,
    reads_at_once: bool,
    corpus: Corpus,
}

impl Made {
    pub(crate) fn new(place: &str, teller: &str, question: &str) -> Made {
        let mut made = Made {
            cx: step(Role::Planner, question),
            planning: PlanTask::First.into(),
            has_places: false,
            reads_at_once: false,
            corpus: Corpus(Vec::new()),
        };
        for property in place.trim_start_matches(" of ").split(", ") {
            made.set(property);
        }
        let scatters: Vec<u16> = made.planning.evidence.iter().map(|done| done.hop).collect();
        let why = "the passages score 0.20 on average, 0.30 is wanted".to_owned();
        made.planning.task = match teller {
            "first plan" => PlanTask::First,
            "follow up" => PlanTask::FollowUp { history: history() },
            "new plan" => PlanTask::Refine { why },
            "review" => PlanTask::Review { why, scatters },
            "action" => PlanTask::Act { scatters },
            _ => panic!("nothing is called `{teller}`"),
        };
        let cx = &mut made.cx;
        match teller {
            "new plan" => cx.case.queries = vec![QUESTION.into(), "Delta pump warranty".into()],
            "review" => cx.case.queries = vec![QUESTION.into()],
            "action" => cx.case.mode = envelope::Mode::Loop,
            _ => {}
        }
        if matches!(teller, "review" | "action") {
            // Not the default: the prompt shows what is set.
            (cx.case.profile, cx.case.score_min) = (Profile::Large, 0.45);
            cx.case.budget.searches = cx.case.budget.searches.min(3);
        }
        made
    }

    fn set(&mut self, property: &str) {
        let (name, value) = property.split_once(' ').unwrap_or((property, ""));
        let number = || value.parse().unwrap();
        let bucket = || Bucket::new(value).unwrap();
        let (header, case) = (&mut self.cx.header, &mut self.cx.case);
        match name {
            "" => {}
            "large" => case.profile = Profile::Large,
            "places" => self.has_places = true,
            "at_once" => self.reads_at_once = true,
            "mapped" => case.scatters = vec![2],
            "parts" => self.corpus = Corpus(value.split(' ').map(str::to_owned).collect()),
            "named" => case.buckets = vec![bucket()],
            "calls" => case.budget.llm_calls = number(),
            "tokens" => case.budget.tokens = u64::from(number()),
            "searches" => case.budget.searches = value.parse().unwrap(),
            "late" => self.cx.now = UnixMs(55_000),
            "replied" => case.question.rewritten = Some(format!("{FRAGMENT} - User clarified: it")),
            "talks" => header.conversation = Some(ConversationId::new("c").unwrap()),
            "answers" => header.parent = Some(TurnId::new("before").unwrap()),
            "found" => self.planning.evidence = vec![searched("Bolt lease", &[value])],
            "missed" => self.planning.evidence = vec![searched(value, &[])],
            "steps" => {
                let looks = (0..number()).map(|n: u32| searched(&format!("look {n}"), &["bolt"]));
                self.planning.evidence = looks.collect();
            }
            _ => panic!("nothing is called `{property}`"),
        }
    }

    pub(crate) async fn run(&self, model: &Arc<ScriptedModel>) -> stage::StepResult<PlannerExit> {
        let options = Options {
            read_at_once: self.reads_at_once.then_some(true),
            ..options(self.has_places)
        };
        let planner = Planner::new(model.clone(), &Prompts::default(), options).unwrap();
        let planner = planner.with_catalog(Arc::new(self.corpus.clone()));
        planner.run(&self.cx, self.planning.clone()).await
    }
}

/// The result of a search by words, of which one passage was read.
fn searched(query: &str, found: &[&str]) -> FanOut {
    let of = |name: &&str| passage(name, "It ends in May.");
    let findings = Findings {
        relevant: true,
        facts: vec!["There is a lease of Bolt.".into()],
        ..Findings::default()
    };
    let read = found
        .iter()
        .map(|_| Some(PartResult::Findings(findings.clone())));
    FanOut {
        hop: 2,
        results: read.collect(),
        scatter: Scatter {
            plan: Plan {
                query: query.into(),
                strategy: SearchStrategy::Keyword,
                ..Plan::default()
            },
            passages: found.iter().map(of).collect(),
            matched: FilterMatch::Matched,
            total_hits: 1,
            after: After::Review,
        },
    }
}

/// A catalog of these buckets; `bills` and `leases` have columns.
#[derive(Clone)]
struct Corpus(Vec<String>);

impl CatalogSource for Corpus {
    fn catalog<'a>(&'a self, _: &'a envelope::Principal) -> BoxFuture<'a, Arc<CorpusCatalog>> {
        let column = |(field, kind): (&str, &str)| json!({"field": field, "type": kind, "documents": 3, "coverage": 1.0});
        let bucket = |name: &String| {
            let columns: Vec<_> = match name.as_str() {
                "bills" => vec![("vendor", "text"), ("total", "number")],
                "leases" => vec![("landlord", "text")],
                _ => Vec::new(),
            };
            let columns: Vec<_> = columns.into_iter().map(column).collect();
            json!({"bucket": name, "description": format!("What is in {name}"), "documents": 3, "columns": columns})
        };
        let buckets: Vec<_> = self.0.iter().map(bucket).collect();
        let catalog = serde_json::from_value(json!({"buckets": buckets})).unwrap();
        Box::pin(std::future::ready(Arc::new(catalog)))
    }
}

/// The exit, what the trail says, the fallbacks, and the calls.
fn outcome(done: stage::StepResult<PlannerExit>, planning: &Planning, calls: usize) -> String {
    let done = match done {
        Ok(done) => done,
        Err(error) => return format!("! {:?} {}; calls {calls}", error.class, error.code),
    };
    let exit = match &done.out {
        PlannerExit::Planned(plan) => shown(plan),
        PlannerExit::Known { plan, chunks } => {
            format!("known {}: {}", chunks.join(" "), shown(plan))
        }
        PlannerExit::Read(plan) => format!("at once: {}", shown(plan)),
        PlannerExit::Ask(doubt) => format!("ask {}", serde_json::to_string(doubt).unwrap()),
        PlannerExit::Enough => "enough".to_owned(),
        PlannerExit::Call { plan, fetch, read } => {
            assert_eq!(*read, ReadMark::of_all(&planning.evidence));
            format!("call {}: {}", fetch.join(" "), shown(plan))
        }
    };
    let fallbacks: Vec<String> = done.fallbacks.iter().map(fallback).collect();
    let calls = match done.usage.calls as usize == calls {
        true => format!("calls {calls}"),
        false => format!("calls {calls}, replies {}", done.usage.calls),
    };
    let mut told = vec![exit, done.decided, fallbacks.join("; "), calls];
    told.retain(|part| !part.is_empty());
    told.join(" | ")
}

/// What a model is asked for, and what it is told beside the question.
fn asked(request: &ChatRequest) -> String {
    let schema = request.schema.as_ref().unwrap();
    let fields = schema.json["properties"].as_object().unwrap();
    let mut told = vec![format!("{} {}", schema.name, request.max_tokens)];
    told.extend(
        fields
            .get("keywords")
            .map(|one| format!("keywords {}", one["maxItems"])),
    );
    told.extend(
        fields
            .get("buckets")
            .map(|one| format!("buckets {}", one["items"]["enum"])),
    );
    if request.system.contains("Lists may be long") {
        told.push("long lists".to_owned());
    }
    for section in ["buckets", "columns"] {
        let lines = llm::section::read(&request.system, section);
        told.extend(lines.map(|lines| format!("<{section}> {}", lines.replace('\n', " "))));
    }
    for section in ["routes", "asked_before"] {
        let lines = llm::section::read(&request.user, section);
        let words = |line: &str| match line.split_once("\" ") {
            Some((route, _)) => route.trim_start_matches('"').to_owned(),
            None => line.to_owned(),
        };
        let lines = lines.map(|lines| lines.lines().map(words).collect::<Vec<_>>().join(" "));
        told.extend(lines.map(|lines| format!("<{section}> {lines}")));
    }
    let wrong = request.user.split_once("could not be used: ");
    told.extend(wrong.map(|(_, wrong)| format!("wrong: {wrong}")));
    told.join("; ")
}
