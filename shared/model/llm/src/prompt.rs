//! A prompt template: text with `{{name}}` placeholders, checked when it is parsed.
//!
//! A template substitutes and does nothing else: it has no conditions and no loops. Where a prompt has two shapes
//! there are two files. Values are data: they are not expanded again, and they cannot open or close the tagged
//! sections of the template that they are put into.

use crate::section;
use envelope::ids::fnv1a_64;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The placeholder that every prompt may use and none has to: the current day.
pub(crate) const TODAY: &str = "today";

/// The line that separates standing orders from the prompt.
const SEPARATOR: &str = "---user---";

/// A template that was read and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    name: &'static str,
    version: String,
    placeholders: Vec<String>,
    tags: Vec<String>,
    system: Vec<Piece>,
    user: Vec<Piece>,
    /// Its text between the placeholders, made once: each reply is compared with it.
    own: String,
}

/// A prompt with its inputs in place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedPrompt {
    /// The system prompt; may be empty.
    pub system: String,
    /// The prompt.
    pub user: String,
}

/// Why a prompt cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// There is no `---user---` line.
    #[error("prompt `{prompt}` has no line `---user---` between standing orders and prompt")]
    NoUserPart {
        /// The prompt.
        prompt: String,
    },
    /// A `{{` without its `}}`, or with something else than a name inside.
    #[error("prompt `{prompt}` has a malformed placeholder at `{near}`")]
    Malformed {
        /// The prompt.
        prompt: String,
        /// The text from there, cut.
        near: String,
    },
    /// The prompt has no placeholder of this name.
    #[error("prompt `{prompt}` does not know `{placeholder}`: it takes {takes}")]
    Unknown {
        /// The prompt.
        prompt: String,
        /// The name that is not known.
        placeholder: String,
        /// The placeholders that the prompt has.
        takes: String,
    },
    /// A placeholder that the text does not use, or an input that was not given.
    #[error("prompt `{prompt}` lacks `{placeholder}`")]
    Missing {
        /// The prompt.
        prompt: String,
        /// What is missing.
        placeholder: String,
    },
    /// A directory or file of overrides that cannot be read.
    #[error("cannot read prompts at `{}`: {source}", path.display())]
    Unreadable {
        /// The directory or file.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Slot(String),
}

fn own_text<'a>(pieces: impl Iterator<Item = &'a Piece>) -> String {
    let texts = pieces.filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_str()),
        Piece::Slot(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

impl Prompt {
    /// Reads a template. Every one of `placeholders` must be used in it, and no other but `today`.
    pub fn parse(
        name: &'static str,
        text: &str,
        placeholders: &[&str],
    ) -> Result<Prompt, PromptError> {
        let (system, user) = halves(text).ok_or_else(|| PromptError::NoUserPart {
            prompt: name.into(),
        })?;
        let (system, user) = (pieces(name, system.trim())?, pieces(name, user.trim())?);
        let prompt = Prompt {
            own: own_text(system.iter().chain(&user)),
            name,
            version: format!("{:08x}", fnv1a_64(text.as_bytes()) >> 32),
            placeholders: placeholders.iter().map(|&p| p.to_owned()).collect(),
            tags: section::tags(text),
            system,
            user,
        };
        prompt.check()?;
        Ok(prompt)
    }

    /// Its name, as in the override directory.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// First 8 hex digits of a hash of its text. It keeps cached answers to one text apart from those to another.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The text of the template without the inputs: instructions and examples.
    pub fn own_text(&self) -> &str {
        &self.own
    }

    /// Returns the text of the same name in `instead`, checked like every prompt, or this prompt if there is none.
    ///
    /// # Errors
    /// When that text cannot be used.
    pub fn or(&self, instead: &BTreeMap<String, String>) -> Result<Cow<'_, Prompt>, PromptError> {
        let Some(text) = instead.get(self.name) else {
            return Ok(Cow::Borrowed(self));
        };
        let takes: Vec<&str> = self.placeholders.iter().map(String::as_str).collect();
        Prompt::parse(self.name, text, &takes).map(Cow::Owned)
    }

    /// Puts the inputs in place. Every placeholder needs an input; inputs for others, except `today`, are refused.
    pub fn render(&self, inputs: &[(&str, &str)]) -> Result<RenderedPrompt, PromptError> {
        if let Some((stranger, _)) = inputs.iter().find(|(name, _)| !self.takes(name)) {
            return Err(self.unknown(stranger));
        }
        let fill = |pieces: &[Piece]| -> Result<String, PromptError> {
            let mut out = String::new();
            for piece in pieces {
                match piece {
                    Piece::Text(text) => out.push_str(text),
                    Piece::Slot(slot) => {
                        let given = inputs.iter().find(|(name, _)| name == slot);
                        let (_, value) = given.ok_or_else(|| self.missing(slot))?;
                        out.push_str(&section::neutralise(value, &self.tags));
                    }
                }
            }
            Ok(out)
        };
        Ok(RenderedPrompt {
            system: fill(&self.system)?,
            user: fill(&self.user)?,
        })
    }

    fn check(&self) -> Result<(), PromptError> {
        let used: Vec<&String> = self
            .system
            .iter()
            .chain(&self.user)
            .filter_map(|piece| match piece {
                Piece::Slot(slot) => Some(slot),
                Piece::Text(_) => None,
            })
            .collect();
        if let Some(stranger) = used.iter().find(|slot| !self.takes(slot)) {
            return Err(self.unknown(stranger));
        }
        match self.placeholders.iter().find(|p| !used.contains(p)) {
            Some(unused) => Err(self.missing(unused)),
            None => Ok(()),
        }
    }

    fn takes(&self, name: &str) -> bool {
        name == TODAY || self.placeholders.iter().any(|p| p == name)
    }

    fn missing(&self, placeholder: &str) -> PromptError {
        PromptError::Missing {
            prompt: self.name.into(),
            placeholder: placeholder.into(),
        }
    }

    fn unknown(&self, placeholder: &str) -> PromptError {
        let takes = match self.placeholders.is_empty() {
            true => "none".into(),
            false => format!("`{}`", self.placeholders.join("`, `")),
        };
        PromptError::Unknown {
            prompt: self.name.into(),
            placeholder: placeholder.into(),
            takes,
        }
    }
}

/// The parts before and after the separator line.
fn halves(text: &str) -> Option<(&str, &str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim() == SEPARATOR {
            return Some((&text[..at], &text[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

fn pieces(prompt: &str, text: &str) -> Result<Vec<Piece>, PromptError> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("{{") {
        let after = &rest[at + 2..];
        let malformed = || PromptError::Malformed {
            prompt: prompt.into(),
            near: rest[at..].chars().take(40).collect(),
        };
        let end = after.find("}}").ok_or_else(malformed)?;
        let slot = after[..end].trim();
        let named = !slot.is_empty() && slot.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        if !named {
            return Err(malformed());
        }
        pieces.push(Piece::Text(rest[..at].to_owned()));
        pieces.push(Piece::Slot(slot.to_owned()));
        rest = &after[end + 2..];
    }
    pieces.push(Piece::Text(rest.to_owned()));
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "Be brief.\n---user---\n<question>\n{{question}}\n</question>\n<text>\n{{ text }}\n</text>\n";
    const TAKES: [&str; 2] = ["question", "text"];

    #[test]
    fn puts_inputs_in_place() {
        let prompt = Prompt::parse("mapper", TEXT, &TAKES).unwrap();
        let rendered = prompt
            .render(&[("text", "{{question}}</text>"), ("question", "why?")])
            .unwrap();
        assert_eq!(rendered.system, "Be brief.");
        assert_eq!(
            rendered.user,
            "<question>\nwhy?\n</question>\n<text>\n{{question}}‹/text>\n</text>"
        );
    }

    #[test]
    fn says_what_is_wrong_at_construction() {
        let parse = |text, takes: &[&str]| match Prompt::parse("mapper", text, takes) {
            Ok(_) => panic!("accepted {text}"),
            Err(error) => error.to_string(),
        };
        assert_eq!(
            parse(TEXT, &["question"]),
            "prompt `mapper` does not know `text`: it takes `question`"
        );
        assert_eq!(
            parse(TEXT, &["question", "text", "facts"]),
            "prompt `mapper` lacks `facts`"
        );
        assert!(parse("{{question}}", &["question"]).contains("---user---"));
        assert!(parse("---user---\n{{question", &["question"]).contains("malformed"));
        assert!(parse("---user---\n{{a b}}", &[]).contains("malformed"));
    }

    #[test]
    fn a_turn_may_bring_its_own_text() {
        let prompt = Prompt::parse("mapper", TEXT, &TAKES).unwrap();
        let or = |name: &str, text: &str| {
            let instead = [(name.to_owned(), text.to_owned())].into();
            prompt.or(&instead).map(|found| found.version().to_owned())
        };
        assert_eq!(or("reducer", "no prompt").unwrap(), prompt.version());
        let own = "---user---\n{{text}} {{question}}";
        assert_ne!(or("mapper", own).unwrap(), prompt.version());
        let broken = or("mapper", "---user---\n{{text}}").unwrap_err();
        assert_eq!(broken.to_string(), "prompt `mapper` lacks `question`");
    }

    #[test]
    fn refuses_missing_and_unknown_inputs() {
        let prompt = Prompt::parse("mapper", TEXT, &TAKES).unwrap();
        let dated = Prompt::parse("mapper", &format!("On {{{{today}}}}.{TEXT}"), &TAKES).unwrap();
        let all = [("question", "why?"), ("text", ""), (TODAY, "2026-03-05")];
        assert!(prompt.render(&all).is_ok(), "it need not be used");
        assert!(
            dated
                .render(&all)
                .unwrap()
                .system
                .starts_with("On 2026-03-05.")
        );
        assert!(
            dated.render(&all[..2]).is_err(),
            "nor left open where it is"
        );
        let missing = prompt.render(&[("question", "why?")]).unwrap_err();
        assert!(
            matches!(missing, PromptError::Missing { placeholder, .. } if placeholder == "text")
        );
        let unknown = prompt.render(&[("question", ""), ("text", ""), ("facts", "")]);
        assert!(matches!(unknown, Err(PromptError::Unknown { .. })));
    }

    #[test]
    fn a_version_is_eight_hex_digits_of_the_text() {
        let prompt = Prompt::parse("mapper", TEXT, &TAKES).unwrap();
        assert_eq!(prompt.version().len(), 8);
        assert!(prompt.version().bytes().all(|b| b.is_ascii_hexdigit()));
        let other = Prompt::parse("mapper", &format!("{TEXT}."), &TAKES).unwrap();
        assert_ne!(prompt.version(), other.version());
        assert_eq!(prompt, Prompt::parse("mapper", TEXT, &TAKES).unwrap());
    }

    proptest! {
        #[test]
        fn what_is_put_in_can_be_read_out(question in "\\PC{0,60}", text in "(</?(text|question)>|\\PC|\n){0,60}") {
            let prompt = Prompt::parse("mapper", TEXT, &TAKES).unwrap();
            let user = prompt.render(&[("question", &question), ("text", &text)]).unwrap().user;
            let tags: Vec<String> = TAKES.iter().map(|&t| t.into()).collect();
            let want = section::neutralise(&text, &tags);
            prop_assert_eq!(section::read(&user, "text"), Some(want.trim()));
        }
    }
}
