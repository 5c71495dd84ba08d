//! What the form of a question says: whether it wants something explained, or documents. Pure, by rule.
//!
//! English. Read at the beginning of each clause: `how long ...`, `may I ...`, `why ...` want words; `do we have ...`,
//! `are there ...`, `could you find ...`, an order, or no sentence at all may want documents.

use crate::frame::is_of;
use crate::token::QuestionToken;

/// Words in front of a question that say nothing.
const POLITE: &str = "please kindly so ok okay hi hello hey and then now also well just quickly";
/// Words that open what is to be explained.
const EXPLAINING: &str = "why when whose whom explain describe define clarify may might should must shall ought whether if";
/// Who a request is made to, or by.
const PERSONS: &str = "you we i they";
/// What persons do with documents that they ask for.
const HAVING: &str =
    "have got hold keep see get find own possess list show give pull look receive file";

/// Whether one of its clauses wants something explained.
pub(crate) fn is_explaining(tokens: &[QuestionToken]) -> bool {
    let begins = |at: &usize| match at.checked_sub(1) {
        Some(before) => tokens[before].is_last,
        None => true,
    };
    (0..tokens.len())
        .filter(begins)
        .any(|at| explains(&tokens[at..]))
}

fn explains(clause: &[QuestionToken]) -> bool {
    let polite = clause
        .iter()
        .take_while(|token| is_of(&token.lower, POLITE));
    let skipped = polite.count();
    let word = |at: usize| {
        clause
            .get(skipped + at)
            .map_or("", |token| token.lower.as_str())
    };
    let first = word(0);
    match first {
        "how" => !matches!(
            word(1),
            "many" | "much" | "large" | "big" | "high" | "low" | "few"
        ),
        "who" => true,
        "can" | "could" | "would" | "will" if word(1) == "you" => {
            let mut verbs = (2..5).map(word).filter(|verb| !is_of(verb, POLITE));
            verbs.next().is_some_and(|verb| is_of(verb, EXPLAINING))
        }
        "can" | "could" | "would" | "will" => {
            !is_of(word(1), PERSONS) || !is_request(clause, skipped + 2)
        }
        "is" | "are" | "was" | "were" => {
            word(1) != "there" && !is_of(word(1), "more fewer any all")
        }
        "do" | "does" | "did" | "have" | "has" | "had" => {
            !is_of(word(1), PERSONS) || !is_request(clause, skipped + 2) && !is_of(word(2), HAVING)
        }
        "where" if is_of(word(2), PERSONS) => !is_of(word(3), HAVING),
        "where" => !matches!(word(1), "is" | "are"),
        "what" | "what's" => explains_what(word(1), word(2)),
        _ => is_of(first, EXPLAINING),
    }
}

/// `what does it mean`, `what happens when`; but not `what invoices`, nor `what is the total`.
fn explains_what(next: &str, third: &str) -> bool {
    match next {
        "happens" | "if" | "makes" | "comes" | "belongs" | "about" | "to" | "should" | "must"
        | "may" => true,
        "is" | "are" | "was" | "were" => matches!(third, "a" | "an" | "meant" | "it" | "covered"),
        "does" | "do" | "did" => !is_of(third, PERSONS),
        _ => false,
    }
}

/// Whether a clause goes on with a verb for handing something over: `could you dig out`, not `can I pay`.
fn is_request(clause: &[QuestionToken], at: usize) -> bool {
    let verbs = clause.iter().skip(at).take(3);
    let mut verbs = verbs.filter(|token| !is_of(&token.lower, POLITE));
    verbs.next().is_some_and(|verb| {
        is_of(&verb.lower, HAVING)
            || is_of(
                &verb.lower,
                "tell bring dig fetch pick open display provide retrieve export compile gather collect count sum add \
                 compare work break put set select search please help return need want like",
            )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    #[test]
    fn what_wants_words_is_told_from_what_wants_documents() {
        for text in [
            "How long should invoices be kept?",
            "May I pay an invoice before it is due?",
            "Can I pay in dollars?",
            "What is a 10-K?",
            "What does the notice period of a contract mean?",
            "In June the office moves, who pays for it?",
            "Is a certificate of no use once its site has moved?",
            "Please explain what force majeure means.",
            "Do goods have to be checked on arrival?",
        ] {
            assert!(is_explaining(&tokens(text)), "{text}");
        }
        for text in [
            "Do we have invoices from Acme?",
            "Could you dig out each contract on cleaning?",
            "Are there contracts ending in May?",
            "What invoices did Acme send?",
            "What is the total of the invoices from Acme?",
            "How many of them are due?",
            "contracts with Acme, 2023",
            "I'd like to see the invoices of May",
            "Where is the certificate of Acme?",
        ] {
            assert!(!is_explaining(&tokens(text)), "{text}");
        }
    }
}
