//! The part of a planning prompt that describes the corpus, and what an earlier call has chosen. Pure.

use crate::bucket_choice::BucketChoice;
use crate::bucket_note::{self, BucketNote};
use envelope::Plan;
use serde_json::Value;

/// The description of the corpus: the buckets, from which the plan names some, or the columns of the one that was
/// chosen. The default is empty.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CorpusNote {
    /// The buckets from which the plan is to choose.
    pub(crate) buckets: Vec<BucketNote>,
    /// The choice of an earlier call.
    pub(crate) choice: Option<BucketChoice>,
    /// The columns of one bucket, as a section of the prompt.
    pub(crate) columns: Option<String>,
}

impl CorpusNote {
    /// The sections of the prompt.
    pub(crate) fn sections(&self) -> Vec<String> {
        let buckets = bucket_note::section(&self.buckets);
        buckets.into_iter().chain(self.columns.clone()).collect()
    }

    /// Whether a model has chosen among several buckets, in an earlier call or in its plan, which is `object`. The
    /// trail then tells the choice. Rules choose none.
    pub(crate) fn is_chosen(&self, object: &Value) -> bool {
        match &self.choice {
            Some(choice) => choice.is_said,
            None => !self.buckets.is_empty() && object.get("buckets").is_some_and(Value::is_array),
        }
    }

    /// Puts into a plan, read from `object`, what was settled before it.
    pub(crate) fn settle(&self, plan: &mut Plan, object: &Value) {
        let Some(choice) = &self.choice else {
            return;
        };
        plan.bucket_hints = choice.bucket.iter().cloned().collect();
        let says_intent = object.get("intent").is_some_and(|intent| !intent.is_null());
        if let (false, Some(intent)) = (says_intent, choice.intent) {
            plan.intent = intent;
        }
    }
}
