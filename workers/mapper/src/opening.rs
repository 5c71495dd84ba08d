//! Finds the first sentences of a passage, which replace the facts if no model could read the passage.

/// How many sentences of an unread passage stand in for its facts.
const OPENING_SENTENCES: usize = 3;

/// The first sentences of a text, roughly: a sentence ends at a full stop, a question mark or an exclamation mark
/// before white space, and at an empty line.
pub(crate) fn of(text: &str) -> Vec<String> {
    let mut sentences = Vec::new();
    for paragraph in text.split("\n\n") {
        let mut rest = paragraph;
        while !rest.trim().is_empty() && sentences.len() < OPENING_SENTENCES {
            let end = rest
                .match_indices(['.', '!', '?'])
                .map(|(at, mark)| at + mark.len())
                .find(|end| rest[*end..].starts_with(char::is_whitespace))
                .unwrap_or(rest.len());
            sentences.push(rest[..end].trim().to_owned());
            rest = &rest[end..];
        }
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_three_sentences_over_paragraphs() {
        let text = "It is 2.5 EUR. Due in May!\n\nPay by wire? To Orlin.";
        assert_eq!(of(text), ["It is 2.5 EUR.", "Due in May!", "Pay by wire?"]);
        assert_eq!(of(" \n\n "), Vec::<String>::new());
    }
}
