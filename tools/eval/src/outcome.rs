//! The result of a measurement: an object for programs, and lines for people. *Not* here: how a line is displayed on
//! a terminal, which the caller decides.

use serde::Serialize;
use serde_json::Value;

/// The result of a measurement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EvalReport {
    /// The object for programs.
    pub(crate) object: Value,
    /// The lines for people.
    pub(crate) lines: Vec<TextLine>,
}

/// The emphasis of a part of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Emphasis {
    /// It does not.
    None,
    /// As a heading.
    Strong,
    /// As something that is not as expected.
    Warning,
}

/// A line, part by part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextLine(Vec<(Emphasis, String)>);

impl TextLine {
    /// A line that begins with this, as it is.
    pub(crate) fn of(text: impl Into<String>) -> TextLine {
        TextLine(vec![(Emphasis::None, text.into())])
    }

    /// A line that begins with this, as a heading.
    pub(crate) fn strong(text: impl Into<String>) -> TextLine {
        TextLine(vec![(Emphasis::Strong, text.into())])
    }

    /// Appends text without emphasis.
    #[must_use]
    pub(crate) fn plain(self, text: impl Into<String>) -> TextLine {
        self.then(Emphasis::None, text)
    }

    /// Appends text with an emphasis.
    #[must_use]
    pub(crate) fn then(mut self, emphasis: Emphasis, text: impl Into<String>) -> TextLine {
        self.0.push((emphasis, text.into()));
        self
    }

    /// Its parts, in their order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Emphasis, &str)> {
        self.0
            .iter()
            .map(|(emphasis, text)| (*emphasis, text.as_str()))
    }
}

impl EvalReport {
    /// An object, and no line yet.
    pub(crate) fn of(report: &impl Serialize) -> EvalReport {
        EvalReport {
            object: serde_json::json!(report),
            lines: Vec::new(),
        }
    }

    /// A line more.
    pub(crate) fn line(&mut self, line: TextLine) {
        self.lines.push(line);
    }

    /// A line more, as it is.
    pub(crate) fn text(&mut self, text: impl Into<String>) {
        self.line(TextLine::of(text));
    }

    /// Lines more, as they are.
    pub(crate) fn lines(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.text(line.as_str()));
    }
}
