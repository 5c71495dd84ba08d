//! Finds columns of money: for words for money that occur in no column (`the outlay before tax` means the column of net
//! amounts), and the currency of the measure, which documents say in a column or a schema as its unit. Pure. The module
//! does *not* choose a column of numbers where no word is about money.

use super::*;
use crate::amounts::of_unit;
use crate::tabulate::CurrencySource;
use std::collections::BTreeMap;
use text::currencies;

/// How many words before a tax are searched for the word that includes or excludes it.
const TAX_WORDS: usize = 2;
/// How many words behind an amount are read for a tax.
const NEAR: usize = 4;
/// The name of the currencies where units alone say them.
const CALLED: &str = "currency";

impl<'a> Reading<'a> {
    /// The column of money that a run means, if the run is about money. It is the column with taxes, unless the words
    /// exclude them.
    pub(super) fn money(&self, run: &Range<usize>) -> Option<Fit> {
        let mut words = self.parts(run.clone());
        words.retain(|word| !self.is_called(word));
        let has = |known: &str| words.iter().any(|word| is_of(word, known));
        // In `the amount including tax` the words that say whether tax is included stand before the tax.
        let before = self.parts(run.start.saturating_sub(TAX_WORDS)..run.start);
        let is_sorted = |word: &String| {
            is_of(word, words!(without)) || is_of(word, "with including incl included inclusive")
        };
        // `including tax`, but not `the tax included in all invoices`.
        let tax = words.iter().position(|word| is_of(word, words!(taxes)));
        let mut sorting = before.iter().chain(&words[..tax.unwrap_or(0)]);
        let is_amount_of_tax = words.iter().all(|word| is_on_tax(word))
            && tax.is_some()
            && (has(words!(without)) || sorting.any(is_sorted));
        let is_known = |word: &String| {
            is_on_tax(word) || is_of(word, words!(said)) || is_of(word, words!(sorts))
        };
        if !words.iter().all(is_known) || !has(words!(said)) && !is_amount_of_tax {
            return None;
        }
        let said_before = if is_amount_of_tax { before } else { Vec::new() };
        let behind = run.end..self.is_taken.len().min(run.end + NEAR);
        let is_told = |at: &usize| {
            !self.is_taken[*at] && self.parts(*at..*at + 1).iter().all(|word| is_on_tax(word))
        };
        let told = behind
            .take_while(is_told)
            .flat_map(|at| self.parts(at..at + 1));
        let told: Vec<String> = said_before.into_iter().chain(words).chain(told).collect();
        let is_net = is_without(&told);
        let columns = self.columns().filter(|(_, column)| {
            phrase::is_number(column) && holds_amounts(column) && is_part(column) == is_net
        });
        let mut columns: Vec<ColumnId> = columns.map(|(id, _)| id).collect();
        columns.dedup_by_key(|id| self.field(*id));
        (columns.len() == 1).then_some(Fit { score: 1, columns })
    }

    /// Whether the words right behind a run say whether taxes are included: `spend before tax`.
    pub(super) fn says_tax_behind(&self, run: &Range<usize>) -> bool {
        let behind = run.end..self.is_taken.len().min(run.end + NEAR);
        let behind = behind.take_while(|at| !self.is_taken[*at]);
        let parts = behind.flat_map(|at| self.parts(at..at + 1));
        let mut parts = parts.take_while(|word| is_on_tax(word));
        parts.any(|word| is_of(&word, words!(taxes)))
    }

    /// Whether the question wants amounts without tax: `total amount without VAT`.
    fn wants_untaxed(&self) -> bool {
        let excludes = |at: usize| self.is(at, words!(without)) || self.is(at, "minus no");
        self.all().any(|at| {
            self.is(at, words!(taxes)) && (at.saturating_sub(TAX_WORDS)..at).any(excludes)
        })
    }

    /// Whether a word for money stands between a token and the noun.
    pub(super) fn is_money_ahead(&self, at: usize) -> bool {
        let end = self.subject.as_ref().map_or(at, |subject| subject.start);
        (at + 1..end).any(|at| self.is(at, words!(said)))
    }

    /// Whether a run asks for the amount of documents: `what is the outlay for the invoices?`, `cost of all deals,
    /// please`.
    pub(super) fn asks_what_it_costs(&self, run: &Range<usize>) -> bool {
        let parts = self.parts(run.clone());
        let says = |known: &str| parts.iter().any(|word| is_of(word, known));
        let is_asking = match self.word(0) {
            "how" => self.is(1, "much high large big"),
            "what" => self.is(1, "is are was were does do did s") || run.start == 1,
            _ => run.start == 0,
        };
        let is_of_them = self.is(run.end, words!(money_behind));
        let is_tax = parts.iter().all(|part| is_on_tax(part));
        let near = if is_tax { NEAR } else { 1 };
        let mut ahead = run.start.saturating_sub(near)..run.start;
        let is_total = ahead.any(|at| self.is(at, words!(all))) || says(words!(all));
        let is_told = !says(words!(debts)) || says(words!(sorts));
        let is_amount = (is_asking || self.is_split()) && is_of_them && is_told || is_total;
        let is_open = self.operation.is_none() || self.is_broken_down(run);
        let subject = self.subject.as_ref();
        subject.is_some_and(|subject| run.end <= subject.start)
            && is_open
            && is_amount
            && (self.money(run).is_some() || self.names_money(run))
    }

    /// Whether a run names one column of money, and no other column of numbers.
    fn names_money(&self, run: &Range<usize>) -> bool {
        let fit = self.fit(run.clone(), phrase::is_number);
        fit.is_some_and(|fit| fit.columns.len() == 1 && is_money(self.column(fit.columns[0])))
    }

    /// Whether a run only repeats whether the measure includes taxes.
    pub(super) fn is_of_money(&self, run: &Range<usize>) -> bool {
        let words = self.parts(run.start.saturating_sub(2)..run.end);
        let is_known = |word: &String| is_on_tax(word) || is_of(word, words!(sorts));
        let measure = self.table.measure.as_ref();
        let is_part = measure.is_some_and(|field| {
            let mut columns = self.columns();
            columns.any(|(_, column)| column.field == *field && is_part(column))
        });
        measure.is_some()
            && self.parts(run.clone()).iter().all(is_known)
            && is_part == is_without(&words)
    }

    /// Whether the word that was read as a count breaks down an amount: `a breakdown of the outlay`, `how does the cost of
    /// the invoices split up by year?`.
    pub(super) fn is_broken_down(&self, run: &Range<usize>) -> bool {
        let before = self.before(run.start, words!(skipped));
        let is_ahead = is_of(before, "breakdown split tally down");
        let is_asked = self.word(0) == "how" && self.is(1, "do does did is are");
        let mut behind = run.end..self.is_taken.len();
        let is_behind = is_asked && behind.any(|at| self.is(at, "split break down divide"));
        self.operation == Some(ColumnOperation::Count) && (is_ahead || is_behind)
    }

    /// Whether the question wants one amount for each of several groups or sides. `The price of every contract` and `of
    /// contracts signed by Acme` name no group.
    fn is_split(&self) -> bool {
        let is_noun = |subject: &Range<usize>, at: usize| {
            (self.noun_start(subject)..subject.end).contains(&at)
        };
        let subject = self.subject.as_ref();
        let is_known =
            |at: usize| self.is_mention(at) || subject.is_some_and(|subject| is_noun(subject, at));
        let is_per = self.all().any(|at| {
            let mut behind = (at + 1..self.is_taken.len())
                .filter(|at| !self.is(*at, "the a an each every single"));
            words::is_per(self.word(at)) && behind.next().is_some_and(|at| !is_known(at))
        });
        is_per || self.linked.intent == Intent::Compare && self.is_between_many()
    }

    /// The words of tokens in small letters, split at hyphens: `tax-inclusive` is two words.
    fn parts(&self, tokens: Range<usize>) -> Vec<String> {
        let words = tokens.flat_map(|at| self.word(at).split('-'));
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    }

    /// Finds out where documents say the currency of the measure, if it is money. A measure is money unless it has another
    /// unit, or its name says that it holds something else.
    pub(super) fn read_currency(&mut self) -> Outcome<()> {
        let money: Vec<&KnownColumn> = self.checked_measure()?;
        if let [one] = money.as_slice() {
            let column = self.column_of_currencies(Some(&one.bucket));
            self.table.currency = column.map(|column| self.field(column));
            return Ok(());
        }
        let sources = money.iter().filter_map(|one| {
            let said = self.column_of_currencies(Some(&one.bucket));
            let said = said.map(|column| CurrencySource::Column(self.field(column)));
            let source = said.or_else(|| of_unit(&one.said.unit).map(CurrencySource::Unit))?;
            Some((one.bucket.clone(), source))
        });
        let known: BTreeMap<String, CurrencySource> = sources.collect();
        let mut sources = known.values();
        let Some(first) = sources.next() else {
            return Ok(());
        };
        let is_one = known.len() == money.len() && sources.all(|source| source == first);
        if let (CurrencySource::Column(column), true) = (first, is_one) {
            self.table.currency = Some(column.clone());
            return Ok(());
        }
        let is_currency = |condition: &QuestionCondition| {
            let column = CurrencySource::Column(condition.field.clone());
            known.values().any(|source| *source == column)
        };
        if self.conditions().any(is_currency) {
            return Err(unfit("not all documents have the currency in one column"));
        }
        self.table.currency = Some(CALLED.to_owned());
        self.table.currency_of = known;
        Ok(())
    }

    /// The columns of the measure that hold money, one for each bucket. A measure in several units has no table, nor has one
    /// that is not what the question asks for.
    fn checked_measure(&self) -> Outcome<Vec<&'a KnownColumn>> {
        let Some(measure) = self.table.measure.as_ref().filter(|_| !self.table.is_day) else {
            let mut mentions = self.linker.mentions.iter();
            let has_amount = mentions.any(|mention| matches!(mention.what, Named::Amount(_)));
            return match self.wants_untaxed() && !has_amount {
                true => Err(unfit("no column says which documents are without tax")),
                false => Ok(Vec::new()),
            };
        };
        let columns = self.columns().map(|(_, column)| column);
        let columns: Vec<&KnownColumn> = columns.filter(|one| one.field == *measure).collect();
        if self.table.operation == ColumnOperation::Sum && columns.iter().any(|one| is_share(one)) {
            let why = format!("percentages such as `{measure}` are not added up");
            return Err(unfit(why));
        }
        if !is_of_one_unit(&columns) {
            return Err(unfit(format!("`{measure}` has several units")));
        }
        let money: Vec<&KnownColumn> = columns.into_iter().filter(|one| is_money(one)).collect();
        let is_untaxed = |one: &&KnownColumn| {
            let mut synonyms = one.said.also_called.iter().chain(&one.said.partly_called);
            is_part(one) || synonyms.any(|word| word.is_of(words!(without)))
        };
        if self.wants_untaxed() && !money.iter().all(is_untaxed) {
            return Err(unfit(format!("`{measure}` is not said to be without tax")));
        }
        Ok(money)
    }

    /// The column whose name says `currency`, or else the one that holds most currency codes.
    pub(super) fn column_of_currencies(&self, bucket: Option<&str>) -> Option<ColumnId> {
        let dictionary = self.linker.dictionary;
        let mut columns = dictionary.columns(bucket);
        if let Some((id, _)) = columns.find(|(_, column)| column.is_called(CALLED)) {
            return Some(id);
        }
        let values = currencies::codes().map(str::to_lowercase);
        let values = values.flat_map(|code| dictionary.with_key(&code).collect::<Vec<_>>());
        let held = values.filter(|value| {
            let column = self.column(value.column);
            !column.is_named()
                && column.has_few_values()
                && bucket.is_none_or(|bucket| column.bucket == bucket)
        });
        Some(held.max_by_key(|value| value.documents)?.column)
    }
}

/// Whether a word says whether a tax is included, or is a tax.
fn is_on_tax(word: &str) -> bool {
    is_of(word, words!(taxes)) || is_of(word, words!(without)) || is_of(word, words!(money_joining))
}

/// Whether words exclude taxes.
fn is_without(words: &[String]) -> bool {
    let says = |known: &str| words.iter().any(|word| is_of(word, known));
    says("net untaxed pretax subtotal") || says(words!(without)) && says(words!(taxes))
}

/// Whether a column holds amounts of money other than taxes, by a word of its name or description.
pub(super) fn holds_amounts(column: &KnownColumn) -> bool {
    let is_tax = column.is_called("tax vat gst duty discount rebate")
        && !column.is_called("before net with total gross incl excl");
    let is_named = |known| column.is_called(known) || column.is_described_by(known);
    is_money(column) && !is_tax && (is_named(words!(reading_money)) || is_named(words!(said)))
}

/// Whether a column holds amounts without tax, by its name or, if the name does not say it, by its description.
pub(super) fn is_part(column: &KnownColumn) -> bool {
    let said = "net before without excluding exclusive excl subtotal untaxed pretax";
    !column.is_called("total gross incl including inclusive")
        && (column.is_called(said) || column.is_described_by(said))
}

/// Whether the columns of several buckets have one unit. Currencies are told apart for each document.
fn is_of_one_unit(columns: &[&KnownColumn]) -> bool {
    let mut units = columns.iter().map(|column| column.said.unit.as_str());
    let first = units.next().unwrap_or_default();
    let is_currency = |unit: &str| unit.is_empty() || of_unit(unit).is_some();
    is_currency(first) && units.clone().all(is_currency) || units.all(|unit| unit == first)
}

/// Whether a column holds percentages.
fn is_share(column: &KnownColumn) -> bool {
    let is_rate = column.is_called("rate") && column.is_called("vat tax interest discount gst");
    column.said.unit == "%"
        || column.is_called("percent percentage")
        || is_rate && column.said.unit.is_empty()
}

/// Whether a column of numbers holds money: its unit is a currency, or it has no unit and its name does not say that it
/// holds something else. The name `day_rate` says money in spite of the day, and `payment_days` says days.
pub(super) fn is_money(column: &KnownColumn) -> bool {
    let unit = &column.said.unit;
    if !unit.is_empty() {
        let is_code = currencies::codes().any(|code| code.eq_ignore_ascii_case(unit));
        return is_code || unit.contains(['$', '€', '£', '¥', '₹']);
    }
    let last = column.words.last().map_or("", String::as_str);
    !is_share(column)
        && (!column.is_called(words!(counted))
            || column.is_called(words!(paid)) && !is_of(last, words!(numbered)))
}
