//! The graph of an answer, as one pure function: what happened to a step, to the step that follows.
//!
//! ```text
//! accepted   in a conversation: conversation | else as after it
//! conversation Recalled -> agentic: planner | simple: retriever (then generate)
//! planner    Planned | Known | Located -> retriever  NoProgress -> reducer (last)  Ask -> clarifier
//! retriever  Found -> scatter -> mapper xN | then generate: reducer (generate)
//!            Listed -> reducer (table)
//!            NothingFound -> clarifier | in a later round: reducer (last)
//! mapper     Findings -> part; the join makes the reducer's step (see `fanout`)
//! reducer    Composed -> validator         TooLittle -> planner (refine)
//! validator  Grounded -> end               Ungrounded -> reducer (strict), or clarifier, or end, flagged
//! clarifier  -> end
//! any        Broken -> its named default: see `default_of`; of the reducer: what was read, without a model
//! ```
//! Nothing here decides *whether* a draft is good or a plan is new; stages do. What is decided
//! here: which role is next, what may still be spent, and that every turn ends. What a step carries and
//! what it may come to stands in [`hop`](crate::hop).

use crate::filter::Filter;
use crate::history::History;
use crate::hop::{
    ConversationExit, Exit, Payload, PlannerExit, ReducerExit, RetrieverExit, Task, ValidatorExit,
};
use crate::ids::TurnId;
use crate::limits::HOPS_MAX;
use crate::message::{Asked, Case, Header, Mode, UnixMs};
use crate::payload::{
    After, Doubt, PartResult, Plan, PlanTask, Recall, ReduceTask, Scatter, Search, Verdict,
};
use crate::role::Role;
use crate::terminal::{
    CLARIFICATION_MS, CLARIFIED, Clarification, Outcome, Problem, Resume, Terminal,
};
use crate::trail::{Fallback, Usage};

/// What the graph is asked about.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A new turn that brings along what was said before it: hop 0 is wanted.
    Accepted(History),
    /// A new turn that answers the question back of another one: hop 0 is wanted.
    Resumed(TurnId, Resume),
    /// A turn of a conversation may begin: hop 0 is wanted, which reads what was said.
    Begun(Recall),
    /// A step came to this.
    Exit(Exit),
    /// A step is broken for good, as far as it was made whole; the reason code.
    Broken(Task, &'static str),
    /// A step cannot be read, for good: nothing is known but turn and hop. The reason code.
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

/// What follows, with the header and the case of the step that it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// Hop, round and role of the next step.
    pub header: Header,
    /// The case as the next step sees it.
    pub case: Case,
    /// What it is to do.
    pub next: Next,
    /// Fallbacks that the routing itself took.
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
        // Who talks is there to be asked back, also about the first question.
        Mode::Agentic if history.is_empty() && turn.header.conversation.is_none() => {
            step(PlanTask::First)
        }
        Mode::Agentic => step(PlanTask::FollowUp { history }),
    }
}

fn follow(turn: &mut Turn, exit: Exit) -> Next {
    match exit {
        Exit::Conversation(ConversationExit::Recalled { history, resumed }) => {
            turn.resumed(resumed);
            begin(turn, history)
        }
        Exit::Planner(PlannerExit::Planned(plan)) => turn.search(plan, After::Map),
        Exit::Planner(PlannerExit::Known { plan, chunks }) => turn.look(plan, chunks),
        Exit::Planner(PlannerExit::Located(plan)) => turn.search(plan, After::Generate),
        Exit::Planner(PlannerExit::Ask(doubt)) => step(doubt),
        Exit::Planner(PlannerExit::NoProgress) => turn.reduce(),
        Exit::Retriever(RetrieverExit::Found(found)) => turn.found(*found),
        Exit::Retriever(RetrieverExit::Listed(listing)) => step(ReduceTask::Table { listing }),
        Exit::Retriever(RetrieverExit::NothingFound(doubt)) if turn.case.scatters.is_empty() => {
            step(doubt)
        }
        // A later round that finds nothing does not undo what an earlier one found.
        Exit::Retriever(RetrieverExit::NothingFound(_)) => turn.reduce(),
        Exit::Mapper(findings) => Next::Part(PartResult::Findings(findings)),
        Exit::Reducer(ReducerExit::Composed(draft)) => step(draft),
        Exit::Reducer(ReducerExit::TooLittle { why }) => turn.refine(why),
        Exit::Validator(ValidatorExit::Grounded(verdict)) => turn.answered(verdict),
        Exit::Validator(ValidatorExit::Ungrounded {
            verdict,
            stricter_from,
            reason,
        }) => turn.stricter(verdict, stricter_from, reason),
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
        Payload::Planner(PlanTask::Refine { .. }) => {
            turn.fallbacks.push(Fallback::NoProgress);
            turn.reduce()
        }
        Payload::Retriever(_) => turn.failed("search", code),
        Payload::Mapper(_) => Next::Part(PartResult::Error(code.into())),
        // What was read is there, and it is an answer; a model that was just asked is not asked again.
        Payload::Reducer(ReduceTask::Gather {
            scatters, strict, ..
        }) => step(ReduceTask::Stitch { scatters, strict }),
        Payload::Reducer(
            ReduceTask::Stitch { .. } | ReduceTask::Generate { .. } | ReduceTask::Table { .. },
        ) => turn.failed("writing of the answer", code),
        Payload::Validator(draft) => {
            turn.fallbacks.push(Fallback::Unvalidated);
            turn.answered(Verdict {
                answer: draft.text,
                citations: draft.sources,
                confidence: 0.0,
                low_confidence: true,
                table: draft.table.map(|of| Box::new(of.table)),
            })
        }
        Payload::Clarifier(doubt) => {
            turn.fallbacks.push(Fallback::ClarifyDefault);
            let question = Clarification::template(&turn.header.turn, &doubt);
            turn.clarified(question)
        }
    }
}

fn step(payload: impl Into<Payload>) -> Next {
    Next::Step(payload.into())
}

fn generate(found: Scatter) -> Next {
    step(ReduceTask::Generate {
        passages: found.passages,
        matched: found.matched,
    })
}

/// A turn on its way to the next step.
struct Turn {
    header: Header,
    case: Case,
    fallbacks: Vec<Fallback>,
    now: UnixMs,
}

impl Turn {
    fn after(header: &Header, case: &Case, event: &Event, usage: &Usage, now: UnixMs) -> Turn {
        let hop = match event {
            Event::Accepted(_) | Event::Resumed(..) | Event::Begun(_) => header.hop,
            Event::Exit(_) | Event::Broken(..) | Event::Unread(_) => header.hop + 1,
        };
        Turn {
            header: Header {
                hop,
                created_at: now,
                ..header.clone()
            },
            case: Case {
                budget: case.budget.after(usage),
                ..case.clone()
            },
            fallbacks: Vec::new(),
            now,
        }
    }

    /// A reply goes on with the question that it is about. Its own conditions replace those on the same field, and its
    /// own parts of the corpus those that were to be searched.
    fn resumed(&mut self, resumed: Option<(TurnId, Resume)>) {
        let Some((parent, resume)) = resumed else {
            return;
        };
        self.header.parent = Some(parent);
        let reply = self.case.question.original.trim();
        if resume.widens.is_some_and(|widens| widens == reply) {
            // The same question again, of the whole corpus or of what the reply itself asks for.
            self.case.question = Asked {
                original: resume.question,
                rewritten: None,
            };
            return;
        }
        let merged = format!("{}{CLARIFIED}{reply}", resume.question);
        self.case.question = Asked {
            original: merged.clone(),
            rewritten: Some(merged),
        };
        if self.case.buckets.is_empty() {
            self.case.buckets = resume.buckets;
        }
        let own = std::mem::take(&mut self.case.filter).0;
        let mut kept = resume.filter.0;
        kept.retain(|condition| own.iter().all(|other| other.field != condition.field));
        self.case.filter = Filter(kept.into_iter().chain(own).collect());
    }

    /// Retrieve and one call, since there is no planner.
    fn basic_rag(&mut self, history: &History) -> Next {
        let role = Role::Planner;
        self.fallbacks.push(Fallback::BasicRag { role });
        self.search(Plan::after(&self.case, history), After::Generate)
    }

    fn search(&mut self, plan: Plan, then: After) -> Next {
        let plan = self.planned(plan);
        step(Search {
            plan,
            then,
            ..Search::default()
        })
    }

    /// Has known chunks looked at. That they answer the question is for the retriever to find out.
    fn look(&mut self, plan: Plan, fetch: Vec<String>) -> Next {
        let plan = self.planned(plan);
        step(Search {
            plan,
            then: After::Map,
            fetch,
        })
    }

    /// A plan that is about to be searched with: it is paid for, and every step from here on knows the question as
    /// the plan has it.
    fn planned(&mut self, mut plan: Plan) -> Plan {
        self.case.budget.tool_calls = self.case.budget.tool_calls.saturating_sub(1);
        self.case.queries.push(plan.query.clone());
        if let Some(rewritten) = plan.rewritten.take() {
            self.case.question.rewritten = Some(rewritten);
        }
        plan
    }

    /// What follows a search that found something.
    fn found(&mut self, found: Scatter) -> Next {
        match found.after {
            After::Generate => generate(found),
            After::Map => self.fan_out(found),
        }
    }

    fn fan_out(&mut self, mut found: Scatter) -> Next {
        // One call is kept back for the reducer.
        let calls = self.case.budget.llm_calls.saturating_sub(1) as usize;
        if calls == 0 {
            self.spent("llm_calls");
            // What nobody has read is no reason to leave out what earlier rounds have read.
            return match self.case.scatters.is_empty() {
                true => generate(found),
                false => self.reduce(),
            };
        }
        if found.passages.len() > calls {
            self.spent("llm_calls");
            self.fallbacks.push(Fallback::PassagesTrimmed {
                count: (found.passages.len() - calls) as u16,
            });
            found.passages.truncate(calls);
        }
        let reserved = Usage {
            calls: found.passages.len() as u32,
            // Four characters a token, and as much again for the prompt and the facts.
            tokens_in: found.passages.iter().map(|p| p.text.len() as u64 / 2).sum(),
            tokens_out: 0,
        };
        self.case.budget = self.case.budget.after(&reserved);
        self.case.scatters.push(self.header.hop);
        Next::Scatter(found)
    }

    /// Composes from what all rounds so far have found: nothing better will come.
    fn reduce(&mut self) -> Next {
        step(ReduceTask::Gather {
            scatters: self.case.scatters.clone(),
            strict: false,
            last: true,
        })
    }

    fn refine(&mut self, why: String) -> Next {
        if let Some(limit) = self.case.budget.round_refused() {
            self.spent(limit);
            return self.reduce();
        }
        self.case.budget.rounds -= 1;
        self.header.round += 1;
        step(PlanTask::Refine { why })
    }

    /// The same facts are read once more, so neither a search nor a new round is needed; it counts as a
    /// retry all the same.
    fn stricter(&mut self, verdict: Verdict, from: Vec<u16>, reason: String) -> Next {
        if from.is_empty() {
            return self.unproven(verdict, reason);
        }
        if let Some(limit) = self.case.budget.draft_refused() {
            self.spent(limit);
            return self.unproven(verdict, reason);
        }
        self.case.budget.rounds -= 1;
        self.fallbacks.push(Fallback::Stricter);
        step(ReduceTask::Gather {
            scatters: from,
            strict: true,
            last: true,
        })
    }

    /// No better draft will come. In a conversation the user is asked, once: who has just replied, like whoever is
    /// not there to reply, gets the best there is, flagged.
    fn unproven(&mut self, verdict: Verdict, reason: String) -> Next {
        let talks = self.header.conversation.is_some() && self.case.mode == Mode::Agentic;
        if talks && self.header.parent.is_none() {
            let cited = verdict.citations.into_iter().map(|cited| cited.chunk_id);
            self.case.doubted = cited.collect();
            let query = self.case.question.best().to_owned();
            return step(Doubt::Ungrounded { query, reason });
        }
        self.answered(Verdict {
            low_confidence: true,
            ..verdict
        })
    }

    /// A limit of the budget has ended something that would have gone on.
    fn spent(&mut self, limit: &str) {
        let limit = limit.into();
        self.fallbacks.push(Fallback::BudgetSpent { limit });
    }

    fn answered(&self, verdict: Verdict) -> Next {
        Next::End(Box::new(Terminal::answered(
            &self.header,
            verdict,
            self.now,
        )))
    }

    fn clarified(&self, question: Clarification) -> Next {
        let mut terminal = Terminal::of(&self.header, Outcome::Clarification, self.now);
        let widens = question.widens.clone();
        terminal.clarification = Some(Clarification {
            expires: Some(self.now.plus(CLARIFICATION_MS)),
            ..question
        });
        terminal.resume = Some(Resume {
            question: self.case.question.best().to_owned(),
            buckets: self.case.buckets.clone(),
            filter: self.case.filter.clone(),
            evidence: self.case.doubted.clone(),
            widens,
        });
        Next::End(Box::new(terminal))
    }

    fn failed(&self, what: &str, code: &'static str) -> Next {
        let why = format!("the {what} could not be done; see the dead letter of this turn");
        self.end(Problem::new(code, why))
    }

    fn end(&self, problem: Problem) -> Next {
        let terminal = Terminal::of(&self.header, Outcome::Failed, self.now);
        Next::End(Box::new(terminal.because(problem)))
    }

    /// The step as it is published. A turn that does not end by itself ends here.
    fn bounded(self, next: Next) -> Transition {
        let is_over =
            self.header.hop >= HOPS_MAX && matches!(next, Next::Step(_) | Next::Scatter(_));
        let mut next = match is_over {
            true => self.end(Problem::new(
                "hops",
                format!("the turn did not end within {HOPS_MAX} hops"),
            )),
            false => next,
        };
        if let Next::End(terminal) = &mut next {
            terminal.rewritten = self.case.question.rewritten.clone();
        }
        let role = match &next {
            Next::Step(payload) => payload.role(),
            Next::Scatter(_) => Role::Retriever,
            Next::Part(_) => Role::Mapper,
            Next::End(_) => self.header.role,
        };
        let Turn {
            header,
            case,
            fallbacks,
            ..
        } = self;
        Transition {
            header: Header { role, ..header },
            case,
            next,
            fallbacks,
        }
    }
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "route_talk_tests.rs"]
mod talk_tests;
