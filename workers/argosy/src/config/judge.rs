//! Determines which model judges answers, and refuses a small model that would judge its own answers. Pure.

use super::Config;
use envelope::{Profile, Role};
use validator::JudgeModels;

/// Why a model may not judge.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JudgeError {
    /// The model writes the answers that it is to judge.
    #[error(
        "`model_of.validator` is `{name}`, and its model `{model}` writes the answers, too: a small model confirms what it \
         just said; name another model, take `model_of.validator` away, or set `model.profile` to `large` where the model is"
    )]
    SameModel {
        /// Its name in the configuration.
        name: String,
        /// The model's name at its nodes.
        model: String,
    },
    /// It is not known which model writes the answers.
    #[error(
        "`model_of.validator` is `{name}`, and no model is named that writes the answers, so that it may be the same one: name \
         that in `model.model`, or in `model_of.reducer`"
    )]
    WriterUnnamed {
        /// Its name in the configuration.
        name: String,
    },
}

impl Config {
    /// The model that judges answers, and the one that writes them; `None` where rules alone check answers.
    pub(crate) fn judge_models(&self) -> Option<JudgeModels> {
        let judge = self.models.get(self.model_of.get(&Role::Validator)?)?;
        let writer = match self.model_of.get(&Role::Reducer) {
            Some(name) => self.models.get(name)?,
            None => &self.model,
        };
        Some(JudgeModels {
            judge: judge.model.clone(),
            writer: writer.model.clone(),
        })
    }

    /// Checks that the judging model may judge: a small model may not judge what it wrote.
    pub(super) fn validate_judge(&self) -> Result<(), JudgeError> {
        let Some(name) = self.model_of.get(&Role::Validator).cloned() else {
            return Ok(());
        };
        let Some(JudgeModels { judge, writer }) = self.judge_models() else {
            return Ok(());
        };
        match self.model.profile {
            Profile::Large => Ok(()),
            Profile::Small if writer.is_empty() => Err(JudgeError::WriterUnnamed { name }),
            Profile::Small if writer == judge => {
                let model = judge;
                Err(JudgeError::SameModel { name, model })
            }
            Profile::Small => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use llm_pool::Options;

    /// A configuration with `model` for all roles except the validator, which asks `models.judge`.
    fn judged(writer: &str, judge: &str) -> Config {
        let node = |name: &str| Options::one_node(name, "http://127.0.0.1:9");
        let mut config = Config {
            model: node(writer),
            ..Config::default()
        };
        config.models.insert("judge".into(), node(judge));
        config.model_of.insert(Role::Validator, "judge".into());
        config
    }

    #[test]
    fn a_small_model_may_not_judge_what_it_wrote() {
        judged("small", "large").validate().unwrap();
        let same = judged("small", "small");
        let refused = same.validate().unwrap_err();
        let wanted = JudgeError::SameModel {
            name: "judge".into(),
            model: "small".into(),
        };
        assert_eq!(refused.downcast_ref(), Some(&wanted));
        let text = refused.to_string();
        for part in ["`model_of.validator`", "`small`", "`model.profile`"] {
            assert!(text.contains(part), "{text}");
        }
        let mut large = same.clone();
        large.model.profile = Profile::Large;
        large.validate().unwrap();
        // What counts is who writes the answers, by whatever name.
        let mut own = same.clone();
        own.models.insert("own".into(), own.models["judge"].clone());
        own.model = Options::one_node("other", "http://127.0.0.1:9");
        own.model_of.insert(Role::Reducer, "own".into());
        assert!(own.validate().is_err());
        let mut other = same;
        other.models.insert(
            "own".into(),
            Options::one_node("other", "http://127.0.0.1:9"),
        );
        other.model_of.insert(Role::Reducer, "own".into());
        other.validate().unwrap();
    }

    #[test]
    fn who_writes_has_to_be_known() {
        let mut unnamed = judged("small", "large");
        unnamed.model = Options::default();
        let text = unnamed.validate().unwrap_err().to_string();
        assert!(text.contains("`model.model`"), "{text}");
        unnamed.model.profile = Profile::Large;
        unnamed.validate().unwrap();
        assert_eq!(Config::default().judge_models(), None);
    }
}
