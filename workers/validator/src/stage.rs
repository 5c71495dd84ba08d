//! The validator's step: the rules check the draft, then the judging model does, if there is one. Only this module
//! and `judge` have asynchronous code.

use crate::earlier;
use crate::evidence::Evidence;
use crate::judge::{Judge, JudgeModels, PROMPT};
use crate::options::Options;
use crate::verdict::{Judged, exit, judge};
use envelope::hop::ValidatorExit;
use envelope::{Draft, Fallback, Role};
use llm::{ChatModel, EmbeddedPrompt, Prompts, SetupError};
use stage::{Stage, StepContext, StepOutput};
use std::fmt::Write;
use std::sync::Arc;

/// The validator.
pub struct Validator {
    options: Options,
    judge: Option<Judge>,
}

impl Validator {
    /// Every prompt with which the validator asks its model, where it has one.
    pub const PROMPTS: [EmbeddedPrompt; 1] = [PROMPT];

    /// Makes a validator that checks by rules. It fails when the options are invalid.
    pub fn new(options: Options) -> Result<Self, SetupError> {
        options.validate()?;
        Ok(Validator {
            options,
            judge: None,
        })
    }

    /// The validator with a model that judges the drafts that the rules let pass, with the prompt `validator`. It
    /// fails when that prompt is invalid.
    pub fn with_judge(
        self,
        model: Arc<dyn ChatModel>,
        prompts: &Prompts,
        models: JudgeModels,
    ) -> Result<Self, SetupError> {
        let judge = Some(Judge::new(model, prompts, models)?);
        Ok(Validator { judge, ..self })
    }
}

impl Stage for Validator {
    type In = Evidence;
    type Out = ValidatorExit;
    const ROLE: Role = Role::Validator;

    async fn run(&self, cx: &StepContext, evidence: Evidence) -> stage::StepResult<ValidatorExit> {
        let evidence = &evidence;
        let mut judged = judge(evidence, &cx.case.question, &self.options);
        let draft = &evidence.draft;
        let said = match &self.judge {
            Some(judge) if judged.is_to_be_judged(draft) => {
                judge.ask(cx, evidence, &mut judged, &self.options).await
            }
            _ => None,
        };
        let mut decided = decided(&judged, draft);
        earlier::put_back(&mut judged, cx, evidence, &self.options);
        if let Some(Fallback::EarlierDraft { hop }) = judged.fallbacks.last() {
            let confidence = judged.verdict.confidence;
            let _ = write!(
                decided,
                "; the draft of hop {hop} is better: confidence {confidence:.2}"
            );
        }
        let fallbacks = std::mem::take(&mut judged.fallbacks);
        let mut done = StepOutput::new(exit(judged, evidence), decided);
        done.fallbacks = fallbacks;
        Ok(match said {
            Some((call, reply)) => done
                .with_model(reply.model, reply.usage)
                .with_prompt(call.prompt.name(), call.prompt.version()),
            None => done,
        })
    }
}

fn decided(judged: &Judged, draft: &Draft) -> String {
    if draft.no_information {
        return "nothing to check".into();
    }
    let confidence = judged.verdict.confidence;
    if judged.failed.is_empty() && draft.table.is_some() {
        return "the table holds".into();
    }
    let found = match (judged.failed.is_empty(), &judged.lacking) {
        (true, None) => {
            let stitched = match draft.stitched {
                true => ": taken as low, no model wrote it",
                false => "",
            };
            format!("grounded, confidence {confidence:.2}{stitched}")
        }
        (true, Some(lacking)) => format!("insufficient, confidence {confidence:.2}: {lacking}"),
        (false, _) => {
            let failed = judged.failed.join("; ");
            format!("ungrounded, confidence {confidence:.2}: {failed}")
        }
    };
    format!("{found}{}", said_by_judge(judged))
}

/// What the judging model said, or why it did not judge, for the trail.
fn said_by_judge(judged: &Judged) -> String {
    if let Some(said) = &judged.verdict.judgement {
        let (grounding, sufficiency) = (said.grounding.as_str(), said.sufficiency.as_str());
        return format!("; judged {grounding}, {sufficiency}");
    }
    let why = judged.fallbacks.iter().find_map(|one| match one {
        Fallback::Unjudged { why } => Some(why),
        _ => None,
    });
    why.map_or(String::new(), |why| format!("; not judged: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::Fact;
    use testkit::model::step;

    #[tokio::test]
    async fn says_what_failed() {
        let validator = Validator::new(Options::default()).unwrap();
        let fact = Fact {
            n: 1,
            text: "It lasts 3 days.".into(),
        };
        let draft = Draft {
            facts: vec![fact],
            ..crate::testing::draft("It lasts 4 days [1].")
        };
        let cx = step(Role::Validator, "how long?");
        let stitched = Draft {
            text: "It lasts 3 days.".into(),
            scatters: Vec::new(),
            stitched: true,
            ..draft.clone()
        };
        let options = Options {
            citations_required: false,
            ..Options::default()
        };
        let lenient = Validator::new(options).unwrap();
        let done = lenient.run(&cx, stitched.into()).await.unwrap();
        assert_eq!(
            done.decided,
            "grounded, confidence 1.00: taken as low, no model wrote it"
        );
        let done = validator.run(&cx, draft.into()).await.unwrap();
        let ValidatorExit::Ungrounded {
            stricter_from,
            reason,
            ..
        } = &done.out
        else {
            panic!("grounded")
        };
        assert_eq!(*stricter_from, [2]);
        assert_eq!(
            reason,
            "1 citations of no source; no citation; not in the facts: 4"
        );
        assert_eq!(
            done.decided,
            "ungrounded, confidence 0.50: 1 citations of no source; no citation; not in the facts: 4"
        );
        assert_eq!(done.model, None);
        assert_eq!(
            done.fallbacks,
            [Fallback::SentencesUnsupported { count: 1 }]
        );
    }
}
