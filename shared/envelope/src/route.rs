//! The graph of an answer, as one pure function: what a stage decided, to the next step.
//!
//! ```text
//! planner    Planned -> retriever          NoProgress -> reducer (last, earlier scatter)
//! retriever  Found -> scatter -> mapper xN | simple mode: reducer (generate)
//!            NothingFound -> clarifier | a later round: reducer (last, earlier scatter)
//! mapper     Findings -> part; the join makes the reducer's step (see `fanout`)
//! reducer    Composed -> validator | simple mode: end      TooLittle -> planner (refine)
//! validator  Grounded -> end               Ungrounded -> reducer (strict), or end, flagged
//! clarifier  -> end
//! any        Broken -> its named default: see `broken`
//! ```
//! Nothing here decides *whether* a draft is good or a plan is new; stages do. What is decided
//! here: who is next, what may still be spent, and that every turn ends.

use crate::limits::HOPS_MAX;
use crate::message::{Budget, Case, Header, Mode, UnixMs};
use crate::payload::{
    Doubt, Draft, Findings, Matched, PartResult, Passage, Plan, PlanTask, ReduceTask, Scatter,
    Verdict,
};
use crate::role::Role;
use crate::terminal::{Clarification, Outcome, Problem, Terminal};
use crate::trail::{Fallback, Usage};

/// The exits of the planner.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannerExit {
    /// Search with this.
    Planned(Plan),
    /// The refined plan is one that was searched with before.
    NoProgress {
        /// Hop of the scatter record to compose from instead.
        scatter: u16,
    },
}

/// The exits of the retriever.
#[derive(Debug, Clone, PartialEq)]
pub enum RetrieverExit {
    /// At least one passage.
    Found(Scatter),
    /// No passage, with everything relaxed that may be.
    NothingFound(Doubt),
}

/// The exits of the reducer.
#[derive(Debug, Clone, PartialEq)]
pub enum ReducerExit {
    /// A draft.
    Composed(Draft),
    /// Fewer relevant passages than the gate asks for, and a round is left.
    TooLittle {
        /// What is missing, in words.
        why: String,
        /// Hop of the scatter record that held too little.
        scatter: u16,
    },
}

/// The exits of the validator.
#[derive(Debug, Clone, PartialEq)]
pub enum ValidatorExit {
    /// The draft stands on its facts.
    Grounded(Verdict),
    /// It says something that they do not.
    Ungrounded {
        /// The answer, should no better one come.
        verdict: Verdict,
        /// Hop of the scatter record to ask for a stricter draft from; absent when there is none
        /// or the draft was the stricter one.
        stricter_from: Option<u16>,
    },
}

/// What a stage was to do when it broke for good: what its default is made of.
#[derive(Debug, Clone, PartialEq)]
pub enum Broken {
    /// The planner.
    Plan(PlanTask),
    /// The retriever.
    Retrieve,
    /// A mapper; the reason code.
    Map(String),
    /// The reducer, from parts.
    Gather {
        /// The passages of the scatter record.
        passages: Vec<Passage>,
        /// How the filter fared.
        matched: Matched,
    },
    /// The reducer, from passages.
    Generate,
    /// The validator.
    Validate(Draft),
    /// The clarifier.
    Clarify(Doubt),
    /// The message could not be read: nothing is known but turn and hop.
    Unread,
}

/// What a step came to.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    missing_docs,
    reason = "one variant per role, each with the exits of that role"
)]
pub enum Exit {
    Planner(PlannerExit),
    Retriever(RetrieverExit),
    Mapper(Findings),
    Reducer(ReducerExit),
    Validator(ValidatorExit),
    Clarifier(Clarification),
    /// The stage is broken for good; the reason code.
    Broken(Broken, &'static str),
}

/// What follows.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "one variant per payload, explained there")]
pub enum Next {
    Plan(PlanTask),
    Retrieve(Plan),
    Scatter(Scatter),
    Part(PartResult),
    Reduce(ReduceTask),
    Validate(Draft),
    Clarify(Doubt),
    End(Box<Terminal>),
}

/// The next step with its header and case.
#[derive(Debug, Clone, PartialEq)]
pub struct Turned {
    /// Hop, round and role of the next step.
    pub header: Header,
    /// The case as the next step sees it.
    pub case: Case,
    /// What it is to do.
    pub next: Next,
    /// Fallbacks that the routing itself took.
    pub fallbacks: Vec<Fallback>,
}

/// Whether another round may be started.
pub fn may_refine(budget: &Budget) -> bool {
    budget.rounds > 1 && budget.tool_calls > 0 && budget.spent().is_none()
}

/// What follows when the step of `header` came to `exit`, having spent `usage`.
pub fn route(header: &Header, case: &Case, exit: Exit, usage: &Usage, now: UnixMs) -> Turned {
    let mut turned = Turned {
        header: Header {
            hop: header.hop + 1,
            created_at: now,
            ..header.clone()
        },
        case: Case {
            budget: case.budget.after(usage),
            ..case.clone()
        },
        next: Next::Part(PartResult::Error(String::new())),
        fallbacks: Vec::new(),
    };
    turned.next = follow(&mut turned, exit, now);
    if turned.header.hop >= HOPS_MAX && !matches!(turned.next, Next::End(_) | Next::Part(_)) {
        let problem = Problem::new(
            "hops",
            format!("the turn did not end within {HOPS_MAX} hops"),
        );
        turned.next = end(header, Outcome::Failed, now, problem);
    }
    turned.header.role = match &turned.next {
        Next::Plan(_) => Role::Planner,
        Next::Retrieve(_) | Next::Scatter(_) => Role::Retriever,
        Next::Part(_) => Role::Mapper,
        Next::Reduce(_) => Role::Reducer,
        Next::Validate(_) => Role::Validator,
        Next::Clarify(_) => Role::Clarifier,
        Next::End(_) => header.role,
    };
    turned
}

fn end(header: &Header, outcome: Outcome, now: UnixMs, problem: Problem) -> Next {
    Next::End(Box::new(
        Terminal::of(header, outcome, now).because(problem),
    ))
}

fn follow(turned: &mut Turned, exit: Exit, now: UnixMs) -> Next {
    match exit {
        Exit::Planner(PlannerExit::Planned(plan)) => retrieve(turned, plan),
        Exit::Planner(PlannerExit::NoProgress { scatter }) => Next::Reduce(ReduceTask::Gather {
            scatter,
            strict: false,
            last: true,
        }),
        Exit::Retriever(RetrieverExit::Found(found)) => fan_out(turned, found),
        Exit::Retriever(RetrieverExit::NothingFound(doubt)) => match turned.case.earlier {
            // A later round that finds nothing does not undo what an earlier one found.
            Some(scatter) => Next::Reduce(ReduceTask::Gather {
                scatter,
                strict: false,
                last: true,
            }),
            None => Next::Clarify(doubt),
        },
        Exit::Mapper(findings) => Next::Part(PartResult::Findings(findings)),
        Exit::Reducer(ReducerExit::Composed(draft)) => Next::Validate(draft),
        Exit::Reducer(ReducerExit::TooLittle { why, scatter }) => refine(turned, why, scatter),
        Exit::Validator(ValidatorExit::Grounded(verdict)) => answered(turned, verdict, now),
        Exit::Validator(ValidatorExit::Ungrounded {
            verdict,
            stricter_from,
        }) => stricter_or_end(turned, verdict, stricter_from, now),
        Exit::Clarifier(question) => clarified(turned, question, now),
        Exit::Broken(broken, reason) => default_of(turned, broken, reason, now),
    }
}

fn retrieve(turned: &mut Turned, plan: Plan) -> Next {
    turned.case.budget.tool_calls = turned.case.budget.tool_calls.saturating_sub(1);
    turned.case.queries.push(plan.query.clone());
    Next::Retrieve(plan)
}

fn fan_out(turned: &mut Turned, mut found: Scatter) -> Next {
    let Scatter {
        passages, matched, ..
    } = &mut found;
    if turned.case.mode == Mode::Simple {
        return Next::Reduce(ReduceTask::Generate {
            passages: std::mem::take(passages),
            matched: matched.clone(),
        });
    }
    // One call is kept back for the reducer.
    let calls = turned.case.budget.llm_calls.saturating_sub(1) as usize;
    if calls == 0 {
        turned.fallbacks.push(Fallback::BudgetSpent {
            limit: "llm_calls".into(),
        });
        return Next::Reduce(ReduceTask::Generate {
            passages: std::mem::take(passages),
            matched: matched.clone(),
        });
    }
    if passages.len() > calls {
        turned.fallbacks.push(Fallback::PassagesTrimmed {
            count: (passages.len() - calls) as u16,
        });
        passages.truncate(calls);
    }
    let reserved = Usage {
        calls: passages.len() as u32,
        // Four characters a token, and as much again for the prompt and the facts.
        tokens_in: passages.iter().map(|p| p.text.len() as u64 / 2).sum(),
        tokens_out: 0,
    };
    turned.case.budget = turned.case.budget.after(&reserved);
    Next::Scatter(found)
}

fn refine(turned: &mut Turned, why: String, scatter: u16) -> Next {
    if !may_refine(&turned.case.budget) {
        return Next::Reduce(ReduceTask::Gather {
            scatter,
            strict: false,
            last: true,
        });
    }
    turned.case.budget.rounds -= 1;
    turned.header.round += 1;
    turned.case.earlier = Some(scatter);
    Next::Plan(PlanTask::Refine { why, scatter })
}

fn answered(turned: &Turned, verdict: Verdict, now: UnixMs) -> Next {
    Next::End(Box::new(Terminal::answered(&turned.header, verdict, now)))
}

fn stricter_or_end(turned: &mut Turned, verdict: Verdict, from: Option<u16>, now: UnixMs) -> Next {
    match from {
        // The same facts are read once more, so neither a search nor a new round is needed; it
        // counts as a retry all the same (C20).
        Some(scatter) if turned.case.budget.rounds > 1 && turned.case.budget.spent().is_none() => {
            turned.case.budget.rounds -= 1;
            turned.fallbacks.push(Fallback::Stricter);
            Next::Reduce(ReduceTask::Gather {
                scatter,
                strict: true,
                last: true,
            })
        }
        _ => answered(
            turned,
            Verdict {
                low_confidence: true,
                ..verdict
            },
            now,
        ),
    }
}

fn clarified(turned: &Turned, question: Clarification, now: UnixMs) -> Next {
    let mut terminal = Terminal::of(&turned.header, Outcome::Clarification, now);
    terminal.clarification = Some(question);
    Next::End(Box::new(terminal))
}

/// The named default of each stage that is broken for good (R4 and DESIGN section 6).
fn default_of(turned: &mut Turned, broken: Broken, reason: &'static str, now: UnixMs) -> Next {
    let failed = |turned: &Turned, what: &str| {
        let problem = Problem::new(
            reason,
            format!("the {what} could not be done; see the dead letter of this turn"),
        );
        end(&turned.header, Outcome::Failed, now, problem)
    };
    match broken {
        Broken::Plan(PlanTask::First) => {
            turned.fallbacks.push(Fallback::BasicRag {
                role: Role::Planner,
            });
            turned.case.mode = Mode::Simple;
            let plan = Plan::from_question(&turned.case);
            retrieve(turned, plan)
        }
        Broken::Plan(PlanTask::Refine { scatter, .. }) => {
            turned.fallbacks.push(Fallback::NoProgress);
            Next::Reduce(ReduceTask::Gather {
                scatter,
                strict: false,
                last: true,
            })
        }
        Broken::Retrieve => failed(turned, "search"),
        Broken::Map(code) => Next::Part(PartResult::Error(code)),
        Broken::Gather { passages, matched } => {
            turned.fallbacks.push(Fallback::BasicRag {
                role: Role::Reducer,
            });
            Next::Reduce(ReduceTask::Generate { passages, matched })
        }
        Broken::Generate => failed(turned, "writing of the answer"),
        Broken::Validate(draft) => {
            turned.fallbacks.push(Fallback::Unvalidated);
            let verdict = Verdict {
                answer: draft.text,
                citations: draft.sources,
                confidence: 0.0,
                low_confidence: true,
            };
            answered(turned, verdict, now)
        }
        Broken::Clarify(doubt) => {
            turned.fallbacks.push(Fallback::ClarifyDefault);
            let question = Clarification::template(&turned.header.turn, &doubt);
            clarified(turned, question, now)
        }
        Broken::Unread => failed(turned, "step"),
    }
}

macro_rules! exit {
    ($variant:ident, $exits:ty) => {
        impl From<$exits> for Exit {
            fn from(exit: $exits) -> Exit {
                Exit::$variant(exit)
            }
        }
    };
}

exit!(Planner, PlannerExit);
exit!(Retriever, RetrieverExit);
exit!(Mapper, Findings);
exit!(Reducer, ReducerExit);
exit!(Validator, ValidatorExit);
exit!(Clarifier, Clarification);

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
