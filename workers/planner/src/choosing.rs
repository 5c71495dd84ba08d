//! The call with which a large model chooses a bucket, before the call for the plan. The prompt of the second call
//! then describes only the columns of that bucket. *No* call is made if there is nothing to choose.

use crate::bucket_choice;
use crate::bucket_note::{self, BucketNote};
use crate::column_note;
use crate::corpus_note::CorpusNote;
use crate::planning::history;
use crate::stage::Planner;
use envelope::lookup::CorpusCatalog;
use envelope::{Bucket, Fallback, History, PlanTask, Profile};
use llm::{ChatReply, ChatRequest, StepPromptError};
use stage::StepContext;

/// What the prompt of the plan says about the corpus, and the model call that chose it.
#[derive(Default)]
pub(crate) struct Choosing {
    pub(crate) corpus: CorpusNote,
    /// The call, where there was one.
    pub(crate) reply: Option<ChatReply>,
    pub(crate) fallbacks: Vec<Fallback>,
}

impl Planner {
    /// Chooses what the call for a plan is told of the corpus. A failed call is an error of the step, as a failed
    /// call for the plan is.
    pub(crate) async fn choose(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        catalog: &CorpusCatalog,
    ) -> Result<Choosing, stage::Error> {
        let parts = bucket_note::of(catalog, &cx.case.buckets);
        let is_first = matches!(task, PlanTask::First | PlanTask::FollowUp { .. });
        if cx.case.profile != Profile::Large || !is_first {
            return Ok(told(bucket_note::choice(parts)));
        }
        if let [only] = &parts[..] {
            let columns = columns_of(catalog, &only.bucket);
            return Ok(Choosing {
                corpus: CorpusNote {
                    columns,
                    ..CorpusNote::default()
                },
                ..Choosing::default()
            });
        }
        if parts.is_empty() {
            return Ok(Choosing::default());
        }
        // The choice, the plan, one passage, and the answer.
        if cx.case.budget.llm_calls < 3 + cx.case.answer_calls() {
            let limit = "llm_calls".into();
            let fallbacks = vec![Fallback::BudgetSpent { limit }];
            return Ok(Choosing {
                fallbacks,
                ..told(parts)
            });
        }
        let reply = self
            .model
            .chat(&self.choice_request(cx, task, &parts)?)
            .await?;
        Ok(chosen(reply, parts, catalog))
    }

    fn choice_request(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        parts: &[BucketNote],
    ) -> Result<ChatRequest, StepPromptError> {
        let before = history(task).map_or("", History::question_before);
        let before = if before.is_empty() { "nothing" } else { before };
        let inputs = [
            ("question", cx.case.question.best()),
            ("buckets", &bucket_note::lines(parts)),
            ("asked_before", before),
        ];
        let schema = bucket_choice::schema(parts);
        self.ask_for(cx, &self.bucket, &inputs, schema, self.options.max_tokens)
    }
}

/// The note that lists the buckets, from which the plan itself names some.
fn told(buckets: Vec<BucketNote>) -> Choosing {
    Choosing {
        corpus: CorpusNote {
            buckets,
            ..CorpusNote::default()
        },
        ..Choosing::default()
    }
}

/// The note that follows from a reply. A reply that cannot be read leaves the choice to the plan.
fn chosen(reply: ChatReply, parts: Vec<BucketNote>, catalog: &CorpusCatalog) -> Choosing {
    let choice = bucket_choice::read(&reply.text, &parts);
    let Some(choice) = choice else {
        let fields = vec!["bucket".into()];
        return Choosing {
            reply: Some(reply),
            fallbacks: vec![Fallback::PlanFieldsDefaulted { fields }],
            ..told(parts)
        };
    };
    let chosen = choice.bucket.as_ref();
    let columns = chosen.and_then(|bucket| columns_of(catalog, bucket));
    Choosing {
        corpus: CorpusNote {
            buckets: Vec::new(),
            choice: Some(choice),
            columns,
        },
        reply: Some(reply),
        fallbacks: Vec::new(),
    }
}

fn columns_of(catalog: &CorpusCatalog, bucket: &Bucket) -> Option<String> {
    let part = catalog.buckets.iter().find(|one| one.bucket == *bucket)?;
    column_note::section(part)
}
