//! The probabilities of the tokens of a reply: how sure a model is of what it wrote.
//!
//! Not every node says them, and a node that does may stop doing so: whoever asks for them needs a way that works
//! without. They are the model's own, so a token that only a grammar allows has a small one. *Not* a measure of
//! truth: a model can be sure of what is wrong.

use crate::ChatReply;

/// Most likeliest tokens that a node can be asked for in each place.
pub const LIKELY_MAX: u8 = 20;

/// A token that a model wrote.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TokenProbability {
    /// Its text, with the white space before it.
    pub text: String,
    /// The natural logarithm of its probability, from -100 to 0.
    pub log: f32,
    /// The likeliest tokens in this place with their logarithms, best first; the one that was written is among them
    /// if it is one.
    pub others: Vec<(String, f32)>,
}

/// The probability that the answer is yes and not no, by the first word that the reply begins with; all spellings
/// (` yes`, `"Yes`, `YES`) count. If only one of the two is among the likeliest tokens, the other is taken to be as
/// likely as it can be then.
///
/// None if neither is among them, or the node said no probabilities: then the text is to be read.
pub fn yes(reply: &ChatReply) -> Option<f32> {
    let mut tokens = reply.tokens.iter();
    let first = tokens.find(|token| !word(&token.text).is_empty())?;
    let place = place(first);
    let sum = |wanted: &str| -> f32 {
        let same = place.iter().filter(|(text, _)| word(text) == wanted);
        same.map(|(_, p)| p).sum()
    };
    let (yes, no) = (sum("yes"), sum("no"));
    let left = 1.0 - place.iter().map(|(_, p)| p).sum::<f32>();
    let unseen = place
        .iter()
        .fold(left.max(0.0), |least, (_, p)| least.min(*p));
    let or_unseen = |p: f32| if p > 0.0 { p } else { unseen };
    (yes + no > 0.0).then(|| or_unseen(yes) / (or_unseen(yes) + or_unseen(no)))
}

/// All tokens that are named for a place, with their probabilities.
fn place(token: &TokenProbability) -> Vec<(&str, f32)> {
    let others = token.others.iter();
    let mut place: Vec<_> = others.map(|(text, log)| (&**text, log.exp())).collect();
    if place.iter().all(|(text, _)| *text != token.text) {
        place.push((&token.text, token.log.exp()));
    }
    place
}

/// A token without white space, quotes and other signs around it, in lower case.
fn word(text: &str) -> String {
    let letters = text.trim_matches(|c: char| !c.is_alphanumeric());
    letters.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::Usage;

    fn token(text: &str, p: f32, others: &[(&str, f32)]) -> TokenProbability {
        let others = others.iter().map(|(text, p)| ((*text).into(), p.ln()));
        TokenProbability {
            text: text.into(),
            log: p.ln(),
            others: others.collect(),
        }
    }

    fn reply(tokens: Vec<TokenProbability>) -> ChatReply {
        ChatReply {
            text: "Yes.".into(),
            model: "tiny".into(),
            usage: Usage::default(),
            tokens,
        }
    }

    #[test]
    fn yes_is_weighed_against_no_by_the_first_word() {
        let yes_no = [("Yes", 0.6), ("No", 0.2)];
        let end = || token(".", 0.9, &[("No", 0.1)]);
        let cases = [
            (vec![token("Yes", 0.6, &yes_no), end()], Some(0.75)),
            (vec![token("No", 0.2, &yes_no), end()], Some(0.75)),
            // All spellings count.
            (
                vec![token(
                    " yes",
                    0.3,
                    &[(" yes", 0.3), ("YES", 0.2), ("\"Yes", 0.1), ("**no", 0.2)],
                )],
                Some(0.75),
            ),
            // Signs before the word are passed over, whatever may have stood in their place.
            (
                vec![
                    token("\n\"", 0.5, &[("No", 0.4)]),
                    token("Yes", 0.6, &yes_no),
                ],
                Some(0.75),
            ),
            // A model that says something else, but names both.
            (vec![token("Paris", 0.1, &yes_no)], Some(0.75)),
            // The other word is not named: it has what is left, or less than the least that is named.
            (vec![token("Yes", 0.75, &[("Yes", 0.75)])], Some(0.75)),
            (vec![token("No", 0.75, &[])], Some(0.25)),
            (
                vec![token("Yes", 0.6, &[("Yes", 0.6), ("The", 0.2)])],
                Some(0.75),
            ),
            // Words that only begin so, and places without either.
            (vec![token("None", 0.9, &[("Yesterday", 0.1)])], None),
            (
                vec![token("{\"", 0.9, &yes_no), token("answer", 0.9, &[])],
                None,
            ),
            (vec![token("\n", 0.9, &yes_no)], None),
            (Vec::new(), None),
        ];
        for (tokens, wanted) in cases {
            let reply = reply(tokens);
            match (yes(&reply), wanted) {
                (Some(got), Some(wanted)) => {
                    assert!((got - wanted).abs() < 1e-4, "{got} {reply:?}")
                }
                (got, wanted) => assert_eq!(got, wanted, "{reply:?}"),
            }
        }
    }

    #[test]
    fn a_certain_yes_is_one_and_a_certain_no_is_zero() {
        let certain = |text: &str, other: &str| TokenProbability {
            text: text.into(),
            log: 0.0,
            others: vec![(text.into(), 0.0), (other.into(), -100.0)],
        };
        assert_eq!(yes(&reply(vec![certain("Yes", "No")])), Some(1.0));
        let no = yes(&reply(vec![certain("No", "Yes")])).unwrap();
        assert!(no < 1e-30, "{no}");
    }
}
