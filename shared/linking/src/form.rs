//! What the form of a question says: whether it wants an explanation or documents. Pure, by rule.
//!
//! The rules are for English. They look at the beginning of each clause. `How long ...`, `may I ...` and `why ...` want
//! an explanation. `Do we have ...`, `are there ...`, `could you find ...`, an order, or words that form no sentence
//! may want documents.

use crate::token::QuestionToken;
use text::is_of;

/// Whether one of the clauses wants an explanation.
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
        .take_while(|token| is_of(&token.lower, words!(form_polite)));
    let skipped = polite.count();
    let word = |at: usize| {
        clause
            .get(skipped + at)
            .map_or("", |token| token.lower.as_str())
    };
    let first = word(0);
    match first {
        "how" => {
            let is_size = matches!(
                word(1),
                "many" | "much" | "large" | "big" | "high" | "low" | "few"
            );
            !is_size && !is_dividing(clause)
        }
        "who" => true,
        "can" | "could" | "would" | "will" if word(1) == "you" => {
            let mut verbs = (2..5)
                .map(word)
                .filter(|verb| !is_of(verb, words!(form_polite)));
            verbs
                .next()
                .is_some_and(|verb| is_of(verb, words!(form_explaining)))
        }
        "can" | "could" | "would" | "will" => {
            !is_of(word(1), words!(persons)) || !is_request(clause, skipped + 2)
        }
        "is" | "are" | "was" | "were" => {
            word(1) != "there" && !is_of(word(1), "more fewer any all")
        }
        "have" | "has" | "had" if word(1) == "there" => false,
        "do" | "does" | "did" | "have" | "has" | "had" => {
            (!is_of(word(1), words!(persons))
                || !is_request(clause, skipped + 2) && !is_of(word(2), words!(form_having)))
                && !puts_beside(clause)
        }
        "where" if is_of(word(2), words!(persons)) => !is_of(word(3), words!(form_having)),
        "where" => !matches!(word(1), "is" | "are"),
        "what" | "what's" => explains_what(word(1), word(2)) && !comes_to(clause),
        // `If I add up the invoices, what do I get?`
        "if" if is_of(word(1), words!(persons)) => !is_of(word(2), words!(reckoning)),
        _ => is_of(first, words!(form_explaining)),
    }
}

/// `what do the invoices come to` asks for an amount.
fn comes_to(clause: &[QuestionToken]) -> bool {
    let ends = |at: usize| {
        let next = clause.get(at + 1).map_or("", |next| next.lower.as_str());
        clause[at].is_last || is_of(next, "for per by each on") || next.is_empty()
    };
    let is_pair = |at: &usize| {
        matches!(
            (clause[at - 1].lower.as_str(), clause[*at].lower.as_str()),
            ("come" | "amount" | "sum", "to") | ("add" | "total" | "sum", "up")
        )
    };
    (1..clause.len()).any(|at| is_pair(&at) && ends(at))
}

/// `how are the invoices distributed by year` and `how does the number of invoices compare with ...` count documents.
fn is_dividing(clause: &[QuestionToken]) -> bool {
    let says = |words: &str| clause.iter().any(|token| is_of(&token.lower, words));
    let word = |at: usize| clause.get(at).map_or("", |token| token.lower.as_str());
    // `how should invoices be split?`
    let asks_for_rules =
        is_of(word(1), "should must can could would may to") || is_of(word(2), words!(persons));
    !asks_for_rules
        && (says("distributed divided split spread broken")
            && says("by per across over among between")
            || says("compare compares") && says("number numbers count total")
            || clause
                .windows(2)
                .any(|pair| pair[0].lower == "add" && pair[1].lower == "up"))
}

/// `what does it mean` and `what happens when` want an explanation; `what invoices` and `what is the total` do not.
fn explains_what(next: &str, third: &str) -> bool {
    match next {
        "happens" | "if" | "makes" | "comes" | "belongs" | "about" | "to" | "should" | "must"
        | "may" => true,
        "is" | "are" | "was" | "were" => matches!(third, "a" | "an" | "meant" | "it" | "covered"),
        "does" | "do" | "did" => !is_of(third, words!(persons)) && third != "each",
        _ => false,
    }
}

/// Pairs of words that compare one thing with another.
const BESIDE: [(&str, &str); 23] = [
    ("next", "to"),
    ("relative", "to"),
    ("compare", "with"),
    ("compared", "with"),
    ("compared", "to"),
    ("as", "against"),
    ("side", "by"),
    ("two", "counts"),
    ("both", "counts"),
    ("compare", "to"),
    ("compares", "with"),
    ("respective", "numbers"),
    ("exceed", "that"),
    ("exceeds", "that"),
    ("exceed", "those"),
    ("outnumber", "those"),
    ("outnumber", "the"),
    ("many", "each"),
    ("much", "each"),
    ("against", "that"),
    ("against", "those"),
    ("beside", "those"),
    ("alongside", "those"),
];

/// Whether the question compares two things without a word such as `compare`: `are there more from Acme or from Bolt?`,
/// `put these next to those`. `More than 500` compares with a number and does not count.
pub(crate) fn is_choosing(tokens: &[QuestionToken]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| token.lower.as_str());
    if puts_beside(tokens) {
        return true;
    }
    let polite = tokens
        .iter()
        .take_while(|token| is_of(&token.lower, words!(form_polite)));
    let is_compared = |at: &usize| {
        is_of(word(*at), words!(comparative)) && !matches!(word(at + 1), "than" | "recent")
    };
    let Some(at) = (0..tokens.len()).find(is_compared) else {
        return false;
    };
    // `more from Acme than from Bolt` compares two things; `worth more in all than 500` does not.
    let than = (at..tokens.len()).find(|at| word(*at) == "than");
    let is_than =
        than.is_some_and(|than| !tokens[than..].iter().take(3).any(QuestionToken::has_digit));
    let is_or = tokens.iter().any(|token| token.lower == "or");
    let is_asked = is_of(word(polite.count()), words!(choosing))
        || is_of(word(at.saturating_sub(1)), "which has is are there have");
    is_asked && (is_or && than.is_none() || is_than)
}

/// Whether two neighbouring words compare one thing with another.
fn puts_beside(tokens: &[QuestionToken]) -> bool {
    let mut pairs = tokens.windows(2);
    // `set the number sent by Acme against the number sent by Bolt`
    let is_against = |words: &[QuestionToken]| {
        let [against, the, number] = words else {
            return false;
        };
        let is_number = is_of(&number.lower, "number count total figure one ones");
        is_of(&against.lower, "against beside alongside") && the.lower == "the" && is_number
            || against.lower == "against" && is_of(&the.lower, "from by with for of under")
    };
    pairs.any(|pair| BESIDE.contains(&(pair[0].lower.as_str(), pair[1].lower.as_str())))
        || tokens.windows(3).any(is_against)
}

/// Whether the question says that one thing has more than another: `Does HX-1 have a higher voltage than HX-2?`.
pub(crate) fn says_more_than(tokens: &[QuestionToken]) -> bool {
    let mut words = tokens.iter().map(|token| token.lower.as_str());
    words.any(|word| is_of(word, words!(comparative))) && words.any(|word| word == "than")
}

/// Whether the question compares two things by a figure: `the gap between HX-1 and HX-2`.
pub(crate) fn is_measuring(tokens: &[QuestionToken]) -> bool {
    let says = |words: &str| tokens.iter().any(|token| is_of(&token.lower, words));
    is_choosing(tokens)
        || says("gap exceed exceeds exceeding surpass surpasses differ differs")
            && says("and of that than")
}

/// A word that ends in `able` has to be longer than `cable`, `table` and `variable`, which are things.
const ABLE_LETTERS: usize = 8;

/// Whether a word, by its ending or by a list, may be a participle or an adjective in `-able`: `charged`, `chargeable`.
pub(crate) fn is_participle(word: &str) -> bool {
    let is_able = word.len() > ABLE_LETTERS && (word.ends_with("able") || word.ends_with("ible"));
    word.ends_with("ed") || word.ends_with("ing") || is_able || is_of(word, words!(participles))
}

/// Whether the question orders documents and does not ask what they say: `Pull up Acme, 2023`, `I need ...`, `do we
/// have ...`; not `find out who ...`.
pub(crate) fn is_order(tokens: &[QuestionToken]) -> bool {
    let polite = tokens
        .iter()
        .take_while(|token| is_of(&token.lower, words!(form_polite)));
    let rest = &tokens[polite.count()..];
    let word = |at: usize| rest.get(at).map_or("", |token| token.lower.as_str());
    let is_ordered = match (word(0), word(1)) {
        (verb, _) if is_of(verb, words!(ordering)) => true,
        ("i" | "we", "need" | "want") | ("do", "we") | ("have", "we") => true,
        ("can" | "could" | "would" | "will", "you") => is_of(word(2), words!(ordering)),
        _ => false,
    };
    is_ordered
        && !rest
            .iter()
            .any(|token| is_of(&token.lower, words!(asking_words)))
}

/// Whether a clause goes on with a verb for handing something over: `could you dig out` does, `can I pay` does not.
fn is_request(clause: &[QuestionToken], at: usize) -> bool {
    let verbs = clause.iter().skip(at).take(3);
    let mut verbs = verbs.filter(|token| !is_of(&token.lower, words!(form_polite)));
    verbs.next().is_some_and(|verb| {
        is_of(&verb.lower, words!(form_having))
            || is_of(
                &verb.lower,
                "tell bring dig fetch pick open display provide retrieve export compile gather collect count sum add \
                 compare work break put set select search please help return need want like",
            )
    })
}
