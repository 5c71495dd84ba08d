//! What the form of a question says: whether it wants an explanation or documents. Pure, by rule.
//!
//! The rules are for English. They look at the beginning of each clause. `How long ...`, `may I ...` and `why ...` want
//! an explanation. `Do we have ...`, `are there ...`, `could you find ...`, an order, or words that form no sentence
//! may want documents.

use crate::token::{QuestionToken, TokenWords};
use text::is_of;

/// A word that ends in `able` has to be longer than `cable`, `table` and `variable`, which are things.
const ABLE_LETTERS: usize = 8;

pub(crate) fn is_explaining(tokens: &[QuestionToken]) -> bool {
    let begins = |at: &usize| *at == 0 || tokens[at - 1].is_last;
    let mut clauses = (0..tokens.len()).filter(begins);
    clauses.any(|at| explains(&tokens[at..]))
}

/// The number of words in front of a question that say nothing.
fn polite(tokens: &[QuestionToken]) -> usize {
    let is_polite = |token: &&QuestionToken| is_of(&token.lower, words!(form_polite));
    tokens.iter().take_while(is_polite).count()
}

fn explains(clause: &[QuestionToken]) -> bool {
    let rest = &clause[polite(clause)..];
    let is = |at: usize, words: &str| rest.is(at, words);
    match rest.word(0) {
        "how" => !is(1, "many much large big high low few") && !is_dividing(clause),
        "who" => true,
        "can" | "could" | "would" | "will" if rest.word(1) == "you" => {
            let mut verbs = (2..5).filter(|at| !is(*at, words!(form_polite)));
            verbs
                .next()
                .is_some_and(|at| is(at, words!(form_explaining)))
        }
        "can" | "could" | "would" | "will" => !is(1, words!(persons)) || !is_request(rest),
        "is" | "are" | "was" | "were" => !is(1, "there more fewer any all"),
        "have" | "has" | "had" if rest.word(1) == "there" => false,
        "do" | "does" | "did" | "have" | "has" | "had" => {
            (!is(1, words!(persons)) || !is_request(rest) && !is(2, words!(form_having)))
                && !puts_beside(clause)
        }
        "where" if is(2, words!(persons)) => !is(3, words!(form_having)),
        "where" => !is(1, "is are"),
        "what" | "what's" => explains_what(rest) && !comes_to(clause),
        // `If I add up the invoices, what do I get?`
        "if" if is(1, words!(persons)) => !is(2, words!(reckoning)),
        first => is_of(first, words!(form_explaining)),
    }
}

/// `what do the invoices come to` asks for an amount.
fn comes_to(clause: &[QuestionToken]) -> bool {
    let phrases = "come to, amount to, sum to, add up, total up, sum up";
    (0..clause.len()).any(|at| clause.says_any(at, phrases))
}

/// `how are the invoices distributed by year` and `how does the number of invoices compare with ...` count documents;
/// `how should invoices be split?` asks for rules.
fn is_dividing(clause: &[QuestionToken]) -> bool {
    let asks_for_rules =
        clause.is(1, "should must can could would may to") || clause.is(2, words!(persons));
    !asks_for_rules
        && (clause.has("distributed divided split spread broken")
            && clause.has("by per across over among between")
            || clause.has("compare compares") && clause.has("number numbers count total")
            || clause.has_pair("add", "up"))
}

/// `what does it mean` and `what happens when` want an explanation; `what invoices` and `what is the total` do not.
fn explains_what(clause: &[QuestionToken]) -> bool {
    match clause.word(1) {
        "is" | "are" | "was" | "were" => clause.is(2, "a an meant it covered"),
        "does" | "do" | "did" => !clause.is(2, words!(persons)) && clause.word(2) != "each",
        next => is_of(
            next,
            "happens if makes comes belongs about to should must may",
        ),
    }
}

/// Whether the question compares two things without a word such as `compare`: `are there more from Acme or from Bolt?`,
/// `put these next to those`. `More than 500` compares with a number and does not count.
pub(crate) fn is_choosing(tokens: &[QuestionToken]) -> bool {
    if puts_beside(tokens) {
        return true;
    }
    let is_compared =
        |at: &usize| tokens.is(*at, words!(comparative)) && !tokens.is(at + 1, "than recent");
    let Some(at) = (0..tokens.len()).find(is_compared) else {
        return false;
    };
    // `more from Acme than from Bolt` compares two things; `worth more in all than 500` does not.
    let than = (at..tokens.len()).find(|at| tokens.word(*at) == "than");
    let is_than =
        than.is_some_and(|than| !tokens[than..].iter().take(3).any(QuestionToken::has_digit));
    let is_asked = tokens.is(polite(tokens), words!(choosing))
        || tokens.is(at.saturating_sub(1), "which has is are there have");
    is_asked && (tokens.has("or") && than.is_none() || is_than)
}

/// Whether two neighbouring words compare one thing with another: `next to`, `set the number sent by Acme against the
/// number sent by Bolt`.
fn puts_beside(tokens: &[QuestionToken]) -> bool {
    let is_against = |at: usize| {
        tokens.is(at, "against beside alongside")
            && tokens.word(at + 1) == "the"
            && tokens.is(at + 2, "number count total figure one ones")
            || tokens.word(at) == "against"
                && tokens.is(at + 1, "from by with for of under")
                && at + 2 < tokens.len()
    };
    (0..tokens.len()).any(|at| tokens.says_any(at, words!(beside)) || is_against(at))
}

/// Whether the question says that one thing has more than another: `Does HX-1 have a higher voltage than HX-2?`.
pub(crate) fn says_more_than(tokens: &[QuestionToken]) -> bool {
    let more = (0..tokens.len()).find(|at| tokens.is(*at, words!(comparative)));
    more.is_some_and(|at| tokens[at..].has("than"))
}

/// Whether the question compares two things by a figure: `the gap between HX-1 and HX-2`.
pub(crate) fn is_measuring(tokens: &[QuestionToken]) -> bool {
    is_choosing(tokens)
        || tokens.has("gap exceed exceeds exceeding surpass surpasses differ differs")
            && tokens.has("and of that than")
}

/// Whether a word, by its ending or by a list, may be a participle or an adjective in `-able`: `charged`, `chargeable`.
pub(crate) fn is_participle(word: &str) -> bool {
    let is_able = word.len() > ABLE_LETTERS && (word.ends_with("able") || word.ends_with("ible"));
    word.ends_with("ed") || word.ends_with("ing") || is_able || is_of(word, words!(participles))
}

/// Whether the question orders documents and does not ask what they say: `Pull up Acme, 2023`, `I need ...`, `do we
/// have ...`; not `find out who ...`.
pub(crate) fn is_order(tokens: &[QuestionToken]) -> bool {
    let rest = &tokens[polite(tokens)..];
    let is_ordered = match (rest.word(0), rest.word(1)) {
        ("i" | "we", "need" | "want") | ("do", "we") | ("have", "we") => true,
        ("can" | "could" | "would" | "will", "you") => rest.is(2, words!(ordering)),
        (verb, _) => is_of(verb, words!(ordering)),
    };
    is_ordered && !rest.has(words!(asking_words))
}

/// Whether a clause goes on with a verb for handing something over: `could you dig out` does, `can I pay` does not.
fn is_request(clause: &[QuestionToken]) -> bool {
    let mut verbs = (2..5).filter(|at| !clause.is(*at, words!(form_polite)));
    let verb = verbs.next().unwrap_or(clause.len());
    clause.is(verb, words!(form_having)) || clause.is(verb, words!(requesting))
}
