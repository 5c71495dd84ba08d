//! Asks the model: for a plan, and for the reply of a large model that is asked once more where its reply cannot be
//! used. *Not* here: what a reply says, and what follows where both replies are wrong.

use crate::corpus_note::CorpusNote;
use crate::follow_up;
use crate::planning::history;
use crate::routes;
use crate::schema::schema;
use crate::stage::Planner;
use envelope::hop::PlannerExit;
use envelope::{History, PlanTask, Role};
use llm::{Caller, ChatReply, ChatRequest, Prompt, ReplySchema, StepPromptError, tokens};
use stage::{StepContext, StepOutput};

/// What the model said.
pub(crate) struct Asked<T, W> {
    /// Its last reply as it was read, or what is wrong with it.
    pub(crate) read: Result<T, W>,
    /// What was wrong with its first reply, where it was asked once more.
    pub(crate) first_wrong: Option<W>,
    pub(crate) replies: Vec<ChatReply>,
}

impl Planner {
    /// Asks the model, and a second time where `read` finds its reply wrong and the budget has more than `kept` calls
    /// left.
    pub(crate) async fn ask_twice<T, W: AsRef<str>>(
        &self,
        cx: &StepContext,
        mut request: ChatRequest,
        kept: u32,
        read: impl Fn(&str) -> Result<T, W>,
    ) -> Result<Asked<T, W>, llm::Error> {
        let reply = self.model.chat(&request).await?;
        let left = cx.case.budget.after(&reply.usage);
        let wrong = match read(&reply.text) {
            Err(wrong) if left.spent().is_none() && left.llm_calls > kept => wrong,
            read => {
                return Ok(Asked {
                    read,
                    first_wrong: None,
                    replies: vec![reply],
                });
            }
        };
        request.user.push_str(&once_more(wrong.as_ref()));
        let again = self.model.chat(&request).await?;
        Ok(Asked {
            read: read(&again.text),
            first_wrong: Some(wrong),
            replies: vec![reply, again],
        })
    }

    /// Makes the call and returns the reply. A prompt that is too long is sent again without the columns, and that of
    /// a follow-up with less of the history.
    pub(crate) async fn ask(
        &self,
        cx: &StepContext,
        task: &mut PlanTask,
        corpus: &mut CorpusNote,
    ) -> Result<ChatReply, stage::Error> {
        loop {
            let error = match self.model.chat(&self.request(cx, task, corpus)?).await {
                Ok(reply) => return Ok(reply),
                Err(error) => error,
            };
            if !matches!(error, llm::Error::TooLong { .. }) {
                return Err(error.into());
            }
            if corpus.columns.take().is_some() {
                continue;
            }
            let shorter = history(task).and_then(History::shorter);
            let history = shorter.ok_or(error)?;
            *task = PlanTask::FollowUp { history };
        }
    }

    fn request(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        corpus: &CorpusNote,
    ) -> Result<ChatRequest, StepPromptError> {
        let schema = self.schema(cx, task, corpus);
        let mut request = self.plan_request(cx, task, schema)?;
        for note in self.limits(cx).note().into_iter().chain(corpus.sections()) {
            request.system.push_str("\n\n");
            request.system.push_str(&note);
        }
        Ok(request)
    }

    /// What the planner's model is asked for: a plan, a choice, a review or an action.
    pub(crate) fn ask_for(
        &self,
        cx: &StepContext,
        prompt: &Prompt,
        inputs: &[(&str, &str)],
        schema: ReplySchema,
        max_tokens: u32,
    ) -> Result<ChatRequest, StepPromptError> {
        let caller = Caller::new(Role::Planner, cx, max_tokens, self.options.call_timeout);
        Ok(caller.call(prompt, inputs, Some(schema))?.request)
    }

    /// The longest reply. A question that is rewritten takes as many more tokens as it has.
    fn tokens_max(&self, cx: &StepContext, task: &PlanTask) -> u32 {
        let most = self.limits(cx).tokens(&self.options);
        let rewritten = history(task).map(|_| tokens::estimate(cx.case.question.best()));
        most + rewritten.unwrap_or_default()
    }

    fn schema(&self, cx: &StepContext, task: &PlanTask, corpus: &CorpusNote) -> ReplySchema {
        let offered =
            history(task).map(|history| routes::offered(&cx.case.question, history, &self.options));
        let offered = offered.unwrap_or_default();
        schema(task, &offered, &self.limits(cx), &corpus.buckets)
    }

    fn plan_request(
        &self,
        cx: &StepContext,
        task: &PlanTask,
        schema: ReplySchema,
    ) -> Result<ChatRequest, StepPromptError> {
        let question = ("question", cx.case.question.best());
        let max_tokens = self.tokens_max(cx, task);
        match task {
            // A loop has a prompt of its own.
            PlanTask::First | PlanTask::Act { .. } => {
                self.ask_for(cx, &self.first, &[question], schema, max_tokens)
            }
            PlanTask::FollowUp { history } => {
                let offered = routes::offered(&cx.case.question, history, &self.options);
                let inputs = [
                    question,
                    ("history", &follow_up::section(history)),
                    ("routes", &routes::choices(&offered)),
                ];
                self.ask_for(cx, &self.follow_up, &inputs, schema, max_tokens)
            }
            PlanTask::Refine { why } | PlanTask::Review { why, .. } => {
                let inputs = [
                    question,
                    ("earlier_queries", &cx.case.queries.join("\n")),
                    ("feedback", why),
                ];
                self.ask_for(cx, &self.refine, &inputs, schema, max_tokens)
            }
        }
    }
}

/// The output, with the calls of these replies added.
pub(crate) fn with(
    done: StepOutput<PlannerExit>,
    replies: Vec<ChatReply>,
) -> StepOutput<PlannerExit> {
    let add = |done: StepOutput<_>, reply: ChatReply| done.with_model(reply.model, reply.usage);
    replies.into_iter().fold(done, add)
}

fn once_more(wrong: &str) -> String {
    format!(
        "\n\nYour last reply could not be used: {wrong}. Reply once more, with a JSON object as described."
    )
}
