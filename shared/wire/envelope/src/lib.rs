//! The wire format: what a message contains, where it is published, and which step follows.
//!
//! Everything that one process of the fleet sends to another is a type of this crate, and the whole graph of an
//! answer is one pure function ([`route::route`]). Nothing *happens* here: the crate has no clock, no I/O and no
//! async runtime. Times come in as [`UnixMs`], bytes go out.
//!
//! | module | what |
//! |---|---|
//! | [`account`] | requests from the account of a tenant, whom their subject names |
//! | [`ids`] | checked identifiers: every one is also a subject token |
//! | [`role`] | the words for the roles |
//! | [`limits`] | every limit of the wire with its unit |
//! | [`subject`] | the subject grammar: build and parse |
//! | [`document`] | a document message, and the event that reports its result |
//! | [`chunk`] | the messages of the corpus stream: chunks, their vectors, tombstones |
//! | [`edition`] | whole copies of the corpus side by side, one of which is searched |
//! | [`question`] | the ingress message, which asks a question; `messages` reads the dialogue that comes with it |
//! | `refusal` | the reasons for refusing a question |
//! | [`lookup`] | looking into the corpus by request and reply, without asking a question |
//! | [`message`] | envelope, header, case, budget |
//! | [`mode`] | the mode that a question asks for, and the one that the gateway decides on |
//! | [`history`] | the earlier part of a conversation |
//! | [`access`] | which groups may read which documents |
//! | [`feedback`] | what somebody says of an answer |
//! | [`principal`] | who reads: a tenant, and the groups of whoever asks |
//! | [`overrides`] | another model or prompt for one turn |
//! | [`meaning`] | what a planner reads out of a question: its class, what is wanted, in which form |
//! | [`place`] | where the text of a passage stands in its document |
//! | [`payload`] | the typed payload of each hop |
//! | [`findings`] | the result of a map step |
//! | [`hop`] | one row per role: what a step carries, and which exits it may have |
//! | [`filter`] | the conditions that narrow a search |
//! | [`support`] | the results of checking an answer, sentence by sentence and as a whole |
//! | [`attachment`] | the reference by which a message names a file |
//! | [`table`] | a table that answers a question about documents, and the documents behind it |
//! | [`live`] | messages that report progress while a turn runs |
//! | [`remark`] | remarks that accompany an answer |
//! | [`trail`] | what each step did, and every fallback that it used |
//! | [`terminal`] | the one event that ends a turn |
//! | [`failure`] | classes of failure |
//! | [`fanout`] | the messages that follow from a scatter record |
//! | [`route`] | the graph: (exit, case) to the next step |
//! | `codec` | reads and writes JSON; versions and sizes |
//! | `words` | declares the enums whose variants are words |

#[macro_use]
mod words;

pub mod access;
pub mod account;
pub mod attachment;
pub mod chunk;
mod codec;
pub mod document;
pub mod edition;
pub mod failure;
pub mod fanout;
pub mod feedback;
pub mod filter;
pub mod findings;
pub mod header;
pub mod history;
pub mod hop;
pub mod ids;
mod kept_draft;
pub mod limits;
pub mod live;
pub mod lookup;
pub mod meaning;
pub mod message;
mod messages;
pub mod mode;
mod notices;
pub mod overrides;
pub mod payload;
pub mod place;
mod plan_task;
pub mod principal;
pub mod question;
mod read_mark;
mod reduce_task;
mod refusal;
pub mod remark;
pub mod role;
pub mod route;
pub mod subject;
pub mod support;
pub mod table;
pub mod terminal;
pub mod trail;

pub use access::{AccessRule, AccessRules};
pub use chunk::{ChunkKey, ChunkRecord, Embedding};
pub use codec::{CodecError, WIRE, WIRE_NEWEST, WIRE_OF_BATCHES, decode, encode};
pub use document::{IndexedEvent, Notice};
pub use edition::{Edition, EditionError, Editions};
pub use failure::{Class, Classify};
pub use feedback::Feedback;
pub use filter::{Condition, ConditionOrigin, Filter, Op};
pub use findings::{FactSpan, Findings, Part, PartResult};
pub use history::{Exchange, ExchangePlace, History};
pub use hop::{Exit, FanOut, Payload, Task, WrongTask};
pub use ids::{Bucket, ConversationId, DocId, IdError, LoginId, TenantId, TurnId, WebhookName};
pub use kept_draft::{DraftScore, KeptDraft};
pub use meaning::{AnswerForm, QuestionClass, QuestionIntent, SearchStrategy};
pub use message::{
    Budget, Case, Envelope, Header, Mode, Profile, QuestionText, RequestedBudget, UnixMs,
};
pub use mode::{AutoMode, ModeChoice};
pub use overrides::{OverrideError, Overrides};
pub use payload::{
    After, Assessment, Citation, Doubt, Draft, DraftReading, DraftTable, Fact, FilterMatch,
    MapTask, MappedFanOut, Passage, Plan, PlanRoute, PlanTask, Recall, ReduceTask, Scatter, Search,
    Verdict,
};
pub use place::{Place, place_at, told_places};
pub use principal::{Groups, GroupsError, Principal};
pub use question::{Busy, Question};
pub use read_mark::ReadMark;
pub use refusal::{Refusal, RefusalCode};
pub use remark::{Remark, Remarks};
pub use role::Role;
pub use route::{Event, Next, Transition};
pub use subject::Subject;
pub use support::{CheckedSentence, Grounding, Judgement, Sufficiency, Support};
pub use table::{AnswerTable, Listing, TableOperation, TableRow};
pub use terminal::{CLARIFIED, Clarification, Outcome, Problem, Resume, Terminal};
pub use trail::{Fallback, TrailEntry, Usage};
