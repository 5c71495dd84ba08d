//! Finds the columns that words of a question name: the key of the groups, and the measure. Pure.

use super::currency::is_money;
use super::*;
use crate::form::is_participle;
use crate::kindred::Kin;

/// The most words between a run and the mention that it introduces.
const NEAR: usize = 2;
/// The most words between two parts of what names one column.
const NAME_GAP: usize = 4;

impl Reading<'_> {
    /// Groups documents by what a run names. The result says whether the run is a key of groups.
    pub(super) fn group_by(&mut self, run: &Range<usize>, joins: Option<&str>) -> Outcome<bool> {
        let first = words::period(self.word(run.start)).filter(|_| run.len() == 2);
        let period = words::period(self.word(run.end - 1)).or(first);
        let is_grouped = joins.is_some() || period.is_some_and(|(_, is_implied)| is_implied);
        // `Going by voltage, HX-1 or HX-2?` does not group documents.
        let is_of_two = self.linked.intent == Intent::Compare && self.is_between_two();
        if !is_grouped || is_of_two || self.table.group.is_some() {
            return Ok(false);
        }
        let is_most = matches!(
            self.operation,
            Some(ColumnOperation::Largest | ColumnOperation::Smallest)
        );
        if is_most && joins == Some("by") && !self.is_sorted(run) {
            return Ok(false);
        }
        let named = self.fit_of_kind(run);
        if joins == Some("by") && self.is_sorted(run) {
            let fit = named.as_ref().filter(|fit| fit.score >= NAMED_MIN);
            self.table.unsorted = fit.map(|fit| self.field(fit.columns[0]));
            return Ok(self.table.unsorted.is_some());
        }
        if let Some((period, _)) = period
            && named
                .as_ref()
                .is_none_or(|fit| fit.score < NAMED_MIN && !self.is_of_years(run, fit))
        {
            self.table.group = Some(self.calendar(run, period)?);
            return Ok(true);
        }
        // `by price` means no column whose name only has a related word, such as `cost_centre`.
        let is_of_money =
            self.money(run).is_some() || is_of(self.word(run.end - 1), words!(reading_money));
        let named = named.filter(|fit| {
            let column = self.linker.dictionary.column(fit.columns[0]);
            !is_of_money || fit.score >= NAMED_MIN || phrase::is_number(column)
        });
        // A buyer is no vendor, although the words are similar.
        let is_opposite = |column: &KnownColumn| {
            let role = fold::singular(self.word(run.end - 1));
            is_of(&role, words!(buying)) && self.column_says(&column.field, words!(selling))
                || is_of(&role, words!(selling)) && self.column_says(&column.field, words!(buying))
        };
        let near = || {
            let near = self.near(run, |column| !phrase::is_number(column))?;
            let column = self.linker.dictionary.column(near.columns[0]);
            (!is_of_money && !is_opposite(column)).then_some(near)
        };
        let Some(fit) = named.or_else(|| self.currency_said(run)).or_else(near) else {
            let said = self.said(run);
            return Err(unfit(format!("no column is called `{said}`")));
        };
        let column = self.one_of(run, &fit)?;
        let is_money = || is_money(self.linker.dictionary.column(column));
        let is_number = phrase::is_number(self.linker.dictionary.column(column));
        if is_number && joins == Some("by") && self.needs_measure() && is_money() {
            // `the average contract, by price`
            return match self.table.measure {
                None => self.measure_by(run),
                Some(_) => Ok(false),
            };
        }
        self.tell_likened(run, &fit);
        let clause = self.paid_in(run.end);
        if let Some(clause) =
            clause.filter(|_| self.column_of_currencies(self.bucket) == Some(column))
        {
            self.is_taken[clause].fill(true);
        }
        let field = self.field(column);
        self.named.push((run.end, field.clone()));
        self.table.group = Some(GroupKey::Column(field));
        Ok(true)
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

    /// Whether a run of several words fits only a column in whose name the unit of the calendar occurs: `per year
    /// described`, where a column is called `accounting_year`.
    pub(super) fn is_of_years(&self, run: &Range<usize>, fit: &Fit) -> bool {
        let [column] = fit.columns[..] else {
            return false;
        };
        let column = self.linker.dictionary.column(column);
        let is_unit = |word: &&str| words::period(word).is_some();
        let mut units = run.clone().map(|at| self.word(at)).filter(is_unit);
        run.len() > 1 && units.any(|unit| column.words.iter().any(|word| word == unit))
    }

    /// The column of currencies, if a run says `currency`, or `money they are paid in`, and no column is called so.
    fn currency_said(&self, run: &Range<usize>) -> Option<Fit> {
        let is_currency = is_of(self.word(run.start), "currency currencies");
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
        let tokens = self.linker.tokens.get(from..).unwrap_or_default();
        let said: Vec<&str> = tokens.iter().map(|token| token.lower.as_str()).collect();
        let begin = usize::from(said.first().is_some_and(|word| is_of(word, "that which")));
        let [subject, verb, done, "in", ..] = *said.get(begin..)? else {
            return None;
        };
        let end = begin + 4;
        let is_clause = is_of(subject, "they these those it")
            && is_of(verb, "is are was were")
            && is_participle(done)
            && (said.len() == end || tokens[end - 1].is_last);
        is_clause.then_some(from..from + end)
    }

    /// Whether a run goes on with what names the measure or the groups: `by firm that carries out the works`. All of its
    /// words are in the name, the description or the synonyms of that column.
    pub(super) fn goes_on(&self, run: &Range<usize>) -> bool {
        let is_near = |end: usize| {
            end < run.start && run.start - end <= NAME_GAP && self.is_idle_between(end, run.start)
        };
        let says = |column: &KnownColumn| {
            let said = &column.said;
            let synonyms = said.synonyms.iter().flat_map(|synonym| &synonym.words);
            let known = || {
                column
                    .kin
                    .iter()
                    .chain(&said.described_by)
                    .chain(synonyms.clone())
            };
            run.clone().all(|at| {
                let word = Kin::of(self.word(at));
                known().any(|known| known.is_like(&word))
            })
        };
        let mut columns = self.linker.dictionary.columns(self.bucket);
        columns.any(|(_, column)| {
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
        let before = by.and_then(|by| by.checked_sub(1));
        before.is_some_and(|at| is_of(self.word(at), words!(sorting)))
    }

    /// Whether a run says more about the column that documents are grouped by: `period of termination notice`.
    pub(super) fn is_of_group(&self, run: &Range<usize>) -> bool {
        let is_behind = run.start >= 2
            && self.word(run.start - 1) == "of"
            && self.is_taken_or_said(run.start - 2);
        let Some(GroupKey::Column(group)) = self.table.group.as_ref().filter(|_| is_behind) else {
            return false;
        };
        let fit = self.fit(run.clone(), |_| true);
        fit.is_some_and(|fit| {
            fit.columns
                .iter()
                .any(|column| self.field(*column) == *group)
        })
    }

    fn is_taken_or_said(&self, at: usize) -> bool {
        self.is_taken[at] || self.linker.dictionary.is_column_word(self.word(at))
    }

    /// The group key for a unit of the calendar, on the column of days that is meant.
    fn calendar(&mut self, run: &Range<usize>, period: Period) -> Outcome<GroupKey> {
        // In `by year granted` the unit of the calendar comes first.
        let is_first = words::period(self.word(run.end - 1)).is_none();
        let said = if is_first {
            run.start + 1..run.end
        } else {
            run.start..run.end - 1
        };
        let days = |column: &KnownColumn| column.kind() == ColumnKind::Day;
        // `by accounting year` means the column in which documents state that year, if there is one.
        let is_fiscal = said
            .clone()
            .any(|at| is_of(self.word(at), "fiscal financial business accounting"));
        let stated = self.day_by_default(ColumnKind::Year);
        if let Some(stated) = stated.filter(|_| is_fiscal && period == Period::Year) {
            return Ok(GroupKey::Column(self.field(stated)));
        }
        let column = match said.is_empty() {
            true => self
                .told_behind(run)
                .map(|fit| fit.columns[0])
                .or_else(|| self.told_ahead(run)),
            false => self.fit(said, days).map(|fit| fit.columns[0]),
        };
        let column = column.or_else(|| self.day_of_groups());
        if let Some(column) = column {
            let field = self.field(column);
            return Ok(match period {
                Period::Year => GroupKey::Year(field),
                Period::Quarter => GroupKey::Quarter(field),
                Period::Month => GroupKey::Month(field),
            });
        }
        let year = self
            .day_by_default(ColumnKind::Year)
            .filter(|_| period == Period::Year);
        let year = year.ok_or_else(|| unfit("no column holds days".into()))?;
        Ok(GroupKey::Column(self.field(year)))
    }

    /// The only column of days that the word before `per month` names: `fall due per month`.
    fn told_ahead(&self, run: &Range<usize>) -> Option<ColumnId> {
        let is_joining = |at: &usize| {
            words::is_per(self.word(*at)) || is_of(self.word(*at), "the a for in calendar")
        };
        let at = (0..run.start).rev().find(|at| !is_joining(at))?;
        let days = |column: &KnownColumn| column.kind() == ColumnKind::Day;
        let fit = self.fit(at..at + 1, days).filter(|_| !self.is_taken[at])?;
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
    /// signed`.
    fn told_behind(&mut self, run: &Range<usize>) -> Option<Fit> {
        let behind = run.end..self.is_taken.len().min(run.end + 5);
        let is_joining = |at: usize| {
            is_of(
                self.word(at),
                "of in which it they that was were is are its their the",
            )
        };
        // `per year were paid` says what was done, and not which year is meant.
        let begins = behind.clone().next()?;
        if !is_of(self.word(begins), "of in it they") {
            return None;
        }
        let at = behind.clone().find(|at| !is_joining(*at))?;
        let is_open = |at: usize| !self.linker.tokens[at].is_last;
        if at == run.end || !(run.end - 1..at).all(is_open) || self.is_taken[at] {
            return None;
        }
        let fit = self.fit(at..at + 1, |column| column.kind() == ColumnKind::Day)?;
        // If several columns of days fit equally well, those on which something ends are left out, because a question
        // has words of its own for an end.
        let is_alone = fit.columns.len() == 1;
        let is_meant = |id: &ColumnId| is_alone || !self.is_end(*id);
        let columns: Vec<ColumnId> = fit.columns.iter().copied().filter(is_meant).collect();
        let [column] = columns[..] else {
            return None;
        };
        let fit = Fit {
            columns: vec![column],
            ..fit
        };
        self.is_taken[at] = true;
        Some(fit)
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
        let is_most = matches!(
            self.operation,
            Some(ColumnOperation::Largest | ColumnOperation::Smallest)
        );
        // `the price with VAT` does not mean the column `vat`.
        let money = self.money(run).filter(|_| !self.table.is_day);
        // `The total of the invoices` asks for a sum, even if a column has the synonym `total`; `the highest total` does not.
        let is_sum = !is_most
            && self.operation != Some(ColumnOperation::Average)
            && run.len() == 1
            && is_of(self.word(run.start), words!(summing));
        let says_tax = self.says_tax_behind(run);
        let numbers = self
            .fit(run.clone(), phrase::is_number)
            .filter(|fit| !(is_sum && fit.is_synonym() && !self.is_in_name(run, fit)))
            .filter(|fit| {
                let is_called = fit.is_named() || fit.is_synonym() && !says_tax;
                let is_named = is_called && fit.columns.len() == 1;
                !self.table.is_day && (money.is_none() || is_named)
            })
            .or(money);
        let days = self.fit(run.clone(), phrase::is_day).filter(|_| is_most);
        let best = [numbers, days].into_iter().flatten().reduce(|one, other| {
            match other.score > one.score {
                true => other,
                false => one,
            }
        });
        let best = best.or_else(|| match self.table.is_day {
            true => None,
            false => self.near(run, phrase::is_number),
        });
        // Words that are only related to a column's words, or a synonym of it, in front of a condition, introduce that condition.
        let leads = best.as_ref().is_some_and(|fit| {
            let column = self.linker.dictionary.column(fit.columns[0]);
            !fit.is_named() && phrase::is_day(column)
        }) && self.is_before_mention(run);
        let Some(fit) = best.filter(|_| !leads) else {
            return Ok(false);
        };
        let column = self.one_of(run, &fit)?;
        self.tell_likened(run, &fit);
        self.table.is_day = phrase::is_day(self.linker.dictionary.column(column));
        let field = self.field(column);
        self.named.push((run.end, field.clone()));
        self.table.measure = Some(field);
        Ok(true)
    }

    /// Whether a word of the column's own name is said, too.
    fn is_in_name(&self, run: &Range<usize>, fit: &Fit) -> bool {
        let column = self.linker.dictionary.column(fit.columns[0]);
        run.clone()
            .any(|at| column.words.iter().any(|word| word == self.word(at)))
    }

    /// Whether a mention stands close behind a run, with only filler words between: `that we pay in the dollar`.
    fn is_before_mention(&self, run: &Range<usize>) -> bool {
        let is_open = !self.linker.tokens[run.end - 1].is_last;
        let mut starts = self.mentions.iter().map(|mention| mention.start);
        let is_near = |start: usize| {
            let mut between = run.end..start.max(run.end);
            start >= run.end
                && start - run.end <= NEAR
                && between.all(|at| words::is_filler(self.word(at)))
        };
        is_open && starts.any(is_near)
    }

    /// The only column that a run means. If several fit equally well, the user has to be asked back.
    fn one_of(&self, run: &Range<usize>, fit: &Fit) -> Outcome<ColumnId> {
        if let [one] = fit.columns[..] {
            return Ok(one);
        }
        let several = || Tabulation::Ambiguous {
            said: self.said(run),
            columns: fit
                .columns
                .iter()
                .map(|column| self.field(*column))
                .collect(),
        };
        self.linker.replied(&fit.columns).ok_or_else(several)
    }
}
