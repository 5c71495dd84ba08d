//! Finds the subject of a question with a verb of its own: "When does the lease of the Harrow workshop end?" has the
//! subject "the lease of the Harrow workshop". *Not* a parser: only questions of that one shape are read.

use super::tokens::Token;
use crate::vocabulary as words;

/// The fragment "the rent" as a question about what the question before was about, which cannot take it in: rents do not
/// end. `None` where the question before is of another shape, and `part` may stand in it.
pub(super) fn asked_of(part: &str, last: &str, before: &[Token<'_>]) -> Option<String> {
    let subject = subject(before)?;
    let of = subject.iter().position(|t| t.lower == "of");
    let owner = &subject[of.map_or(0, |at| at + 1)..];
    let (first, end) = (owner.first()?, owner.last()?);
    // In a longer one stands a verb, perhaps.
    let article = usize::from(words::is_the(&first.lower));
    let is_short = owner.len() <= article + if of.is_some() { 4 } else { 2 };
    (is_short && !words::is_grammar(&end.lower)).then(|| match part.contains(" of ") {
        true => format!("What is {part}?"),
        false => format!("What is {part} of {}?", &last[first.start..end.end]),
    })
}

/// Where the name at `start..end` of the question before ends, when the name that `fragment` opens with takes its place:
/// behind a preposition, "the Harrow workshop" gives way to "the Dover depot" with its noun. A name that stands first
/// leaves the noun behind it, which is what is asked about.
pub(super) fn noun_behind(
    fragment: &[Token<'_>],
    before: &[Token<'_>],
    start: usize,
    end: usize,
) -> usize {
    let article = start
        .checked_sub(1)
        .filter(|at| words::is_the(&before[*at].lower));
    let led = article.unwrap_or(start).checked_sub(1);
    let is_complement = led.is_some_and(|at| words::is_preposition(&before[at].lower));
    let is_noun = |t: &&Token<'_>| !t.is_capital() && !words::is_grammar(&t.lower);
    let named = fragment.iter().skip_while(|t| t.is_capital());
    if !is_complement || before[end - 1].closes || named.take_while(is_noun).count() == 0 {
        return end;
    }
    // The verb that closes the question stays.
    let verb = usize::from(subject(before).is_some());
    let noun = before[..before.len() - verb].get(end).filter(is_noun);
    end + usize::from(noun.is_some())
}

/// What stands between the auxiliary and a verb that closes the question.
fn subject<'a, 't>(before: &'a [Token<'t>]) -> Option<&'a [Token<'t>]> {
    let [asks, auxiliary, subject @ .., verb] = before else {
        return None;
    };
    let asks_how = ["when", "where", "why", "how"].contains(&asks.lower.as_str());
    let does = ["do", "does", "did", "will", "can", "was", "were"];
    let is_verb = !words::is_grammar(&verb.lower) && !verb.is_capital() && !verb.is_number();
    let is_plain = |t: &Token<'_>| {
        !t.closes && (t.lower == "of" || !words::is_preposition(&t.lower)) && !t.is_number()
    };
    let is_it = asks_how
        && does.contains(&auxiliary.lower.as_str())
        && is_verb
        && subject.len() > 1
        && subject.iter().all(is_plain);
    is_it.then_some(subject)
}
