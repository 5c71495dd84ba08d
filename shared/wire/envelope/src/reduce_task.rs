//! The tasks of the reducer.

use crate::codec::is_default;
use crate::findings::Part;
use crate::meaning::AnswerForm;
use crate::payload::{FilterMatch, Passage, Scatter};
use crate::table::Listing;
use serde::{Deserialize, Serialize};

/// The task of the reducer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", try_from = "Fields")]
pub enum ReduceTask {
    /// Compose from the parts of every fan-out so far, together with their scatter records.
    Gather {
        /// Hops of the scatter records, in the order of the rounds.
        scatters: Vec<u16>,
        /// Ask for a stricter draft: the last one was not grounded.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        strict: bool,
        /// Compose from what there is, even when it is little: nothing better will come.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        last: bool,
        /// The newest of these fan-outs, where its maps travel with the step and nothing of it has to be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        maps: Option<Box<MappedFanOut>>,
    },
    /// Compose without a model, since the step that was to call one has failed for good: the answer is the facts as
    /// they are.
    Stitch {
        /// Hops of the scatter records, in the order of the rounds.
        scatters: Vec<u16>,
        /// Whether that step was to write a stricter draft.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        strict: bool,
    },
    /// Answer with one call over the passages of these fan-outs, which no mapper has read: mode loop.
    Read {
        /// Hops of the scatter records, in the order of the actions.
        scatters: Vec<u16>,
        /// Ask for a stricter draft: the last one was not grounded.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        strict: bool,
    },
    /// Answer with one call over the passages themselves: in simple mode, or when a stage is broken.
    Generate {
        /// What to answer from, best first.
        passages: Vec<Passage>,
        /// How the filter fared.
        matched: FilterMatch,
        /// In which form the answer is wanted, by the plan of the search.
        #[serde(skip_serializing_if = "is_default")]
        form: AnswerForm,
    },
    /// Describe a table in words, with its rows, and without a model.
    Table {
        /// The table, with its sources.
        listing: Box<Listing>,
    },
}

/// A fan-out that one mapper has mapped as a whole, with what came of each passage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MappedFanOut {
    /// What the scatter record holds.
    pub scatter: Scatter,
    /// What came of its passages, at most one for each; the rest was not waited for.
    pub parts: Vec<Part>,
}

/// A task as it is written. It is read as one object: of an enum with a tag serde would first keep all of it, which was a tenth of
/// the reducer's time.
#[derive(Deserialize)]
struct Fields {
    kind: Kind,
    scatters: Option<Vec<u16>>,
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    last: bool,
    maps: Option<Box<MappedFanOut>>,
    passages: Option<Vec<Passage>>,
    matched: Option<FilterMatch>,
    #[serde(default)]
    form: AnswerForm,
    listing: Option<Box<Listing>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Gather,
    Stitch,
    Read,
    Generate,
    Table,
}

impl TryFrom<Fields> for ReduceTask {
    type Error = &'static str;

    fn try_from(of: Fields) -> Result<ReduceTask, &'static str> {
        let strict = of.strict;
        let scatters = of.scatters.ok_or("missing field `scatters`");
        Ok(match of.kind {
            Kind::Gather => ReduceTask::Gather {
                scatters: scatters?,
                strict,
                last: of.last,
                maps: of.maps,
            },
            Kind::Stitch => ReduceTask::Stitch {
                scatters: scatters?,
                strict,
            },
            Kind::Read => ReduceTask::Read {
                scatters: scatters?,
                strict,
            },
            Kind::Generate => ReduceTask::Generate {
                passages: of.passages.ok_or("missing field `passages`")?,
                matched: of.matched.ok_or("missing field `matched`")?,
                form: of.form,
            },
            Kind::Table => ReduceTask::Table {
                listing: of.listing.ok_or("missing field `listing`")?,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::PartResult;
    use crate::payload::{After, Plan};
    use serde_json::json;

    fn scatter() -> Scatter {
        Scatter {
            plan: Plan::default(),
            passages: Vec::new(),
            matched: FilterMatch::Empty,
            total_hits: 0,
            after: After::Map,
        }
    }

    #[test]
    fn a_task_is_read_as_it_was_written() {
        for task in [
            ReduceTask::Gather {
                scatters: vec![2, 5],
                strict: true,
                last: true,
                maps: Some(Box::new(MappedFanOut {
                    scatter: scatter(),
                    parts: vec![Part {
                        v: 1,
                        index: 0,
                        result: PartResult::Error("timeout".into()),
                        entry: None,
                    }],
                })),
            },
            ReduceTask::Stitch {
                scatters: vec![2],
                strict: false,
            },
            ReduceTask::Read {
                scatters: vec![],
                strict: true,
            },
            ReduceTask::Generate {
                passages: Vec::new(),
                matched: FilterMatch::Empty,
                form: AnswerForm::Table,
            },
        ] {
            let written = serde_json::to_string(&task).unwrap();
            let read: ReduceTask = serde_json::from_str(&written).unwrap();
            assert_eq!(read, task, "{written}");
        }
    }

    #[test]
    fn a_task_without_what_it_is_about_is_refused() {
        for (kind, lacks) in [
            ("gather", "scatters"),
            ("stitch", "scatters"),
            ("read", "scatters"),
            ("generate", "passages"),
            ("table", "listing"),
            ("hum", "unknown variant"),
        ] {
            let error = serde_json::from_value::<ReduceTask>(json!({ "kind": kind })).unwrap_err();
            assert!(error.to_string().contains(lacks), "{kind}: {error}");
        }
    }
}
