//! The invariants of outcomes: a turn ends without an answer only if a fault explains it.

use crate::fleet::Remains;
use crate::invariants::UNDISTURBED;
use crate::quota::waited;
use crate::reading::{Asked, asked, terminals};
use crate::world::turn_in;
use envelope::fanout::soft_deadline;
use envelope::{
    Envelope, Fallback, Outcome, Problem, ReduceTask, Terminal, TurnId, decode, header,
};
use std::time::Duration;

/// A turn ends without an answer only if something that struck it explains that.
pub(crate) fn outcomes_are_explained(remains: &Remains) -> Result<(), String> {
    let asked = asked(remains);
    for (turn, (terminal, _)) in terminals(remains) {
        let mut of_turn = asked.iter().filter(|a| a.turn == turn).peekable();
        let said = || {
            format!(
                "{turn} ended as {:?}: {:?}",
                terminal.outcome, terminal.error
            )
        };
        let explained = match terminal.outcome {
            Outcome::Answered => {
                !quiet(remains)
                    || !waited(remains, &turn).is_zero()
                    || terminal.trail.iter().all(|entry| {
                        entry.fallbacks.iter().all(|fallback| {
                            let missing = matches!(fallback, Fallback::PartsMissing { .. });
                            missing
                                && (remains.plan.early > 0 || is_hurried(remains, &turn, entry.hop))
                                || matches!(
                                    fallback,
                                    Fallback::Stricter
                                        // What it called is not there, or was called before.
                                        | Fallback::CallRefused { .. }
                                        | Fallback::ReviewDefault
                                        // A loop finds more than is composed from.
                                        | Fallback::PassagesTrimmed { .. }
                                        | Fallback::NoProgress
                                        | Fallback::BudgetSpent { .. }
                                        // What the model made up is marked.
                                        | Fallback::SentencesUnsupported { .. }
                                        | Fallback::SentencesContradicted { .. }
                                        | Fallback::SentencesCut { .. }
                                        | Fallback::AnswerWithheld
                                )
                        })
                    })
            }
            // What the model made up, or the one that judges wants more of, is asked about in a conversation, and nobody is
            // asked twice.
            Outcome::Clarification if is_ungrounded(&terminal) => {
                terminal.conversation.is_some()
                    && terminal.parent.is_none()
                    && (!quiet(remains) || of_turn.any(|a| is_doubted(remains, a)))
            }
            // A reply to a question back is about the question that this was asked of.
            Outcome::Clarification => {
                terminal.parent.is_some() || of_turn.any(|a| says(a, "nobody write down"))
            }
            Outcome::Refused => {
                is(&terminal, "conversation_busy") || of_turn.all(|a| a.question.is_none())
            }
            Outcome::Cancelled => {
                is(&terminal, "interrupted") || remains.ledger.cancelled.contains(&turn)
            }
            Outcome::Failed => failure_is_explained(remains, &turn, terminal.error.as_ref()),
            // That the time was taken from it is `no_time_is_lost`.
            Outcome::Expired => true,
        };
        if !explained {
            return Err(said());
        }
    }
    Ok(())
}

/// How many answers a second model has judged.
pub(crate) fn judged(remains: &Remains) -> usize {
    let ended = terminals(remains);
    ended
        .values()
        .filter(|(t, _)| t.judgement.is_some())
        .count()
}

fn says(asked: &Asked<'_>, words: &str) -> bool {
    String::from_utf8_lossy(&asked.message.body).contains(words)
}

fn is_doubted(remains: &Remains, asked: &Asked<'_>) -> bool {
    says(asked, "made up") || remains.plan.judged && says(asked, "second look")
}

fn is_ungrounded(terminal: &Terminal) -> bool {
    let asked = terminal.clarification.as_ref();
    asked.is_some_and(|asked| asked.kind == "ungrounded")
}

fn is(terminal: &Terminal, code: &str) -> bool {
    let problem = terminal.error.as_ref();
    terminal.conversation.is_some() && problem.is_some_and(|problem| problem.code == code)
}

/// Whether a reducer started at the soft deadline of a question that gives even an undisturbed turn too little time.
fn is_hurried(remains: &Remains, turn: &TurnId, hop: u16) -> bool {
    let subject = format!("argosy.step.0.reducer.{turn}.{hop}");
    let step = remains.steps.iter().find(|m| m.subject == subject);
    step.is_some_and(|step| {
        decode::<Envelope<ReduceTask>>(&step.body).is_ok_and(|read| {
            let soft = soft_deadline(&read.header);
            let room = Duration::from_millis(read.header.created_at.until(soft));
            step.stored_at >= soft && room < UNDISTURBED
        })
    })
}

fn quiet(remains: &Remains) -> bool {
    remains.plan.force == 0.0
}

/// The failed step lies among the dead letters, for the stated reason, or its letter was counted as lost.
fn failure_is_explained(remains: &Remains, turn: &TurnId, problem: Option<&Problem>) -> bool {
    let mut of_turn = remains
        .dead
        .iter()
        .filter(|m| turn_in(&m.subject).as_ref() == Some(turn));
    remains.lost_dead > 0
        || of_turn.any(|m| m.headers.get(header::DEAD_REASON) == problem.map(|p| p.code.as_str()))
}
