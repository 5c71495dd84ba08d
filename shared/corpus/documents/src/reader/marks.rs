//! The marks inside the lines of marked-up text, such as `*` around words: a table for each format says how they begin
//! and end, and what is shown of what they hold.

use super::lines::near;

/// What is shown of what stands between marks.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shows {
    /// What stands there, as it is.
    Inside,
    /// The same without its marks.
    Words,
    Nothing,
    /// What it is a name for.
    Named,
    /// What the format makes of it.
    Link,
}

/// How a mark begins and ends.
pub(super) type Mark = (&'static str, &'static str, Shows);

/// What is shown, and what is behind it.
pub(super) type Shown<'t> = Option<(String, &'t str)>;

pub(super) trait Marked {
    /// Longer marks stand before shorter ones.
    const MARKS: &'static [Mark];

    /// What a name stands for.
    fn named(&self, name: &str) -> Option<String>;

    /// The words of what begins with this mark. Those that are `shown` already may belong to it.
    fn link<'t>(
        &mut self,
        mark: &str,
        shown: &mut String,
        inside: &str,
        rest: &'t str,
    ) -> Shown<'t>;

    /// A text without its marks.
    fn inline(&mut self, text: &str) -> String {
        let begins = |c: char| c == '\\' || Self::MARKS.iter().any(|mark| mark.0.starts_with(c));
        let (mut shown, mut rest) = (String::with_capacity(text.len()), text);
        while let Some(at) = rest.find(begins) {
            shown.push_str(&rest[..at]);
            rest = &rest[at..];
            let mut marks = Self::MARKS.iter();
            let found = marks.find_map(|mark| self.marked(mark, &mut shown, rest));
            let (text, behind) = found.unwrap_or_else(|| escaped(rest));
            shown.push_str(&text);
            rest = behind;
        }
        shown + rest
    }

    fn marked<'t>(&mut self, mark: &Mark, shown: &mut String, text: &'t str) -> Shown<'t> {
        let &(open, close, shows) = mark;
        let inside = text.strip_prefix(open)?;
        let may_be_empty = matches!(shows, Shows::Link) && open != close;
        let end = near(inside)
            .find(close)
            .filter(|end| *end > 0 || may_be_empty)?;
        let (inside, rest) = (&inside[..end], &inside[end + close.len()..]);
        // A mark of one sign stands at the edges of words, if it does not raise or lower them.
        let is_loose = shown.ends_with(char::is_alphanumeric)
            || rest.starts_with(char::is_alphanumeric)
            || inside.trim() != inside;
        if open == close && open.len() == 1 && !"^~".contains(open) && is_loose {
            return None;
        }
        match shows {
            Shows::Inside => Some((inside.to_owned(), rest)),
            Shows::Words => Some((self.inline(inside), rest)),
            Shows::Nothing => Some((String::new(), rest)),
            Shows::Named => Some((self.named(inside)?, rest)),
            Shows::Link => self.link(open, shown, inside, rest),
        }
    }
}

/// The first sign, or the one that it keeps from being a mark.
fn escaped(text: &str) -> (String, &str) {
    let mut signs = text.chars();
    let first = signs.next();
    match (first, text.get(1..2)) {
        (Some('\\'), Some(" ")) => (String::new(), &text[2..]),
        (Some('\\'), Some(sign)) if !sign.starts_with(char::is_alphanumeric) => {
            (sign.to_owned(), &text[2..])
        }
        _ => (first.into_iter().collect(), signs.as_str()),
    }
}
