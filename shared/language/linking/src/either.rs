//! Takes out conditions of which one is enough, because a filter has no place for them. Pure.

use crate::link::{Linker, Placed};
use crate::linked::{Intent, LinkedQuestion};
use crate::token::TokenWords;

impl Linker<'_> {
    /// Takes out two conditions on different columns of which one is enough: `from Acme or over 500 EUR`. All conditions of a
    /// question have to hold, so these would shut out documents that are meant.
    pub(crate) fn take_out_alternatives(
        &self,
        question: &str,
        placed: &mut Vec<Placed>,
        linked: &mut LinkedQuestion,
    ) {
        let columns = |mention: usize| {
            let of = placed.iter().filter(|placed| placed.mention == mention);
            of.map(|placed| placed.column).collect::<Vec<_>>()
        };
        let is_either = |number: &usize| {
            let (one, other) = (columns(number - 1), columns(*number));
            let is_known = !one.is_empty() && !other.is_empty();
            let (before, mention) = (&self.mentions[number - 1], &self.mentions[*number]);
            // `some diode or other` is no alternative.
            let is_alternative = |at: usize| {
                let words = "other others so later earlier more less";
                self.tokens.is(at, "or and/or") && !self.tokens.is(at + 1, words)
            };
            is_known
                && (before.at.end..mention.at.start).any(is_alternative)
                && one.iter().all(|column| !other.contains(column))
        };
        let is_for_documents = matches!(linked.intent, Intent::Documents | Intent::Compute);
        let either: Vec<usize> = (1..self.mentions.len())
            .filter(|number| is_for_documents && is_either(number))
            .flat_map(|number| [number - 1, number])
            .collect();
        placed.retain(|placed| !either.contains(&placed.mention));
        for number in either {
            let said = question[self.bytes(&self.mentions[number].at)].to_owned();
            if !linked.unread.iter().any(|(known, _)| *known == said) {
                let reason = "one of two conditions on different columns is enough";
                linked.unread.push((said.clone(), reason));
                linked.dropped.push((said, reason));
            }
        }
    }
}
