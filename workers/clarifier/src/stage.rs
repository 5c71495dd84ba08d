//! The clarifier's step: it builds the prompt, calls the model and reads the reply. No other module of the crate has
//! asynchronous code.

use crate::clarification;
use crate::options::Options;
use envelope::{Clarification, Doubt, Fallback, Role};
use llm::{
    Caller, ChatModel, EmbeddedPrompt, Prompt, PromptCall, Prompts, ReplySchema, SetupError,
    StepPromptError,
};
use serde_json::json;
use stage::{Stage, StepContext, StepOutput};
use std::iter;
use std::sync::Arc;

/// The prompt for a search that found nothing.
const NO_RESULTS: EmbeddedPrompt = EmbeddedPrompt {
    name: "clarifier",
    text: include_str!("../prompts/clarifier.md"),
    placeholders: &["question", "narrowed_by"],
};

/// The prompt for a question that can be understood in several ways, or in none.
const UNCLEAR: EmbeddedPrompt = EmbeddedPrompt {
    name: "clarifier_unclear",
    text: include_str!("../prompts/clarifier_unclear.md"),
    placeholders: &["question", "reason"],
};

/// The prompt for an answer of which no draft passed its checks.
const UNGROUNDED: EmbeddedPrompt = EmbeddedPrompt {
    name: "clarifier_ungrounded",
    text: include_str!("../prompts/clarifier_ungrounded.md"),
    placeholders: &["question", "failed"],
};

/// The prompt for a question that the documents do not answer.
const NOT_IN_DOCUMENTS: EmbeddedPrompt = EmbeddedPrompt {
    name: "clarifier_not_in_documents",
    text: include_str!("../prompts/clarifier_not_in_documents.md"),
    placeholders: &["question", "missing", "tried"],
};

/// The clarifier.
pub struct Clarifier {
    model: Arc<dyn ChatModel>,
    no_results: Prompt,
    unclear: Prompt,
    ungrounded: Prompt,
    not_in_documents: Prompt,
    options: Options,
}

impl Clarifier {
    /// Every prompt with which the clarifier asks its model.
    pub const PROMPTS: [EmbeddedPrompt; 4] = [NO_RESULTS, UNCLEAR, UNGROUNDED, NOT_IN_DOCUMENTS];

    /// Makes a clarifier that asks `model`. It fails when a prompt or an option is invalid.
    pub fn new(
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        options: Options,
    ) -> Result<Self, SetupError> {
        options.validate()?;
        Ok(Clarifier {
            model,
            no_results: prompts.get(&NO_RESULTS)?,
            unclear: prompts.get(&UNCLEAR)?,
            ungrounded: prompts.get(&UNGROUNDED)?,
            not_in_documents: prompts.get(&NOT_IN_DOCUMENTS)?,
            options,
        })
    }

    fn prompt(&self, doubt: &Doubt) -> &Prompt {
        match doubt {
            Doubt::NoResults { .. } => &self.no_results,
            Doubt::Unclear { .. } | Doubt::TooMany { .. } | Doubt::Ambiguous { .. } => {
                &self.unclear
            }
            Doubt::Ungrounded { .. } => &self.ungrounded,
            Doubt::NotInDocuments { .. } => &self.not_in_documents,
        }
    }

    fn call(&self, cx: &StepContext, doubt: &Doubt) -> Result<PromptCall<'_>, StepPromptError> {
        let (query, inputs) = match doubt {
            Doubt::NoResults { query, narrowed_by } => {
                (query, vec![("narrowed_by", narrowed_by.join("\n"))])
            }
            Doubt::Unclear { query, reason } => (query, vec![("reason", reason.clone())]),
            Doubt::Ungrounded { query, reason } => (query, vec![("failed", reason.clone())]),
            Doubt::TooMany { query, .. } | Doubt::Ambiguous { query, .. } => {
                (query, vec![("reason", String::new())])
            }
            Doubt::NotInDocuments {
                query,
                missing,
                tried,
            } => {
                let tried = ("tried", tried.join("\n"));
                (query, vec![("missing", missing.join("\n")), tried])
            }
        };
        let inputs = inputs.iter().map(|(name, value)| (*name, value.as_str()));
        let inputs: Vec<_> = iter::once(("question", query.as_str()))
            .chain(inputs)
            .collect();
        let options = &self.options;
        let caller = Caller::new(
            Role::Clarifier,
            cx,
            options.max_tokens,
            options.call_timeout,
        );
        caller.call(self.prompt(doubt), &inputs, Some(schema()))
    }
}

impl Stage for Clarifier {
    type In = Doubt;
    type Out = Clarification;
    const ROLE: Role = Role::Clarifier;

    async fn run(&self, cx: &StepContext, doubt: Doubt) -> stage::StepResult<Clarification> {
        let doubt = &doubt;
        let mut template = Clarification::template(&cx.header.turn, doubt);
        template.options.truncate(self.options.options_max);
        // What documents there are, and what their columns are called, no model words better.
        if matches!(doubt, Doubt::TooMany { .. } | Doubt::Ambiguous { .. }) {
            return Ok(StepOutput::new(template, decided(doubt, "template")));
        }
        if let Some(limit) = cx.case.budget.spent() {
            let limit = limit.into();
            return Ok(StepOutput::new(template, decided(doubt, "template"))
                .with_fallback(Fallback::BudgetSpent { limit }));
        }
        let call = self.call(cx, doubt)?;
        let reply = self.model.chat(&call.request).await?;
        let read = clarification::read(&reply.text, &template, self.options.options_max);
        let done = match read {
            Some(worded) => StepOutput::new(worded, decided(doubt, "in the model's words")),
            None => StepOutput::new(template, decided(doubt, "template"))
                .with_fallback(Fallback::ClarifyDefault),
        };
        let done = done.with_model(reply.model, reply.usage);
        Ok(done.with_prompt(call.prompt.name(), call.prompt.version()))
    }
}

fn decided(doubt: &Doubt, how: &str) -> String {
    format!("{}, {how}", doubt.as_str())
}

fn schema() -> ReplySchema {
    let properties = json!({
        "clarifying_question": {"type": "string"},
        "suggested_options": {"type": "array", "items": {"type": "string"}, "maxItems": 3}
    });
    ReplySchema::new("clarification", properties)
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::Class;
    use testkit::model::{ScriptedModel, step};

    fn doubt(narrowed_by: &[&str]) -> Doubt {
        Doubt::NoResults {
            query: "which lamps failed?".into(),
            narrowed_by: narrowed_by.iter().map(|n| (*n).to_owned()).collect(),
        }
    }

    async fn run(
        model: &Arc<ScriptedModel>,
        cx: &StepContext,
        doubt: Doubt,
    ) -> StepOutput<Clarification> {
        let clarifier = Clarifier::new(model.clone(), &Prompts::default(), Options::default());
        clarifier.unwrap().run(cx, doubt).await.unwrap()
    }

    /// The prompt of the first call.
    fn shown(model: &ScriptedModel) -> String {
        let request = &model.requests()[0];
        format!("{}\n======\n{}", request.system, request.user)
    }

    #[tokio::test]
    async fn asks_in_the_models_words() {
        let model = ScriptedModel::saying([
            r#"{"clarifying_question": "Shall I search all years?", "suggested_options": ["Yes"]}"#,
        ]);
        let cx = step(Role::Clarifier, "which lamps failed?");
        let done = run(&model, &cx, doubt(&["year = 2031", "bucket in mail"])).await;
        assert_eq!(done.out.question, "Shall I search all years?");
        assert_eq!(
            (done.out.id.as_str(), done.out.kind.as_str()),
            ("t1", "no_results")
        );
        assert_eq!((done.fallbacks, done.usage.calls), (vec![], 1));
        insta::assert_snapshot!(shown(&model));
    }

    #[tokio::test]
    async fn a_question_that_nobody_understands_has_a_prompt_of_its_own() {
        let model = ScriptedModel::saying([
            r#"{"clarifying_question": "Which one: the lamp or the pump?", "suggested_options": ["The lamp"]}"#,
        ]);
        let cx = step(Role::Clarifier, "And the other one?");
        let unclear = Doubt::Unclear {
            query: "And the other one?".into(),
            reason: "a lamp and a pump were named".into(),
        };
        let done = run(&model, &cx, unclear).await;
        assert_eq!(done.out.kind, "unclear");
        assert_eq!(done.out.question, "Which one: the lamp or the pump?");
        assert_eq!(done.decided, "unclear, in the model's words");
        let user = &model.requests()[0].user;
        let reason = llm::section::read(user, "reason");
        assert_eq!(reason, Some("a lamp and a pump were named"));
        insta::assert_snapshot!(shown(&model));
    }

    #[tokio::test]
    async fn an_answer_that_did_not_stand_up_is_asked_about_with_what_it_failed() {
        let model = ScriptedModel::saying([
            r#"{"clarifying_question": "Shall I give the price of each?", "suggested_options": []}"#,
        ]);
        let cx = step(Role::Clarifier, "What do both cost together?");
        let ungrounded = Doubt::Ungrounded {
            query: "What do both cost together?".into(),
            reason: "not in the facts: 310".into(),
        };
        let done = run(&model, &cx, ungrounded).await;
        assert_eq!(done.out.kind, "ungrounded");
        assert_eq!(done.out.question, "Shall I give the price of each?");
        assert_eq!(done.decided, "ungrounded, in the model's words");
        let user = &model.requests()[0].user;
        let failed = llm::section::read(user, "failed");
        assert_eq!(failed, Some("not in the facts: 310"));
        insta::assert_snapshot!(shown(&model));
    }

    #[tokio::test]
    async fn what_the_documents_do_not_say_is_told_with_what_was_tried() {
        let model = ScriptedModel::saying([
            r#"{"clarifying_question": "No document names a Kestrel pump. Has it another name?", "suggested_options": []}"#,
            "Sorry.",
        ]);
        let cx = step(Role::Clarifier, "What does the Kestrel pump cost?");
        let doubt = Doubt::NotInDocuments {
            query: "What does the Kestrel pump cost?".into(),
            missing: vec!["Kestrel".into()],
            tried: vec!["5 of 32 passages".into()],
        };
        let done = run(&model, &cx, doubt.clone()).await;
        assert_eq!(done.out.kind, "not_in_documents");
        assert_eq!(done.decided, "not_in_documents, in the model's words");
        let user = &model.requests()[0].user;
        assert_eq!(llm::section::read(user, "missing"), Some("Kestrel"));
        assert_eq!(llm::section::read(user, "tried"), Some("5 of 32 passages"));
        insta::assert_snapshot!(shown(&model));
        let told = run(&model, &cx, doubt).await.out.question;
        assert!(told.starts_with("The documents do not say:"), "{told}");
        assert!(told.contains("\"Kestrel\"") && told.contains("5 of 32 passages"));
    }

    #[tokio::test]
    async fn a_turn_may_bring_a_model_and_a_prompt() {
        let model = ScriptedModel::saying(["{}"]);
        let mut cx = step(Role::Clarifier, "which lamps failed?");
        cx.case.overrides.model = Some("large".into());
        let own = "Be bold.\n---user---\n{{question}} {{narrowed_by}}";
        cx.case.overrides.prompts = [("clarifier".to_owned(), own.to_owned())].into();
        run(&model, &cx, doubt(&[])).await;
        let request = &model.requests()[0];
        assert_eq!(request.model.as_deref(), Some("large"));
        assert_eq!(request.system, "Be bold.");
    }

    #[tokio::test]
    async fn the_template_asks_when_the_model_does_not() {
        let model = ScriptedModel::saying(["Sorry."]);
        let cx = step(Role::Clarifier, "which lamps failed?");
        let done = run(&model, &cx, doubt(&[])).await;
        assert_eq!(
            done.out,
            Clarification::template(&cx.header.turn, &doubt(&[]))
        );
        assert_eq!(done.fallbacks, [Fallback::ClarifyDefault]);
        let user = &model.requests()[0].user;
        assert_eq!(llm::section::read(user, "narrowed_by"), Some(""));
    }

    #[tokio::test]
    async fn a_spent_budget_asks_nobody() {
        let model = ScriptedModel::saying(["{}"]);
        let mut cx = step(Role::Clarifier, "which lamps failed?");
        cx.case.budget.tokens = 0;
        let done = run(&model, &cx, doubt(&[])).await;
        assert!(model.requests().is_empty() && done.out.question.contains("which lamps"));
        let limit = "tokens".into();
        assert_eq!(done.fallbacks, [Fallback::BudgetSpent { limit }]);
    }

    #[tokio::test]
    async fn a_failed_call_is_left_to_the_harness() {
        let refused = llm::Error::Refused {
            status: 401,
            message: "key".into(),
        };
        let model = ScriptedModel::failing(refused);
        let clarifier = Clarifier::new(model, &Prompts::default(), Options::default()).unwrap();
        let cx = step(Role::Clarifier, "which lamps failed?");
        let error = clarifier.run(&cx, doubt(&[])).await.unwrap_err();
        assert_eq!(
            (error.class, error.code),
            (Class::Permanent, "model_refused")
        );
    }
}
