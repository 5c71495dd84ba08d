//! Leaves out the siblings of a company that is named in paths: a path with `Acme Group Ltd` has all words of `Acme Ltd`, too.
//! Pure. The module does *not* decide which names are siblings (`companies`).

use crate::companies;
use crate::dictionary::ColumnId;
use crate::link::{Linker, Placed};
use crate::linked::{Intent, LinkedQuestion, Test};
use crate::mention::Mention;
use crate::token::text_of;
use text::fold;

impl Linker<'_> {
    /// The names of a company in paths, and the longer ones of its siblings: see [`companies::siblings`].
    pub(crate) fn siblings(
        &self,
        mention: &Mention,
        column: ColumnId,
        things: &[Vec<String>],
    ) -> Option<(Vec<String>, Vec<String>)> {
        let [forms] = things else { return None };
        let said = text_of(&self.tokens[mention.at.clone()]);
        if !self.dictionary.column(column).is_named() {
            return None;
        }
        let others = self.dictionary.with_key(&fold::name_key(&said));
        let others = others.map(|value| value.text.to_string());
        let mut all: Vec<String> = others.chain(forms.iter().cloned()).collect();
        all.sort();
        all.dedup();
        companies::siblings(&all, &said)
    }

    /// Leaves out the longer names of siblings, but for those that the question names, too: `from Acme Ltd or Acme Group Ltd`.
    /// The sides of a comparison have one condition each, which cannot leave out a sibling of one side alone, so such a name
    /// is dropped there.
    pub(crate) fn leave_out_siblings(
        &self,
        question: &str,
        placed: &mut Vec<Placed>,
        linked: &mut LinkedQuestion,
    ) {
        let mut named: Vec<String> = Vec::new();
        for one in placed.iter().filter(|one| !one.is_negated) {
            if let Test::Is(things) = &one.test {
                named.extend(things.iter().flatten().map(|form| fold::key(form)));
            }
        }
        let mut left_out: Vec<Placed> = Vec::new();
        let mut shared: Vec<usize> = Vec::new();
        for one in placed.iter().filter(|one| !one.is_negated) {
            let Test::Is(things) = &one.test else {
                continue;
            };
            let mention = &self.mentions[one.mention];
            let Some((_, mut longer)) = self.siblings(mention, one.column, things) else {
                continue;
            };
            let all = longer.len();
            longer.retain(|form| !named.contains(&fold::key(form)));
            if longer.len() < all {
                shared.push(one.mention);
            }
            if !longer.is_empty() {
                left_out.push(Placed {
                    mention: one.mention,
                    column: one.column,
                    test: Test::Is(vec![longer]),
                    is_negated: true,
                    is_assumed: false,
                });
            }
        }
        placed.extend(left_out);
        if self.frame.intent != Intent::Compare {
            return;
        }
        placed.retain(|one| !shared.contains(&one.mention));
        for mention in shared {
            let said = question[self.bytes(&self.mentions[mention].at)].to_owned();
            let why = "a longer name on another side has it, too";
            linked.dropped.push((said, why));
        }
    }
}
