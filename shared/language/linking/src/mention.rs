//! Finds what a question mentions, in the order of its words: values, days, amounts and currencies. Pure.
//!
//! This module does *not* decide which column a mention belongs to, nor whether it is meant as a condition.

use crate::amounts::{self, Amount};
use crate::companies::is_group;
use crate::days::{self, DaySpan};
use crate::dictionary::Dictionary;
use crate::token::QuestionToken;
use std::ops::Range;
use text::fold;
use time::Date;

/// Something that a question mentions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mention {
    pub(crate) at: Range<usize>,
    pub(crate) what: Named,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Named {
    /// A value, as the key under which the dictionary has it.
    Value(String),
    Days(DaySpan),
    Amount(Amount),
    Currency(&'static str),
    /// A day that the calendar does not have, such as 31 February.
    NoDay,
}

/// All mentions in order, without overlaps. Of several mentions that begin at one token, the longest wins.
pub(crate) fn mentions(
    tokens: &[QuestionToken],
    dictionary: &Dictionary,
    today: Date,
) -> Vec<Mention> {
    let mut mentions = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let days = days::read(tokens, at, today).map(|(length, span)| (length, Named::Days(span)));
        let amount =
            amounts::read(tokens, at).map(|(length, amount)| (length, Named::Amount(amount)));
        let currency =
            amounts::currency(tokens, at).map(|(length, code)| (length, Named::Currency(code)));
        let no_day = days::impossible(tokens, at, today).map(|length| (length, Named::NoDay));
        let value = dictionary
            .longest_at(tokens, at)
            .map(|(length, key)| (length, Named::Value(key)));
        let named = [days, amount, currency, value, no_day]
            .into_iter()
            .flatten();
        let longest = named.reduce(|best, next| if next.0 > best.0 { next } else { best });
        // The name of a column is not a value: `contract value` mentions no contract.
        let column = dictionary.column_name_at(tokens, at).unwrap_or_default();
        let longest = longest.filter(|(length, _)| *length >= column);
        let longest = longest.or_else(|| Some((1, Named::Value(unknown_number(tokens, at)?))));
        at += match longest {
            Some((length, what)) => {
                let length = length + legal_form(tokens, at + length, &what);
                mentions.push(Mention {
                    at: at..at + length,
                    what,
                });
                length
            }
            None => column.max(1),
        };
    }
    mentions
}

impl Mention {
    /// Whether the mention is beyond doubt: a name of several words with a capital letter, a number that few documents
    /// have, days with a year, or an amount of money.
    pub(crate) fn is_evident(&self, tokens: &[QuestionToken], dictionary: &Dictionary) -> bool {
        let tokens = &tokens[self.at.clone()];
        match &self.what {
            Named::Value(key) => {
                let entries: Vec<_> = dictionary.with_key(key).collect();
                if entries.iter().any(|entry| dictionary.is_kind(entry)) {
                    return false;
                }
                let columns = entries.iter().map(|entry| dictionary.column(entry.column));
                // A number that occurs in few paths names a document as well.
                let is_rare = entries.iter().map(|entry| entry.documents).sum::<u32>() <= RARE_MAX
                    && unknown_number(tokens, 0).is_some();
                let mut columns = columns.filter(|column| !column.is_named() || is_rare);
                let is_name = tokens.len() > 1 && tokens.iter().any(QuestionToken::is_name);
                let is_number = tokens.iter().any(QuestionToken::has_digit);
                is_name || is_number && columns.any(|column| is_rare || column.is_naming())
            }
            Named::Days(_) => tokens.iter().any(QuestionToken::has_digit),
            Named::Amount(amount) => amount.currency.is_some() || amount.unit.is_some(),
            Named::Currency(_) | Named::NoDay => false,
        }
    }
}

/// The key of a token that looks like the number of a document, although no field has it: it has capital letters and
/// digits.
fn unknown_number(tokens: &[QuestionToken], at: usize) -> Option<String> {
    let token = &tokens[at];
    let has_letter = token.text.contains(|c: char| c.is_ascii_uppercase());
    let digits = token.text.bytes().filter(u8::is_ascii_digit).count();
    (has_letter && digits >= NUMBER_DIGITS_MIN).then(|| fold::key(&token.text))
}

/// A number that more documents than this have in their paths does not identify a document.
const RARE_MAX: u32 = 4;
const NUMBER_DIGITS_MIN: usize = 3;

/// The most suffixes of one name: `Acme Group Holdings Ltd`.
const SUFFIXES_MAX: usize = 3;

/// The number of tokens that legal forms and suffixes such as `Group SpA` behind a value add to it.
fn legal_form(tokens: &[QuestionToken], end: usize, what: &Named) -> usize {
    if !matches!(what, Named::Value(_)) {
        return 0;
    }
    // `with Acme as the seller` has no legal form.
    let is_form = |next: &QuestionToken| {
        fold::is_company_suffix(&next.text)
            && (next.is_capital() || !text::stop::is_content_free(&next.lower))
    };
    let behind = tokens[end - 1..].windows(2).take(SUFFIXES_MAX).enumerate();
    let forms = behind.take_while(|(at, pair)| {
        // In `Acme Ltd company` the legal form is the end of the name.
        let is_ended = *at > 0 && !(is_group(&pair[0].text) && pair[1].is_capital());
        !pair[0].is_last && !is_ended && is_form(&pair[1])
    });
    forms.count()
}
