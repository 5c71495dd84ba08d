//! The graph of a turn as one pure function: from the exit of a step, or another event, to what follows.
//!
//! Each line of the table says which exit of a role leads to which next step. The task of that step is in brackets.
//! `agentic`, `simple` and `loop` are the modes of a question. A search says itself what is to follow it, as `then`.
//!
//! ```text
//! accepted      in a conversation: conversation; otherwise the same as after Recalled
//! conversation  Recalled, by mode -> agentic: planner; simple: retriever (then generate); loop: planner (act)
//! planner       Planned, Known or Read -> retriever
//!               Call, which is an action of a loop -> retriever (then review)
//!               Ask -> clarifier
//!               Enough -> reducer (last); in a loop: reducer (read)
//! retriever     Found, then map -> scatter record -> mapper, one for each passage
//!               Found, then generate -> reducer (generate)
//!               Found, then review -> scatter record -> planner (act)
//!               Listed -> reducer (table)
//!               NothingFound -> clarifier; in a later round: reducer (last)
//! mapper        Findings -> part; the join makes the step of the reducer (see `fanout`)
//! reducer       Composed -> validator
//!               TooLittle -> planner (refine; in the profile large: review)
//! validator     Grounded -> end
//!               Ungrounded -> reducer (strict), or clarifier, or end with an answer flagged as of low confidence
//!               Insufficient -> planner (refine or review), or clarifier, or end with an answer flagged likewise
//! clarifier     -> end
//! any role      a step that is broken for good -> the default of its task (see `default_of`); for a reducer that
//!               gathers parts: an answer made of what was read, without a model
//! ```
//! The graph does *not* decide whether a draft is good or a plan is new; stages do. It decides which role is next,
//! what the turn may still spend, and that every turn ends. [`hop`](crate::hop) lists what a step carries and which
//! exits it has; `turn` keeps account of what is spent and remembered on the way.

mod turn;

use crate::findings::PartResult;
use crate::history::History;
use crate::hop::{
    ConversationExit, Exit, Payload, PlannerExit, ReducerExit, RetrieverExit, Task, ValidatorExit,
};
use crate::ids::TurnId;
use crate::message::{Case, Header, Mode, UnixMs};
use crate::payload::{After, Plan, PlanTask, Recall, ReduceTask, Scatter, Verdict};
use crate::terminal::{Clarification, Resume, Terminal};
use crate::trail::{Fallback, Usage};
use turn::{Turn, step};

/// The event from which the graph continues.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A new turn that brings its history along: hop 0 has to be made.
    Accepted(History),
    /// A new turn that replies to the question back of another one: hop 0 has to be made.
    Resumed(TurnId, Resume),
    /// A turn of a conversation may begin: hop 0 has to be made, which reads the history.
    Begun(Recall),
    /// A step has ended with this exit.
    Exit(Exit),
    /// A step has failed for good, with its task as far as the harness could complete it, and the reason code.
    Broken(Task, &'static str),
    /// A step can never be read: only its turn and hop are known. Contains the reason code.
    Unread(&'static str),
}

impl<E: Into<Exit>> From<E> for Event {
    fn from(exit: E) -> Event {
        Event::Exit(exit.into())
    }
}

/// What follows.
#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    /// A step.
    Step(Payload),
    /// A scatter record, from which map steps follow.
    Scatter(Scatter),
    /// The part of a map step.
    Part(PartResult),
    /// The terminal event.
    End(Box<Terminal>),
}

/// The result of the graph: what follows, with its header and case.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// Hop, round and role of the next step.
    pub header: Header,
    /// The case as the next step sees it.
    pub case: Case,
    /// What follows.
    pub next: Next,
    /// Fallbacks that the graph itself used.
    pub fallbacks: Vec<Fallback>,
}

/// What follows from an event at the step of `header`, which has spent `usage`. For
/// [`Event::Accepted`], [`Event::Resumed`] and [`Event::Begun`] `header` is that of hop 0 itself.
pub fn route(header: &Header, case: &Case, event: Event, usage: &Usage, now: UnixMs) -> Transition {
    let mut turn = Turn::after(header, case, &event, usage, now);
    let next = match event {
        Event::Accepted(history) => begin(&mut turn, history),
        Event::Resumed(parent, resume) => {
            turn.resumed(Some((parent, resume)));
            begin(&mut turn, History::default())
        }
        Event::Begun(recall) => step(recall),
        Event::Exit(exit) => follow(&mut turn, exit),
        Event::Broken(task, code) => default_of(&mut turn, task, code),
        Event::Unread(code) => turn.failed("step", code),
    };
    turn.bounded(next)
}

/// The first step that thinks.
fn begin(turn: &mut Turn, history: History) -> Next {
    match turn.case.mode {
        Mode::Simple => turn.search(Plan::after(&turn.case, &history), After::Generate),
        // A user in a dialogue can be asked back, also about the first question.
        Mode::Agentic if history.is_empty() && turn.header.conversation.is_none() => {
            step(PlanTask::First)
        }
        Mode::Agentic => step(PlanTask::FollowUp { history }),
        // It acts on a question that stands alone.
        Mode::Loop if history.is_empty() => step(PlanTask::Act {
            scatters: Vec::new(),
        }),
        Mode::Loop => step(PlanTask::FollowUp { history }),
    }
}

fn follow(turn: &mut Turn, exit: Exit) -> Next {
    match exit {
        Exit::Conversation(ConversationExit::Recalled { history, resumed }) => {
            turn.resumed(resumed);
            begin(turn, history)
        }
        Exit::Planner(PlannerExit::Planned(plan)) => turn.search(plan, turn.after_plan()),
        Exit::Planner(PlannerExit::Known { plan, chunks }) => match turn.case.mode {
            Mode::Agentic | Mode::Simple => turn.look(plan, After::Map, chunks),
            Mode::Loop => turn.search(plan, After::Review),
        },
        Exit::Planner(PlannerExit::Read(plan)) => turn.search(plan, After::Generate),
        Exit::Planner(PlannerExit::Ask(doubt)) => step(doubt),
        Exit::Planner(PlannerExit::Enough) => turn.enough(),
        Exit::Planner(PlannerExit::Call { plan, fetch, read }) => turn.act(plan, fetch, read),
        Exit::Retriever(RetrieverExit::Found(found)) => turn.found(*found),
        Exit::Retriever(RetrieverExit::Listed(listing)) => step(ReduceTask::Table { listing }),
        Exit::Retriever(RetrieverExit::NothingFound(doubt)) if turn.case.scatters.is_empty() => {
            step(doubt)
        }
        // A later round that finds nothing does not undo what an earlier one found.
        Exit::Retriever(RetrieverExit::NothingFound(_)) => turn.reduce(),
        Exit::Mapper(findings) => Next::Part(PartResult::Findings(findings)),
        Exit::Reducer(ReducerExit::Composed(draft)) => step(draft),
        Exit::Reducer(ReducerExit::TooLittle { why, read }) => turn.refine(why, read),
        Exit::Validator(ValidatorExit::Grounded(verdict)) => turn.answered(verdict),
        Exit::Validator(ValidatorExit::Ungrounded {
            verdict,
            stricter_from,
            reason,
        }) => turn.stricter(verdict, stricter_from, reason),
        Exit::Validator(ValidatorExit::Insufficient {
            verdict,
            reason,
            read,
        }) => turn.insufficient(verdict, reason, read),
        Exit::Clarifier(question) => turn.clarified(question),
    }
}

/// The named default of each stage that is broken for good. One that has none ends the turn.
fn default_of(turn: &mut Turn, task: Task, code: &'static str) -> Next {
    match task.payload {
        // Without the question that it answers, a reply would be searched for with none of its conditions.
        Payload::Conversation(Recall {
            answers: Some(_), ..
        }) => turn.failed("reading of the question that this answers", code),
        Payload::Conversation(_) => {
            turn.fallbacks.push(Fallback::NoHistory);
            begin(turn, History::default())
        }
        Payload::Planner(PlanTask::First) => turn.basic_rag(&History::default()),
        Payload::Planner(PlanTask::FollowUp { history }) => turn.basic_rag(&history),
        Payload::Planner(PlanTask::Act { .. }) if !turn.case.scatters.is_empty() => turn.reduce(),
        Payload::Planner(PlanTask::Act { .. }) => turn.basic_rag(&History::default()),
        // The search that there was reads on.
        Payload::Planner(PlanTask::Refine { .. } | PlanTask::Review { .. }) => {
            turn.fallbacks.push(Fallback::PlanDefault);
            turn.search(Plan::from_question(&turn.case), After::Map)
        }
        // As one that finds nothing: what earlier rounds have read is there.
        Payload::Retriever(_) if !turn.case.scatters.is_empty() => turn.reduce(),
        Payload::Retriever(_) => turn.failed("search", code),
        Payload::Mapper(_) => Next::Part(PartResult::Error(code.into())),
        // What was read is there, and it is an answer; a model that was just asked is not asked again.
        Payload::Reducer(ReduceTask::Gather {
            scatters, strict, ..
        }) => step(ReduceTask::Stitch { scatters, strict }),
        Payload::Reducer(
            ReduceTask::Stitch { .. }
            | ReduceTask::Read { .. }
            | ReduceTask::Generate { .. }
            | ReduceTask::Table { .. },
        ) => turn.failed("writing of the answer", code),
        Payload::Validator(draft) => {
            turn.fallbacks.push(Fallback::Unvalidated);
            turn.answered(Verdict::unchecked(draft))
        }
        Payload::Clarifier(doubt) => {
            turn.fallbacks.push(Fallback::ClarifyDefault);
            let question = Clarification::template(&turn.header.turn, &doubt);
            turn.clarified(question)
        }
    }
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "route_talk_tests.rs"]
mod talk_tests;

#[cfg(test)]
mod event_tests;

#[cfg(test)]
mod longest_tests;

#[cfg(test)]
mod loop_tests;
