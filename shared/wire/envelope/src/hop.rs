//! The table of roles: one row per role lists what its steps carry and which exits a step may have.
//!
//! Whatever depends on the set of roles is generated from these rows: [`Role`] itself with its lists, [`Payload`] and
//! its reader, [`Exit`], and the input of a stage ([`Task`]). *Not* here: which step follows from an exit; that is
//! [`route`](crate::route). A match over a payload or an exit names every variant, so after a new row the code does
//! not compile until each of these matches handles it.
//!
//! On the wire a payload is written without the name of its variant: the role in the subject tells which one it is.

use crate::codec::{CodecError, WIRE, WIRE_NEWEST, decode};
use crate::failure::{Class, Classify};
use crate::findings::{Findings, PartResult};
use crate::history::History;
use crate::ids::TurnId;
use crate::message::Envelope;
use crate::payload::{
    Doubt, Draft, MapTask, Passage, Plan, PlanTask, Recall, ReduceTask, Scatter, Search, Verdict,
};
use crate::read_mark::ReadMark;
use crate::table::Listing;
use crate::terminal::{Clarification, Resume};
use serde::{Deserialize, Serialize, Serializer};

macro_rules! hops {
    ($($(#[$about:meta])* $word:ident $role:ident ($payload:ty) => $exit:ty, $asks:literal;)*) => {
        /// A role: the kind of worker that does a step.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Role {
            $($(#[$about])* $role,)*
            /// Takes questions in, ends turns and delivers their answers.
            Gateway,
            /// Turns documents into chunks of the corpus.
            Indexer,
        }

        impl Role {
            /// The roles that take steps from the steps stream.
            pub const THINKING: [Role; { [$(Role::$role),*].len() }] = [$(Role::$role),*];
            /// The roles that a question passes through: all but the indexer.
            pub const ANSWERING: [Role; Role::THINKING.len() + 1] =
                [$(Role::$role,)* Role::Gateway];
            /// Every role that can be run as a process.
            pub const ALL: [Role; Role::THINKING.len() + 2] =
                [$(Role::$role,)* Role::Gateway, Role::Indexer];

            /// The one word.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Role::$role => stringify!($word),)*
                    Role::Gateway => "gateway",
                    Role::Indexer => "indexer",
                }
            }

            /// Whether it has prompts. The validator and the indexer ask a model only where they are told to.
            pub const fn asks_model(self) -> bool {
                match self {
                    $(Role::$role => $asks,)*
                    Role::Gateway => false,
                    Role::Indexer => true,
                }
            }
        }

        /// The payload of a step.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "one variant per role, explained at its payload")]
        pub enum Payload { $($role($payload),)* }

        impl Payload {
            /// The role that takes a step with this payload.
            pub const fn role(&self) -> Role {
                match self { $(Payload::$role(_) => Role::$role,)* }
            }

            /// Reads a step of `role`.
            ///
            /// # Errors
            /// When the bytes are no step of that role, or the role takes none.
            pub fn read(role: Role, body: &[u8]) -> Result<Envelope<Payload>, CodecError> {
                match role {
                    $(Role::$role => Ok(decode::<Envelope<$payload>>(body)?.map(Payload::$role)),)*
                    Role::Gateway | Role::Indexer => Err(CodecError::NoSteps { role }),
                }
            }
        }

        impl Serialize for Payload {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { $(Payload::$role(inner) => inner.serialize(serializer),)* }
            }
        }

        /// The exit of a step.
        #[derive(Debug, Clone, PartialEq)]
        #[expect(missing_docs, reason = "one variant per role, explained at its exits")]
        pub enum Exit { $($role($exit),)* }

        $(
            impl From<$payload> for Payload {
                fn from(payload: $payload) -> Payload { Payload::$role(payload) }
            }

            impl From<$exit> for Exit {
                fn from(exit: $exit) -> Exit { Exit::$role(exit) }
            }

            /// For stages that work on the payload alone.
            impl TryFrom<Task> for $payload {
                type Error = WrongTask;
                fn try_from(task: Task) -> Result<Self, WrongTask> {
                    match task.payload {
                        Payload::$role(payload) => Ok(payload),
                        other => Err(WrongTask { role: other.role() }),
                    }
                }
            }
        )*
    };
}

hops! {
    // word, variant (payload on the wire) => what it comes to, whether it asks a model
    /// Reads what was said before a question.
    conversation Conversation (Recall) => ConversationExit, false;
    /// Makes a search plan for a question.
    planner Planner (PlanTask) => PlannerExit, true;
    /// Searches for passages by a plan.
    retriever Retriever (Search) => RetrieverExit, false;
    /// Reads the facts out of one passage.
    mapper Mapper (MapTask) => Findings, true;
    /// Writes a draft from facts.
    reducer Reducer (ReduceTask) => ReducerExit, true;
    /// Checks a draft and gives a verdict.
    validator Validator (Draft) => ValidatorExit, true;
    /// Asks the user back.
    clarifier Clarifier (Doubt) => Clarification, true;
}

/// The exits of the role `conversation`.
#[derive(Debug, Clone, PartialEq)]
pub enum ConversationExit {
    /// The exchanges before the question, and what the question means in their light.
    Recalled {
        /// What was said.
        history: History,
        /// Where the question replies to a question back: the turn that asked back, and the question that it was
        /// about.
        resumed: Option<(TurnId, Resume)>,
    },
}

/// The exits of the planner.
#[derive(Debug, Clone, PartialEq)]
pub enum PlannerExit {
    /// Search with this.
    Planned(Plan),
    /// First check whether the chunks with these ids answer the question.
    Known {
        /// What to search for if they do not.
        plan: Plan,
        /// The ids, at least one.
        chunks: Vec<String>,
    },
    /// Search with this, and answer from the passages themselves, which are read at once.
    Read(Plan),
    /// Ask the user.
    Ask(Doubt),
    /// The passages that were found so far are enough for an answer.
    Enough,
    /// An action of a loop: search with this, and look again.
    Call {
        /// What to search for.
        plan: Plan,
        /// The chunks to look at instead, by id; none for a search.
        fetch: Vec<String>,
        /// What was read so far: the search passes it over.
        read: Vec<ReadMark>,
    },
}

/// The exits of the retriever.
#[derive(Debug, Clone, PartialEq)]
pub enum RetrieverExit {
    /// At least one passage.
    Found(Box<Scatter>),
    /// A table of documents: no passage has to be read.
    Listed(Box<Listing>),
    /// Even with every guessed condition dropped, the search found no passage; or there are so many documents that
    /// the user has to choose.
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
        /// What was read so far: the next round passes it over.
        read: Vec<ReadMark>,
    },
}

/// The exits of the validator.
#[derive(Debug, Clone, PartialEq)]
pub enum ValidatorExit {
    /// The facts support the draft.
    Grounded(Verdict),
    /// The draft says something that the facts do not support.
    Ungrounded {
        /// The answer, should no better one come.
        verdict: Verdict,
        /// Hops of the scatter records to ask for a stricter draft from; empty when there are none or
        /// the draft was the stricter one.
        stricter_from: Vec<u16>,
        /// Which checks it failed, in words.
        reason: String,
    },
    /// A model judged that the draft does not answer the question.
    Insufficient {
        /// The answer, should no better one come.
        verdict: Verdict,
        /// What is missing, in words.
        reason: String,
        /// What was read so far: another round passes over it.
        read: Vec<ReadMark>,
    },
}

impl Payload {
    /// The hops of the scatter records that the harness reads before the stage runs. The stage gets them as
    /// [`Task::evidence`], in this order.
    pub fn reads(&self) -> &[u16] {
        match self {
            // The passages that it is checked against.
            Payload::Validator(draft) => &draft.scatters,
            Payload::Reducer(
                ReduceTask::Gather { scatters, .. }
                | ReduceTask::Stitch { scatters, .. }
                | ReduceTask::Read { scatters, .. },
            )
            | Payload::Planner(PlanTask::Review { scatters, .. } | PlanTask::Act { scatters }) => {
                scatters
            }
            Payload::Conversation(_)
            | Payload::Planner(
                PlanTask::First | PlanTask::FollowUp { .. } | PlanTask::Refine { .. },
            )
            | Payload::Retriever(_)
            | Payload::Mapper(_)
            | Payload::Reducer(ReduceTask::Generate { .. } | ReduceTask::Table { .. })
            | Payload::Clarifier(_) => &[],
        }
    }

    /// The wire version of a step with this payload: an older release would find no facts in a draft whose texts are its facts.
    pub fn wire(&self) -> u16 {
        match self {
            Payload::Validator(draft) if draft.facts.is_empty() && draft.read.is_some() => {
                WIRE_NEWEST
            }
            _ => WIRE,
        }
    }

    /// Whether the step composes an answer from what earlier fan-outs found. A replay
    /// of such a step is refused when one of them is no longer stored.
    pub fn composes(&self) -> bool {
        match self {
            Payload::Reducer(
                ReduceTask::Gather { .. } | ReduceTask::Stitch { .. } | ReduceTask::Read { .. },
            ) => true,
            Payload::Conversation(_)
            | Payload::Planner(_)
            | Payload::Retriever(_)
            | Payload::Mapper(_)
            | Payload::Reducer(ReduceTask::Generate { .. } | ReduceTask::Table { .. })
            | Payload::Validator(_)
            | Payload::Clarifier(_) => false,
        }
    }

    /// Removes every reference to the scatter record at `hop`, which is no longer stored, so that nothing is
    /// composed from it later on.
    pub fn forget(&mut self, hop: u16) {
        let scatters = match self {
            Payload::Validator(draft) => &mut draft.scatters,
            Payload::Reducer(
                ReduceTask::Gather { scatters, .. }
                | ReduceTask::Stitch { scatters, .. }
                | ReduceTask::Read { scatters, .. },
            )
            | Payload::Planner(PlanTask::Review { scatters, .. } | PlanTask::Act { scatters }) => {
                scatters
            }
            Payload::Conversation(_)
            | Payload::Planner(
                PlanTask::First | PlanTask::FollowUp { .. } | PlanTask::Refine { .. },
            )
            | Payload::Retriever(_)
            | Payload::Mapper(_)
            | Payload::Reducer(ReduceTask::Generate { .. } | ReduceTask::Table { .. })
            | Payload::Clarifier(_) => return,
        };
        scatters.retain(|at| *at != hop);
    }
}

/// A payload completed by the harness: with every fan-out that it reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Task {
    /// The payload of the step.
    pub payload: Payload,
    /// The fan-outs that [`Payload::reads`] names, in that order. Empty while they are not read, and when one of
    /// them is missing. A validator gets them without the results of their maps, and without the missing ones.
    pub evidence: Vec<FanOut>,
    /// For a validator: the draft of [`Case::kept`](crate::Case::kept), where there is one and it is still stored;
    /// its fan-outs are among the evidence.
    pub kept: Option<Draft>,
}

impl Task {
    /// A task without evidence: it needs none, or none was read.
    pub fn bare(payload: impl Into<Payload>) -> Task {
        Task {
            payload: payload.into(),
            evidence: Vec::new(),
            kept: None,
        }
    }
}

/// A fan-out: its scatter record, and the results of its maps.
#[derive(Debug, Clone, PartialEq)]
pub struct FanOut {
    /// Hop of the scatter record.
    pub hop: u16,
    /// The scatter record, whose passages were to be mapped.
    pub scatter: Scatter,
    /// The result of passage `i`; `None` when its part is missing.
    pub results: Vec<Option<PartResult>>,
}

impl FanOut {
    /// The indexes of the missing parts.
    pub fn missing(&self) -> Vec<u16> {
        self.indexes(|result| result.is_none())
    }

    /// Which parts are errors.
    pub fn failed(&self) -> Vec<u16> {
        self.indexes(|result| matches!(result, Some(PartResult::Error(_))))
    }

    fn indexes(&self, which: impl Fn(&Option<PartResult>) -> bool) -> Vec<u16> {
        let all = (0u16..).zip(&self.results);
        all.filter(|(_, result)| which(result))
            .map(|(index, _)| index)
            .collect()
    }

    /// Each passage with what was found in it, if it was read.
    pub fn into_read(self) -> impl Iterator<Item = (Passage, Option<Findings>)> {
        let findings = self.results.into_iter().map(|result| match result {
            Some(PartResult::Findings(findings)) => Some(findings),
            Some(PartResult::Error(_)) | None => None,
        });
        self.scatter.passages.into_iter().zip(findings)
    }
}

/// A task that reached the wrong stage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this task belongs to the {role}, not to this stage")]
pub struct WrongTask {
    /// The role that it is for.
    pub role: Role,
}

impl Classify for WrongTask {
    fn class(&self) -> Class {
        Class::Bug
    }
    fn code(&self) -> &'static str {
        "wrong_task"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_for_another_stage_names_the_role_that_it_is_for() {
        let wrong = PlanTask::try_from(Task::bare(ReduceTask::Gather {
            scatters: vec![2],
            strict: false,
            last: false,
            maps: None,
        }));
        assert_eq!(
            wrong,
            Err(WrongTask {
                role: Role::Reducer
            })
        );
        assert_eq!(
            PlanTask::try_from(Task::bare(PlanTask::First)),
            Ok(PlanTask::First)
        );
    }

    #[test]
    fn roles_that_take_no_steps_have_none_to_read() {
        for role in Role::ALL {
            let read = Payload::read(role, b"{}");
            let takes_none = matches!(read, Err(CodecError::NoSteps { .. }));
            assert_eq!(takes_none, !Role::THINKING.contains(&role), "{role}");
        }
    }
}
