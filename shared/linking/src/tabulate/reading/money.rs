//! Finds the column for words for money that occur in no column: `the outlay before tax` means the column of net
//! amounts. Pure. The module does *not* choose a column of numbers where no word is about money.

use super::currency::is_money;
use super::*;

/// How many words before a tax are searched for the word that includes or excludes it.
const TAX_WORDS: usize = 2;
/// How many words behind an amount are read for a tax.
const NEAR: usize = 4;

impl Reading<'_> {
    /// The column of money that a run means, if the run is about money. It is the column with taxes, unless the words
    /// exclude them.
    pub(super) fn money(&self, run: &Range<usize>) -> Option<Fit> {
        let mut words = self.parts(run.clone());
        words.retain(|word| !self.is_called(word));
        let has = |known: &str| words.iter().any(|word| is_of(word, known));
        // In `the amount including tax` the words that say whether tax is included stand before the tax.
        let is_tax = words.iter().all(|word| {
            is_of(word, words!(taxes))
                || is_of(word, words!(without))
                || is_of(word, words!(money_joining))
        });
        let before = self.parts(run.start.saturating_sub(TAX_WORDS)..run.start);
        let is_sorted = |word: &String| {
            is_of(word, words!(without)) || is_of(word, "with including incl included inclusive")
        };
        // `including tax`, but not `the tax included in all invoices`.
        let tax = words.iter().position(|word| is_of(word, words!(taxes)));
        let mut sorting = before.iter().chain(&words[..tax.unwrap_or(0)]);
        let is_amount_of_tax =
            is_tax && tax.is_some() && (has(words!(without)) || sorting.any(is_sorted));
        let said_before = if is_amount_of_tax { before } else { Vec::new() };
        let all_known = words.iter().all(|word| {
            [
                words!(said),
                words!(sorts),
                words!(taxes),
                words!(without),
                words!(money_joining),
            ]
            .iter()
            .any(|known| is_of(word, known))
        });
        if !all_known || !has(words!(said)) && !is_amount_of_tax {
            return None;
        }
        let behind = run.end..self.is_taken.len().min(run.end + NEAR);
        let is_told = |at: &usize| {
            if self.is_taken[*at] {
                return false;
            }
            let parts = self.parts(*at..*at + 1);
            parts.iter().all(|word| {
                is_of(word, words!(taxes))
                    || is_of(word, words!(without))
                    || is_of(word, words!(money_joining))
            })
        };
        let told = behind
            .take_while(is_told)
            .flat_map(|at| self.parts(at..at + 1));
        let told: Vec<String> = said_before.into_iter().chain(words).chain(told).collect();
        let is_net = is_without(&told);
        let columns = self.linker.dictionary.columns(self.bucket);
        let columns = columns.filter(|(_, column)| {
            phrase::is_number(column) && holds_amounts(column) && is_part(column) == is_net
        });
        let mut columns: Vec<ColumnId> = columns.map(|(id, _)| id).collect();
        columns.dedup_by_key(|id| self.field(*id));
        (columns.len() == 1).then_some(Fit { score: 1, columns })
    }

    /// Whether the words right behind a run say whether taxes are included: `spend before tax`.
    pub(super) fn says_tax_behind(&self, run: &Range<usize>) -> bool {
        let behind = run.end..self.is_taken.len().min(run.end + NEAR);
        let is_open = |at: &usize| !self.is_taken[*at];
        let parts = behind
            .take_while(is_open)
            .flat_map(|at| self.parts(at..at + 1));
        let mut parts = parts.take_while(|word| {
            is_of(word, words!(taxes))
                || is_of(word, words!(without))
                || is_of(word, words!(money_joining))
        });
        parts.any(|word| is_of(&word, words!(taxes)))
    }

    /// Whether the question wants amounts without tax: `total amount without VAT`.
    pub(super) fn wants_untaxed(&self) -> bool {
        let excludes =
            |at: usize| is_of(self.word(at), words!(without)) || is_of(self.word(at), "minus no");
        let is_excluded = |at: usize| (at.saturating_sub(TAX_WORDS)..at).any(excludes);
        (0..self.is_taken.len()).any(|at| is_of(self.word(at), words!(taxes)) && is_excluded(at))
    }

    /// Whether a word for money stands between a token and the noun.
    pub(super) fn is_money_ahead(&self, at: usize) -> bool {
        let subject = self.linker.frame.subject.as_ref();
        let end = subject.map_or(at, |subject| subject.start);
        (at + 1..end).any(|at| is_of(self.word(at), words!(said)))
    }

    /// Whether a verb such as `take`, `put` or `add` stands before a token: `if you take all invoices together`.
    pub(super) fn says_take(&self, end: usize) -> bool {
        (0..end).any(|at| is_of(self.word(at), "take put add"))
    }

    /// Whether a run asks for the amount of documents: `what is the outlay for the invoices?`, `cost of all deals,
    /// please`.
    pub(super) fn asks_what_it_costs(&self, run: &Range<usize>) -> bool {
        let Some(subject) = &self.linker.frame.subject else {
            return false;
        };
        let parts = self.parts(run.clone());
        let says = |known: &str| parts.iter().any(|word| is_of(word, known));
        let word = |at: usize| self.linker.tokens.get(at).map_or("", |token| &token.lower);
        let is_asking = match self.word(0) {
            "how" => is_of(word(1), "much high large big"),
            "what" => is_of(word(1), "is are was were does do did s") || run.start == 1,
            _ => run.start == 0,
        };
        let is_of_them = is_of(word(run.end), words!(money_behind));
        let is_tax = parts.iter().all(|part| {
            is_of(part, words!(taxes))
                || is_of(part, words!(without))
                || is_of(part, words!(money_joining))
        });
        let near = if is_tax { NEAR } else { 1 };
        let mut ahead = run.start.saturating_sub(near)..run.start;
        let is_total = ahead.any(|at| is_of(self.word(at), words!(all))) || says(words!(all));
        let is_told = !says(words!(debts)) || says(words!(sorts));
        let is_amount = (is_asking || self.is_split()) && is_of_them && is_told || is_total;
        let is_open = self.operation.is_none() || self.is_broken_down(run);
        let is_ahead = is_open && run.end <= subject.start;
        is_ahead && is_amount && (self.money(run).is_some() || self.names_money(run))
    }

    /// Whether a run names one column of money, and no other column of numbers.
    fn names_money(&self, run: &Range<usize>) -> bool {
        let fit = self.fit(run.clone(), phrase::is_number);
        let column = |id: ColumnId| self.linker.dictionary.column(id);
        fit.is_some_and(|fit| fit.columns.len() == 1 && is_money(column(fit.columns[0])))
    }

    /// Whether a run only repeats whether the measure includes taxes.
    pub(super) fn is_of_money(&self, run: &Range<usize>) -> bool {
        let words = self.parts(run.start.saturating_sub(2)..run.end);
        let is_known = |word: &String| {
            [
                words!(taxes),
                words!(without),
                words!(money_joining),
                words!(sorts),
            ]
            .iter()
            .any(|known| is_of(word, known))
        };
        let is_part = self.table.measure.as_ref().is_some_and(|field| {
            let mut columns = self.linker.dictionary.columns(self.bucket);
            columns.any(|(_, column)| column.field == *field && is_part(column))
        });
        self.table.measure.is_some()
            && self.parts(run.clone()).iter().all(is_known)
            && is_part == is_without(&words)
    }

    /// Whether the word that was read as a count breaks down an amount: `a breakdown of the outlay`.
    pub(super) fn is_broken_down(&self, run: &Range<usize>) -> bool {
        let mut before = (0..run.start).rev().map(|at| self.word(at));
        let before = before.find(|word| !is_of(word, words!(skipped)));
        let is_ahead = before.is_some_and(|word| is_of(word, "breakdown split tally down"));
        // `how does the cost of the invoices split up by year?`
        let is_asked = self.word(0) == "how" && is_of(self.word(1), "do does did is are");
        let mut behind = (run.end..self.is_taken.len()).map(|at| self.word(at));
        let is_behind = is_asked && behind.any(|word| is_of(word, "split break down divide"));
        self.operation == Some(ColumnOperation::Count) && (is_ahead || is_behind)
    }

    /// Whether the question wants one amount for each of several groups or sides.
    fn is_split(&self) -> bool {
        // `the price of every contract` and `of contracts signed by Acme` name no group.
        let subject = self.linker.frame.subject.as_ref();
        let is_known = |at: usize| {
            let is_noun = subject
                .is_some_and(|subject| (self.noun_start(subject)..subject.end).contains(&at));
            is_noun || self.mentions.iter().any(|mention| mention.contains(&at))
        };
        let is_per = (0..self.is_taken.len()).any(|at| {
            let mut behind = (at + 1..self.is_taken.len())
                .filter(|at| !is_of(self.word(*at), "the a an each every single"));
            words::is_per(self.word(at)) && behind.next().is_some_and(|at| !is_known(at))
        });
        is_per || self.linked.intent == Intent::Compare && self.is_between_many()
    }

    /// The words of tokens in small letters, split at hyphens: `tax-inclusive` is two words.
    fn parts(&self, tokens: Range<usize>) -> Vec<String> {
        let words = tokens.flat_map(|at| self.word(at).split('-'));
        words
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect()
    }
}

/// Whether words exclude taxes.
fn is_without(words: &[String]) -> bool {
    let says = |known: &str| words.iter().any(|word| is_of(word, known));
    says("net untaxed pretax subtotal") || says(words!(without)) && says(words!(taxes))
}

/// Whether a column holds amounts of money other than taxes, by a word of its name or description.
pub(super) fn holds_amounts(column: &KnownColumn) -> bool {
    let described = column
        .said
        .description
        .split(|c: char| !c.is_alphanumeric());
    let described: Vec<String> = described.map(str::to_lowercase).collect();
    let mut all = column.words.iter().chain(&described);
    let is_named = |known: &str| column.words.iter().any(|word| is_of(word, known));
    let is_tax = is_named("tax vat gst duty discount rebate")
        && !is_named("before net with total gross incl excl");
    is_money(column)
        && !is_tax
        && all.any(|word| is_of(word, words!(reading_money)) || is_of(word, words!(said)))
}

/// Whether a column holds amounts without tax, by its name or, if the name does not say it, by its description.
pub(super) fn is_part(column: &KnownColumn) -> bool {
    let is_named = |known: &str| column.words.iter().any(|word| is_of(word, known));
    if is_named("total gross incl including inclusive") {
        return false;
    }
    let mut described = column
        .said
        .description
        .split(|c: char| !c.is_alphanumeric());
    let said = "net before without excluding exclusive excl subtotal untaxed pretax";
    is_named(said) || described.any(|word| is_of(&word.to_lowercase(), said))
}
