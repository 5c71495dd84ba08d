//! Asks a large model, and asks it once more where its reply cannot be used: it is then told what is wrong with it.
//! *Not* here: what a reply says, and what follows where both replies are wrong.

use crate::stage::Planner;
use envelope::hop::PlannerExit;
use llm::{ChatReply, ChatRequest};
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
