//! The step: gather, gate, build the prompt, call, finish the draft. The only place that waits.

use crate::answer::{self, Answer, NO_INFORMATION};
use crate::evidence::Evidence;
use crate::gather::{self, Gate, Gathered};
use crate::marks;
use crate::options::Options;
use crate::question;
use crate::quote::citations;
use crate::stitch::stitch;
use crate::table;
use envelope::hop::ReducerExit;
use envelope::{
    Class, Classed, Draft, DraftTable, Fallback, FanOut, Listing, Matched, Passage, Payload,
    ReduceTask, Role, Task, WrongTask,
};
use llm::{
    ChatModel, ChatReply, ChatRequest, LivePiece, Prompt, PromptError, Prompts, TODAY, tokens,
};
use stage::{BoxFuture, Cx, Done, Stage};
use std::sync::Arc;
use std::time::Duration;

/// The delivery with which a call that fails for the moment is given up, if there is time for so many. How
/// long that is depends on what fails: nodes that refuse at once take seconds, a node that says when to
/// come back, or one that never answers, most of the time that the turn has.
const TRIES_MAX: u16 = 5;
/// The time that is kept for bringing an answer out: this part of the whole, at most so much.
const RESERVE_PART: u64 = 8;
const RESERVE_MAX: Duration = Duration::from_secs(15);

/// Why there is no reducer, or no prompt for it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Options that cannot be kept to.
    #[error("reducer options: {0}")]
    Options(String),
    /// A prompt that cannot be used.
    #[error(transparent)]
    Prompt(#[from] PromptError),
}

impl Classed for Error {
    fn class(&self) -> Class {
        Class::Bug
    }

    fn code(&self) -> &'static str {
        match self {
            Error::Options(_) => "reducer_options",
            Error::Prompt(_) => "reducer_prompt",
        }
    }
}

/// The reducer.
pub struct Reducer {
    model: Arc<dyn ChatModel>,
    gather: Prompt,
    strict: Prompt,
    generate: Prompt,
    options: Options,
}

/// What is to be written, and what a draft carries on from its task.
struct Brief<'a> {
    /// `None` where no model is to be asked.
    prompt: Option<&'a Prompt>,
    /// The placeholder that takes the evidence.
    section: &'static str,
    evidence: Evidence,
    scatters: Vec<u16>,
    strict: bool,
    matched: Matched,
}

/// What the reducer works on: what it is asked for, and the fan-outs that this names.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    task: ReduceTask,
    evidence: Vec<FanOut>,
}

impl TryFrom<Task> for Reduction {
    type Error = WrongTask;

    fn try_from(task: Task) -> Result<Self, WrongTask> {
        let evidence = task.evidence;
        match task.payload {
            Payload::Reducer(task) => Ok(Reduction { task, evidence }),
            other => Err(WrongTask { role: other.role() }),
        }
    }
}

/// What a call came to: words, or the reason why there are none that will pass by waiting.
type Written = Result<ChatReply, Fallback>;

impl Reducer {
    /// A reducer that asks `model` with the prompts `reducer`, `reducer_strict` and
    /// `reducer_generate`; fails when prompts or options are nonsense.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        options: Options,
    ) -> Result<Self, Error> {
        options.validate()?;
        let gather = include_str!("../prompts/reducer.md");
        let strict = include_str!("../prompts/reducer_strict.md");
        let generate = include_str!("../prompts/reducer_generate.md");
        Ok(Reducer {
            model,
            gather: prompts.get("reducer", gather, &["question", "facts"])?,
            strict: prompts.get("reducer_strict", strict, &["question", "facts"])?,
            generate: prompts.get("reducer_generate", generate, &["question", "passages"])?,
            options,
        })
    }

    async fn reduce(&self, cx: &Cx, work: Reduction) -> Result<Done<ReducerExit>, stage::Error> {
        let (scatters, strict, last, prompt) = match work.task {
            ReduceTask::Generate { passages, matched } => {
                return self.generate(cx, passages, matched).await;
            }
            ReduceTask::Table { listing } => return Ok(listed(*listing)),
            ReduceTask::Gather {
                scatters,
                strict,
                last,
            } => {
                let prompt = if strict { &self.strict } else { &self.gather };
                (scatters, strict, last, Some(prompt))
            }
            ReduceTask::Stitch { scatters, strict } => (scatters, strict, true, None),
        };
        let mut fallbacks = gather::fallbacks(&work.evidence);
        let newest = work.evidence.last();
        let matched = newest.map_or(Matched::Empty, |newest| newest.scatter.matched.clone());
        let gathered = Gathered::of(work.evidence);
        let shortfall = gathered.shortfall(Gate {
            min_relevant: self.options.min_relevant,
            score_min: self.options.score_min,
        });
        if let Some(why) = &shortfall
            && !last
        {
            match gather::round_refused(cx) {
                None => return Ok(too_little(why.clone(), fallbacks)),
                Some(limit) => fallbacks.push(Fallback::BudgetSpent {
                    limit: limit.into(),
                }),
            }
        }
        let (evidence, trimmed) = Evidence::of_facts(gathered.found, self.options.facts_chars_max);
        if trimmed > 0 {
            fallbacks.push(Fallback::FactsTrimmed { count: trimmed });
        }
        if shortfall.is_some() && !evidence.facts.is_empty() {
            fallbacks.push(Fallback::Caveat);
        }
        let brief = Brief {
            prompt,
            section: "facts",
            evidence,
            scatters,
            strict,
            matched,
        };
        self.compose(cx, brief, fallbacks).await
    }

    async fn generate(
        &self,
        cx: &Cx,
        passages: Vec<Passage>,
        matched: Matched,
    ) -> Result<Done<ReducerExit>, stage::Error> {
        let (evidence, trimmed) = Evidence::of_passages(passages, self.options.passages_chars_max);
        let trimmed = (trimmed > 0).then_some(Fallback::PassagesTrimmed { count: trimmed });
        let brief = Brief {
            prompt: Some(&self.generate),
            section: "passages",
            evidence,
            scatters: Vec::new(),
            strict: false,
            matched,
        };
        self.compose(cx, brief, trimmed.into_iter().collect()).await
    }

    async fn compose(
        &self,
        cx: &Cx,
        mut brief: Brief<'_>,
        mut fallbacks: Vec<Fallback>,
    ) -> Result<Done<ReducerExit>, stage::Error> {
        if brief.evidence.facts.is_empty() {
            let mut done = no_information(brief, "no fact to answer from");
            done.fallbacks.splice(0..0, fallbacks);
            return Ok(done);
        }
        let prompt = brief.prompt.map(|own| own.or(&cx.case.overrides.prompts));
        let prompt = prompt.transpose().map_err(Error::from)?;
        let written = match &prompt {
            Some(prompt) => self.ask(cx, prompt, &mut brief, &mut fallbacks).await?,
            None => Err(Fallback::ReduceDefault),
        };
        let mut done = match written {
            Ok(reply) => {
                let done = self.drafted(cx, brief, reply);
                match &prompt {
                    Some(prompt) => done.with_prompt(prompt.name(), prompt.version()),
                    None => done,
                }
            }
            Err(reason) => {
                fallbacks.extend(Some(reason).filter(|r| *r != Fallback::ReduceDefault));
                self.stitched(cx, brief)
            }
        };
        done.fallbacks.splice(0..0, fallbacks);
        Ok(done)
    }

    /// One call that is answered. A prompt that is too long is sent again with fewer sources. What
    /// waiting cannot cure, or has not cured for long enough, is no error here: the facts are there, and
    /// they are an answer. Everything else is left to the harness.
    async fn ask(
        &self,
        cx: &Cx,
        prompt: &Prompt,
        brief: &mut Brief<'_>,
        fallbacks: &mut Vec<Fallback>,
    ) -> Result<Written, stage::Error> {
        if let Some(limit) = cx.case.budget.spent() {
            let limit = limit.into();
            return Ok(Err(Fallback::BudgetSpent { limit }));
        }
        let whole = brief.evidence.clone();
        let mut dropped = 0;
        let written = loop {
            let request = self.request(cx, prompt, brief)?;
            match self.call(cx, &request).await {
                Ok(reply) => break Ok(reply),
                // Ends: each time at least one source less.
                Err(llm::Error::TooLong { limit }) if brief.evidence.sources.len() > 1 => {
                    dropped += brief.evidence.shrink(share(limit, &request));
                }
                Err(error) if is_hopeless(&error, cx) => break Err(Fallback::ReduceDefault),
                Err(error) => return Err(error.into()),
            }
        };
        if written.is_err() {
            // What needs no model has room for all of it.
            brief.evidence = whole;
        } else if dropped > 0 {
            fallbacks.push(Fallback::PassagesTrimmed { count: dropped });
        }
        Ok(written)
    }

    /// The same call whether somebody hears the draft while it is written or not.
    async fn call(&self, cx: &Cx, request: &ChatRequest) -> Result<ChatReply, llm::Error> {
        if !cx.live.is_on() {
            return self.model.chat(request).await;
        }
        let listener = |piece: LivePiece<'_>| match piece {
            LivePiece::Anew => cx.live.anew(),
            LivePiece::Text(text) => cx.live.text(text),
        };
        self.model.chat_live(request, &listener).await
    }

    fn request(&self, cx: &Cx, prompt: &Prompt, brief: &Brief<'_>) -> Result<ChatRequest, Error> {
        let prompt = prompt.render(&[
            (TODAY, &cx.today()),
            ("question", &question::shown(&cx.case.question)),
            (brief.section, &brief.evidence.section()),
        ])?;
        Ok(ChatRequest {
            role: Role::Reducer,
            model: cx.case.overrides.model.clone(),
            turn: cx.header.turn.clone(),
            tenant: cx.header.tenant.clone(),
            system: prompt.system,
            user: prompt.user,
            max_tokens: self.options.max_tokens,
            schema: None,
            timeout: self.options.call_timeout.duration().min(time_to_call(cx)),
        })
    }

    /// The draft that a model wrote.
    fn drafted(&self, cx: &Cx, brief: Brief<'_>, reply: ChatReply) -> Done<ReducerExit> {
        let done = match answer::read(&reply.text) {
            Answer::Text(text) => {
                let text = marks::normal(&text);
                let facts = &brief.evidence.facts;
                let (text, count) = marks::added(&text, facts, self.options.cite_overlap_min);
                let mut done = composed(brief, text, Origin::Model);
                if count > 0 {
                    done.fallbacks.insert(0, Fallback::MarksAdded { count });
                }
                done
            }
            Answer::NoInformation => no_information(brief, "the facts do not answer"),
            Answer::Nothing => {
                cx.live.anew();
                self.stitched(cx, brief)
            }
        };
        done.with_model(reply.model, reply.usage)
    }

    /// The draft that no model wrote.
    fn stitched(&self, cx: &Cx, brief: Brief<'_>) -> Done<ReducerExit> {
        let question = cx.case.question.best();
        let text = stitch(question, &brief.evidence.facts, self.options.stitched_max);
        composed(brief, text, Origin::Facts).with_fallback(Fallback::ReduceDefault)
    }
}

impl Stage for Reducer {
    type In = Reduction;
    type Out = ReducerExit;
    const ROLE: Role = Role::Reducer;

    fn run<'a>(
        &'a self,
        cx: &'a Cx,
        work: Reduction,
    ) -> BoxFuture<'a, Result<Done<ReducerExit>, stage::Error>> {
        Box::pin(self.reduce(cx, work))
    }
}

/// What share of the evidence fits a context: half of it where the context is not known.
fn share(context: Option<u32>, request: &ChatRequest) -> f64 {
    let prompt = tokens::estimate(&request.system) + tokens::estimate(&request.user);
    let room = context.map(|context| context.saturating_sub(request.max_tokens));
    let share = room.map_or(0.5, |room| f64::from(room) / f64::from(prompt.max(1)));
    // Below a tenth a wrong number would throw everything away; above, it was too long all the same.
    share.clamp(0.1, 0.9)
}

/// Whether the call is not worth another try: waiting cannot cure it, or it was tried often, or when it
/// may be tried again, the time is needed to bring the answer out.
fn is_hopeless(error: &llm::Error, cx: &Cx) -> bool {
    match error.class() {
        Class::Permanent | Class::TooLarge => true,
        Class::Transient if cx.attempt >= TRIES_MAX => true,
        Class::Transient | Class::Overloaded => {
            let wait = error.retry_after().unwrap_or_default();
            wait.saturating_add(reserve(cx)) >= cx.time_left()
        }
        Class::Bug => false,
    }
}

/// How long a call may take, so that what was read can still be brought out when it comes to nothing. What
/// begins late keeps half of what is left: most calls end long before.
fn time_to_call(cx: &Cx) -> Duration {
    let left = cx.time_left();
    left - reserve(cx).min(left / 2)
}

/// The time that is kept for bringing the answer out.
fn reserve(cx: &Cx) -> Duration {
    let whole = cx.header.asked_at.until(cx.header.deadline);
    Duration::from_millis(whole / RESERVE_PART).min(RESERVE_MAX)
}

fn too_little(why: String, fallbacks: Vec<Fallback>) -> Done<ReducerExit> {
    let decided = format!("too little: {why}");
    let mut done = Done::new(ReducerExit::TooLittle { why }, decided);
    done.fallbacks = fallbacks;
    done
}

/// Where the text of a draft is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Model,
    /// The facts themselves.
    Facts,
    /// There is nothing to say.
    Nothing,
}

fn composed(brief: Brief<'_>, text: String, origin: Origin) -> Done<ReducerExit> {
    let Evidence { facts, sources, .. } = &brief.evidence;
    let count = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let (facts, sources) = (count(facts.len(), "fact"), count(sources.len(), "source"));
    let how = match origin {
        Origin::Facts => "stitched",
        Origin::Model | Origin::Nothing => "composed",
    };
    let decided = format!("{how} from {facts} of {sources}");
    draft(brief, text, origin, decided)
}

/// The draft that a table is: what it tells is checked against what the table was made of.
fn listed(listing: Listing) -> Done<ReducerExit> {
    let text = table::text(&listing);
    let rows = listing.table.rows.len();
    let draft = Draft {
        text,
        sources: listing.sources,
        facts: Vec::new(),
        scatters: Vec::new(),
        strict: false,
        no_information: false,
        stitched: false,
        matched: Matched::Matched,
        table: Some(Box::new(DraftTable {
            table: listing.table,
            digest: listing.digest,
        })),
    };
    let noun = if rows == 1 { "row" } else { "rows" };
    Done::new(
        ReducerExit::Composed(draft),
        format!("a table of {rows} {noun}"),
    )
}

fn no_information(brief: Brief<'_>, decided: &str) -> Done<ReducerExit> {
    draft(
        brief,
        NO_INFORMATION.into(),
        Origin::Nothing,
        decided.into(),
    )
}

fn draft(brief: Brief<'_>, text: String, origin: Origin, decided: String) -> Done<ReducerExit> {
    let (sources, replaced) = citations(&brief.evidence, &text);
    let draft = Draft {
        sources,
        facts: brief.evidence.facts,
        text,
        scatters: brief.scatters,
        strict: brief.strict,
        no_information: origin == Origin::Nothing,
        stitched: origin == Origin::Facts,
        matched: brief.matched,
        table: None,
    };
    let done = Done::new(ReducerExit::Composed(draft), decided);
    match replaced {
        0 => done,
        count => done.with_fallback(Fallback::QuotesReplaced { count }),
    }
}

#[cfg(test)]
#[path = "stage_tests.rs"]
mod tests;
