//! Finds the columns that words of a question name: the key of the groups, and the measure. Pure.

use super::money::is_money;
use super::words::Period;
use super::*;
use crate::form::is_participle;
use crate::kindred::Kin;

/// The most words between a run and the mention that it introduces.
const NEAR: usize = 2;
/// The most words between two parts of what names one column.
const NAME_GAP: usize = 4;

fn is_column_of_days(column: &KnownColumn) -> bool {
    column.kind() == ColumnKind::Day
}

impl<'a> Reading<'a> {
    /// Groups documents by what a run names. The result says whether the run is a key of groups.
    pub(super) fn group_by(&mut self, run: &Range<usize>, joins: Option<&str>) -> Outcome<bool> {
        let first = words::period(self.word(run.start)).filter(|_| run.len() == 2);
        let period = words::period(self.word(run.end - 1)).or(first);
        let is_grouped = joins.is_some() || period.is_some_and(|(_, is_implied)| is_implied);
        // `Going by voltage, HX-1 or HX-2?` does not group documents.
        let is_of_two = self.linked.intent == Intent::Compare && self.is_between_two();
        let is_sorted = joins == Some("by") && self.is_sorted(run);
        if !is_grouped
            || is_of_two
            || self.table.group.is_some()
            || self.is_most() && joins == Some("by") && !is_sorted
        {
            return Ok(false);
        }
        let named = self.fit_of_kind(run);
        if is_sorted {
            let fit = named.as_ref().filter(|fit| fit.score >= NAMED_MIN);
            self.table.unsorted = fit.map(|fit| self.field(fit.columns[0]));
            return Ok(self.table.unsorted.is_some());
        }
        let is_unit = |fit: &Fit| fit.score < NAMED_MIN && !self.is_of_years(run, fit);
        if let Some((period, _)) = period
            && named.as_ref().is_none_or(is_unit)
        {
            self.table.group = Some(self.calendar(run, period)?);
            return Ok(true);
        }
        let Some(fit) = self.fit_of_group(run, named) else {
            return Err(unfit(format!("no column is called `{}`", self.said(run))));
        };
        let id = self.one_of(run, &fit)?;
        let column = self.column(id);
        if phrase::is_number(column)
            && joins == Some("by")
            && self.needs_measure()
            && is_money(column)
        {
            // `the average contract, by price`
            return match self.table.measure {
                None => self.measure_by(run),
                Some(_) => Ok(false),
            };
        }
        self.tell_likened(run, &fit);
        if let Some(clause) = self.paid_in(run.end)
            && self.column_of_currencies(self.bucket) == Some(id)
        {
            self.is_taken[clause].fill(true);
        }
        let field = self.field(id);
        self.named.push((run.end, field.clone()));
        self.table.group = Some(GroupKey::Column(field));
        Ok(true)
    }

    /// The word that introduces a run as the key of a group: `by kind of part`.
    pub(super) fn joining(&self, run: &Range<usize>) -> Option<&'a str> {
        let mut at = run.start;
        while at > 0 {
            at -= 1;
            if self.word(at) == "of" && at > 0 && self.is_of_kind(at - 1) {
                at -= 1;
            } else if !self.is(at, "the a an their its to single individual calendar") {
                return Some(self.word(at)).filter(|word| words::is_per(word));
            }
        }
        None
    }

    /// Whether a word before `of` only says that the word behind it has values: `by kind of part`.
    pub(super) fn is_of_kind(&self, at: usize) -> bool {
        self.is(at, words!(kinds)) && self.word(at + 1) == "of"
    }

    /// The column that a run names together with a word such as `class` before it, or else by itself: `by class of
    /// device`.
    fn fit_of_kind(&self, run: &Range<usize>) -> Option<Fit> {
        let kind = run.start.checked_sub(2).filter(|at| self.is_of_kind(*at));
        let together = kind.and_then(|kind| {
            let said = [kind].into_iter().chain(run.clone());
            let said: Vec<&str> = said.map(|at| self.word(at)).collect();
            phrase::best(self.linker.dictionary, self.bucket, &said, |_| true)
        });
        let together = together.filter(|fit| fit.columns.len() == 1);
        together.or_else(|| self.fit(run.clone(), |_| true))
    }

    /// The columns of a group: those that the words name, or the column of currencies, or one that is near in meaning.
    fn fit_of_group(&self, run: &Range<usize>, named: Option<Fit>) -> Option<Fit> {
        let last = self.word(run.end - 1);
        // `by price` means no column whose name only has a related word, such as `cost_centre`.
        let is_of_money = self.money(run).is_some() || is_of(last, words!(reading_money));
        let named = named.filter(|fit| {
            let is_number = phrase::is_number(self.column(fit.columns[0]));
            !is_of_money || fit.score >= NAMED_MIN || is_number
        });
        // A buyer is no vendor, although the words are similar.
        let role = fold::singular(last);
        let is_opposite = |field: &str| {
            is_of(&role, words!(buying)) && self.column_says(field, words!(selling))
                || is_of(&role, words!(selling)) && self.column_says(field, words!(buying))
        };
        let near = || {
            let near = self.near(run, |column| !phrase::is_number(column))?;
            let field = &self.column(near.columns[0]).field;
            (!is_of_money && !is_opposite(field)).then_some(near)
        };
        named.or_else(|| self.currency_said(run)).or_else(near)
    }

    /// The column that some tokens, which occur in no column, are most similar to in meaning.
    fn near(&self, run: &Range<usize>, is_of_kind: impl Fn(&KnownColumn) -> bool) -> Option<Fit> {
        let said: Vec<&str> = run.clone().map(|at| self.word(at)).collect();
        let (known, likeness) = (self.linker.dictionary, self.linker.likeness);
        phrase::nearest(known, self.bucket, &said.join(" "), likeness, is_of_kind)
    }

    /// Whether a run of several words fits only a column in whose name the unit of the calendar occurs: `per year
    /// described`, where a column is called `accounting_year`.
    pub(super) fn is_of_years(&self, run: &Range<usize>, fit: &Fit) -> bool {
        let [column] = fit.columns[..] else {
            return false;
        };
        let is_called = |at: usize| {
            let unit = self.word(at);
            words::period(unit).is_some() && self.column(column).is_called(unit)
        };
        run.len() > 1 && run.clone().any(is_called)
    }

    /// The column of currencies, if a run says `currency`, or `money they are paid in`, and no column is called so.
    fn currency_said(&self, run: &Range<usize>) -> Option<Fit> {
        let is_currency = self.is(run.start, "currency currencies");
        let is_said = run.len() == 1 && (is_currency || self.is_paid_money(run.start));
        let columns = vec![self.column_of_currencies(self.bucket).filter(|_| is_said)?];
        Some(Fit { score: 1, columns })
    }

    /// Whether a word is `money` and means a currency: `by money they are paid in`.
    pub(super) fn is_paid_money(&self, at: usize) -> bool {
        self.word(at) == "money" && self.paid_in(at + 1).is_some()
    }

    /// The words from a token to the end of the clause, if they say of a currency what is done in it, and so do not tell
    /// documents apart: `by the currency that they are paid in`.
    fn paid_in(&self, from: usize) -> Option<Range<usize>> {
        let begin = from + usize::from(self.is(from, "that which"));
        let end = begin + 4;
        let is_clause = end <= self.is_taken.len()
            && self.is(begin, "they these those it")
            && self.is(begin + 1, "is are was were")
            && is_participle(self.word(begin + 2))
            && self.word(begin + 3) == "in"
            && (end == self.is_taken.len() || self.closes(end - 1));
        is_clause.then_some(from..end)
    }

    /// Whether a run goes on with what names the measure or the groups: `by firm that carries out the works`. All of its
    /// words are in the name, the description or the synonyms of that column.
    pub(super) fn goes_on(&self, run: &Range<usize>) -> bool {
        let is_near = |end: usize| {
            end < run.start && run.start - end <= NAME_GAP && self.is_idle_between(end, run.start)
        };
        let says = |column: &KnownColumn| {
            let synonyms = column.said.synonyms.iter();
            let synonyms = synonyms.flat_map(|synonym| &synonym.words);
            let known = column.kin.iter().chain(&column.said.described_by);
            let known = known.chain(synonyms);
            run.clone().all(|at| {
                let word = Kin::of(self.word(at));
                known.clone().any(|known| known.is_like(&word))
            })
        };
        self.columns().any(|(_, column)| {
            let mut named = self.named.iter();
            named.any(|(end, field)| *field == column.field && is_near(*end)) && says(column)
        })
    }

    /// Whether a run names the measure once more, which is known from other words.
    pub(super) fn is_of_measure(&self, run: &Range<usize>) -> bool {
        let fit = self.fit(run.clone(), phrase::is_number);
        fit.is_some_and(|fit| match fit.columns[..] {
            [column] => self.table.measure == Some(self.field(column)),
            _ => false,
        })
    }

    /// Whether documents are to be sorted by what a run names: `sorted by total amount`.
    fn is_sorted(&self, run: &Range<usize>) -> bool {
        let by = (0..run.start).rev().find(|at| self.word(*at) == "by");
        by.is_some_and(|by| is_of(self.back(by, 1), words!(sorting)))
    }

    /// Whether a run says more about the column that documents are grouped by: `period of termination notice`.
    pub(super) fn is_of_group(&self, run: &Range<usize>) -> bool {
        let is_known =
            |at: usize| self.is_taken[at] || self.linker.dictionary.is_column_word(self.word(at));
        let is_behind =
            run.start >= 2 && self.back(run.start, 1) == "of" && is_known(run.start - 2);
        let Some(GroupKey::Column(group)) = self.table.group.as_ref().filter(|_| is_behind) else {
            return false;
        };
        let fit = self.fit(run.clone(), |_| true);
        fit.is_some_and(|fit| {
            let mut columns = fit.columns.iter();
            columns.any(|id| self.column(*id).field == *group)
        })
    }

    /// The group key for a unit of the calendar, on the column of days that is meant.
    fn calendar(&mut self, run: &Range<usize>, period: Period) -> Outcome<GroupKey> {
        // In `by year granted` the unit of the calendar comes first.
        let said = match words::period(self.word(run.end - 1)) {
            None => run.start + 1..run.end,
            Some(_) => run.start..run.end - 1,
        };
        // `by accounting year` means the column in which documents state that year, if there is one.
        let is_fiscal = said
            .clone()
            .any(|at| self.is(at, "fiscal financial business accounting"));
        let stated = self.day_by_default(ColumnKind::Year);
        let stated = stated.filter(|_| period == Period::Year);
        if let Some(stated) = stated.filter(|_| is_fiscal) {
            return Ok(GroupKey::Column(self.field(stated)));
        }
        let column = match said.is_empty() {
            true => self.told_behind(run).or_else(|| self.told_ahead(run)),
            false => self.fit(said, is_column_of_days).map(|fit| fit.columns[0]),
        };
        let Some(column) = column.or_else(|| self.day_of_groups()) else {
            let year = stated.ok_or_else(|| unfit("no column holds days"))?;
            return Ok(GroupKey::Column(self.field(year)));
        };
        let field = self.field(column);
        Ok(match period {
            Period::Year => GroupKey::Year(field),
            Period::Quarter => GroupKey::Quarter(field),
            Period::Month => GroupKey::Month(field),
        })
    }

    /// The only column of days that the word before `per month` names: `fall due per month`.
    fn told_ahead(&self, run: &Range<usize>) -> Option<ColumnId> {
        let is_joining =
            |at: &usize| words::is_per(self.word(*at)) || self.is(*at, "the a for in calendar");
        let at = (0..run.start).rev().find(|at| !is_joining(at))?;
        let fit = self.fit(at..at + 1, is_column_of_days);
        let fit = fit.filter(|_| !self.is_taken[at])?;
        match fit.columns[..] {
            [column] if fit.score >= NAMED_MIN => Some(column),
            _ => None,
        }
    }

    /// The column of days by which documents are grouped if the question names none: the one that a reply names, or else
    /// the first of those that are equally good. The title of the groups says which it is.
    fn day_of_groups(&self) -> Option<ColumnId> {
        let columns = self.days_by_default(ColumnKind::Day);
        let replied = self.linker.replied(&columns);
        replied.or_else(|| columns.first().copied())
    }

    /// The column of days that the words behind a unit of the calendar name: `year of issue`, `month in which it was
    /// signed`; but `per year were paid` says what was done, and not which year is meant.
    fn told_behind(&mut self, run: &Range<usize>) -> Option<ColumnId> {
        let mut behind = run.end..self.is_taken.len().min(run.end + 5);
        let joining = "of in which it they that was were is are its their the";
        let at = behind.find(|at| !self.is(*at, joining))?;
        let is_open = |at: usize| !self.closes(at);
        if !self.is(run.end, "of in it they")
            || !(run.end - 1..at).all(is_open)
            || self.is_taken[at]
        {
            return None;
        }
        let fit = self.fit(at..at + 1, is_column_of_days)?;
        // If several columns of days fit equally well, those on which something ends are left out, because a question
        // has words of its own for an end.
        let is_meant = |id: &ColumnId| fit.columns.len() == 1 || !self.column(*id).is_end();
        let columns: Vec<ColumnId> = fit.columns.iter().copied().filter(is_meant).collect();
        let [column] = columns[..] else {
            return None;
        };
        self.is_taken[at] = true;
        Some(column)
    }

    /// Records words that were matched to a column by similarity of meaning alone, because the answer has to say so.
    fn tell_likened(&mut self, run: &Range<usize>, fit: &Fit) {
        if fit.score == phrase::LIKE {
            let (said, field) = (self.said(run), self.field(fit.columns[0]));
            self.table.likened.push((said, field));
        }
    }

    pub(super) fn needs_measure(&self) -> bool {
        match self.operation {
            Some(ColumnOperation::List | ColumnOperation::Count) => false,
            Some(_) => true,
            None => self.linked.intent != Intent::Documents,
        }
    }

    /// Takes the column that a run names as the measure. The result says whether the run names one.
    pub(super) fn measure_by(&mut self, run: &Range<usize>) -> Outcome<bool> {
        // `the price with VAT` does not mean the column `vat`.
        let money = self.money(run).filter(|_| !self.table.is_day);
        // `The total of the invoices` asks for a sum, even if a column has the synonym `total`; `the highest total` does not.
        let is_sum = !self.is_most()
            && self.operation != Some(ColumnOperation::Average)
            && run.len() == 1
            && self.is(run.start, words!(summing));
        let says_tax = self.says_tax_behind(run);
        let is_in_name = |fit: &Fit| {
            let words = &self.column(fit.columns[0]).words;
            run.clone()
                .any(|at| words.iter().any(|word| word == self.word(at)))
        };
        let is_number = |fit: &Fit| {
            let is_called = fit.is_named() || fit.is_synonym() && !says_tax;
            let is_named = is_called && fit.columns.len() == 1;
            let is_summing = is_sum && fit.is_synonym() && !is_in_name(fit);
            !is_summing && !self.table.is_day && (money.is_none() || is_named)
        };
        let numbers = self.fit(run.clone(), phrase::is_number).filter(is_number);
        let numbers = numbers.or(money);
        let days = self.fit(run.clone(), phrase::is_day);
        let days = days.filter(|_| self.is_most());
        let best = match (numbers, days) {
            (Some(one), Some(other)) if other.score > one.score => Some(other),
            (one, other) => one.or(other),
        };
        let near = || {
            self.near(run, phrase::is_number)
                .filter(|_| !self.table.is_day)
        };
        // Words that are only related to a column's words, or a synonym of it, in front of a condition, introduce that condition.
        let leads = |fit: &Fit| {
            let is_day = phrase::is_day(self.column(fit.columns[0]));
            !fit.is_named() && is_day && self.is_before_mention(run)
        };
        let Some(fit) = best.or_else(near).filter(|fit| !leads(fit)) else {
            return Ok(false);
        };
        let column = self.one_of(run, &fit)?;
        self.tell_likened(run, &fit);
        self.table.is_day = phrase::is_day(self.column(column));
        let field = self.field(column);
        self.named.push((run.end, field.clone()));
        self.table.measure = Some(field);
        Ok(true)
    }

    /// Whether a mention stands close behind a run, with only filler words between: `that we pay in the dollar`.
    fn is_before_mention(&self, run: &Range<usize>) -> bool {
        let is_near = |mention: &Range<usize>| {
            let mut between = run.end..mention.start.max(run.end);
            (run.end..=run.end + NEAR).contains(&mention.start)
                && between.all(|at| words::is_filler(self.word(at)))
        };
        !self.closes(run.end - 1) && self.mentions.iter().any(is_near)
    }

    /// The only column that a run means. If several fit equally well, the user has to be asked back.
    fn one_of(&self, run: &Range<usize>, fit: &Fit) -> Outcome<ColumnId> {
        if let [one] = fit.columns[..] {
            return Ok(one);
        }
        let several = || Tabulation::Ambiguous {
            said: self.said(run),
            columns: fit.columns.iter().map(|id| self.field(*id)).collect(),
        };
        self.linker.replied(&fit.columns).ok_or_else(several)
    }
}
