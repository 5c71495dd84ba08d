//! The topic of a conversation: its title, in a form that fits into a sentence.

/// The longest title that is used.
const BYTES_MAX: usize = 120;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Topic {
    pub(super) name: String,
    /// Its title says that it is a group: "(band)".
    pub(super) grouped: bool,
}

impl Topic {
    /// Without what stands in brackets or behind a comma; `None` when nothing is left.
    pub(super) fn read(title: &str) -> Option<Topic> {
        let line = text::one_line(title);
        let bare = line.split(['(', '[']).next().unwrap_or_default();
        let bare = match bare.split_once(", ") {
            Some((head, _)) if head.contains(' ') => head,
            _ => bare,
        };
        let name = bare.trim().trim_end_matches(['.', ',', ':', ';', '?', '!']);
        let fits =
            !name.is_empty() && name.len() <= BYTES_MAX && name.contains(char::is_alphanumeric);
        let lower = title.to_lowercase();
        let mut marks = ["(band)", "(group)", "(company)"].iter();
        fits.then(|| Topic {
            name: name.to_owned(),
            grouped: marks.any(|mark| lower.contains(mark)),
        })
    }

    /// Whether it opens with a first name.
    pub(super) fn is_person(&self) -> bool {
        let first = self
            .name
            .split(' ')
            .next()
            .unwrap_or_default()
            .to_lowercase();
        let known = crate::vocabulary::is_female(&first) || crate::vocabulary::is_male(&first);
        known && (2..=3).contains(&self.name.split(' ').count())
    }

    /// Its words in lower case, without those of grammar.
    pub(super) fn words(&self) -> Vec<String> {
        text::words::runs(&self.name)
            .map(super::mentions::plain)
            .filter(|word| !crate::vocabulary::is_grammar(word))
            .collect()
    }
}
