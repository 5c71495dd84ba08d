//! The step. Nothing in it waits: the validator has no collaborator.

use crate::options::Options;
use crate::verdict::{Judged, exit, judge};
use envelope::hop::ValidatorExit;
use envelope::{Class, Classed, Draft, Role};
use stage::{BoxFuture, Cx, Done, Stage};

/// Why there is no validator.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Options that cannot be kept to.
    #[error("validator options: {0}")]
    Options(String),
}

impl Classed for Error {
    fn class(&self) -> Class {
        Class::Bug
    }

    fn code(&self) -> &'static str {
        "validator_options"
    }
}

/// The validator.
pub struct Validator {
    options: Options,
}

impl Validator {
    /// A validator; fails when the options are nonsense.
    pub fn new(options: Options) -> Result<Self, Error> {
        options.validate()?;
        Ok(Validator { options })
    }

    fn validate(&self, cx: &Cx, draft: &Draft) -> Done<ValidatorExit> {
        let judged = judge(draft, &cx.case.question, &self.options);
        let decided = decided(&judged, draft);
        Done::new(exit(judged, draft), decided)
    }
}

impl Stage for Validator {
    type In = Draft;
    type Out = ValidatorExit;
    const ROLE: Role = Role::Validator;

    fn run<'a>(
        &'a self,
        cx: &'a Cx,
        draft: Draft,
    ) -> BoxFuture<'a, Result<Done<ValidatorExit>, stage::Error>> {
        Box::pin(async move { Ok(self.validate(cx, &draft)) })
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
    if judged.failed.is_empty() {
        let stitched = match draft.stitched {
            true => ": taken as low, no model wrote it",
            false => "",
        };
        return format!("grounded, confidence {confidence:.2}{stitched}");
    }
    let failed = judged.failed.join("; ");
    format!("ungrounded, confidence {confidence:.2}: {failed}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Fact, Matched};
    use testkit::model::step;

    #[tokio::test]
    async fn says_what_failed() {
        let validator = Validator::new(Options::default()).unwrap();
        let fact = Fact {
            n: 1,
            text: "It lasts 3 days.".into(),
        };
        let draft = Draft {
            text: "It lasts 4 days [1].".into(),
            sources: Vec::new(),
            facts: vec![fact],
            scatters: vec![2],
            strict: false,
            no_information: false,
            stitched: false,
            matched: Matched::Matched,
            table: None,
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
        let done = lenient.run(&cx, stitched).await.unwrap();
        assert_eq!(
            done.decided,
            "grounded, confidence 1.00: taken as low, no model wrote it"
        );
        let done = validator.run(&cx, draft).await.unwrap();
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
            "ungrounded, confidence 0.67: 1 citations of no source; no citation; not in the facts: 4"
        );
        assert_eq!((done.model, done.fallbacks), (None, vec![]));
    }
}
