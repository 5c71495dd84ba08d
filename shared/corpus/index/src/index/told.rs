//! What a principal is told of how a question was linked: nothing that only documents say which it must not read.
//!
//! The dictionary knows the names and values of all documents of a tenant. So each value of a condition is looked for in
//! what the principal may read. *Not* here: linking itself (`linking`).

use super::Index;
use crate::Error;
use envelope::{Condition, ConditionOrigin, Filter, Op, Principal};
use linking::{LinkedQuestion, NAMED, QuestionCondition, Tabulation, Test};
use search::filter_terms::{self, BUILT_IN};
use tantivy::Searcher;
use tantivy::collector::Count;

/// Most values that are looked for; a question with more is linked to nothing.
const VALUES_MAX: usize = 128;

/// Why no table answers a question, where the reason may not be told.
const UNFIT: &str = "it has words that no table has a place for";

/// A question that is linked to something that must not be told.
struct Untold;

/// The documents of a principal, as a source of names.
struct Known<'a> {
    index: &'a Index,
    searcher: &'a Searcher,
    principal: &'a Principal,
    left: usize,
}

impl Index {
    /// What a question was linked to, as far as a principal may know of it.
    pub(super) fn told(
        &self,
        principal: &Principal,
        linked: LinkedQuestion,
    ) -> Result<LinkedQuestion, Error> {
        let searcher = self.reader.searcher();
        if self.reads_all(&searcher, principal)? {
            return Ok(linked);
        }
        let known = Known {
            index: self,
            searcher: &searcher,
            principal,
            left: VALUES_MAX,
        };
        Ok(known.told(linked)?.unwrap_or_default())
    }
}

impl Known<'_> {
    fn told(mut self, mut linked: LinkedQuestion) -> Result<Option<LinkedQuestion>, Error> {
        if let Some(bucket) = &linked.bucket
            && !self.has("bucket", bucket)?
        {
            return Ok(None);
        }
        let of_sides = linked
            .sides
            .iter_mut()
            .flat_map(|side| &mut side.conditions);
        let conditions = linked.conditions.iter_mut().chain(&mut linked.parts);
        for condition in conditions.chain(of_sides) {
            if let Err(Untold) = self.keep_known(condition)? {
                return Ok(None);
            }
        }
        if !self.keep_table(&mut linked.tabulation)? {
            return Ok(None);
        }
        // These are remarks on words of the question, and only what all documents say tells why.
        linked.dropped.clear();
        linked.unread.clear();
        linked.ambiguous.clear();
        linked.contradictory.clear();
        Ok(Some(linked))
    }

    /// Removes the ways to write a value that no document of the principal has. One has to be left.
    fn keep_known(
        &mut self,
        condition: &mut QuestionCondition,
    ) -> Result<Result<(), Untold>, Error> {
        let field = condition.field.as_str();
        if let Test::Is(things) = &mut condition.test {
            for ways in things {
                self.retain(field, ways)?;
                if ways.is_empty() {
                    return Ok(Err(Untold));
                }
            }
        } else if !self.has_field(field)? {
            return Ok(Err(Untold));
        }
        self.retain(NAMED, &mut condition.names)?;
        Ok(Ok(()))
    }

    /// Whether the principal may know of the columns of a table. Remarks on the words that no column has are left out: that
    /// none has them is known of all documents alone.
    fn keep_table(&self, table: &mut Tabulation) -> Result<bool, Error> {
        let columns: Vec<String> = match table {
            Tabulation::None => Vec::new(),
            Tabulation::Unfit { why, name, facets } => {
                (*why, *name) = (UNFIT.to_owned(), None);
                facets.clear();
                Vec::new()
            }
            Tabulation::Unsure {
                table, why, facets, ..
            } => {
                *why = UNFIT.to_owned();
                facets.clear();
                table.columns().map(str::to_owned).collect()
            }
            Tabulation::Ambiguous { columns, .. } => columns.clone(),
            Tabulation::Fit(table) => table.columns().map(str::to_owned).collect(),
        };
        for column in columns {
            if !self.has_field(&column)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn retain(&mut self, field: &str, values: &mut Vec<String>) -> Result<(), Error> {
        let mut kept = Vec::new();
        for value in std::mem::take(values) {
            if self.has(field, &value)? {
                kept.push(value);
            }
        }
        *values = kept;
        Ok(())
    }

    fn has_field(&self, field: &str) -> Result<bool, Error> {
        let field = filter_terms::field_name(field);
        if BUILT_IN.contains(&field.as_str()) {
            return Ok(true);
        }
        let marker = filter_terms::marker(&field);
        self.index.has_fact(self.searcher, self.principal, &marker)
    }

    /// Whether a document of the principal satisfies a condition. After too many looks, none does.
    fn has(&mut self, field: &str, value: &str) -> Result<bool, Error> {
        let Some(left) = self.left.checked_sub(1) else {
            return Ok(false);
        };
        self.left = left;
        let condition = Condition::new(field, Op::Eq, value, ConditionOrigin::Derived);
        let filter = Filter(vec![condition]);
        if !self.has_field(field)? {
            return Ok(false);
        }
        let heads = self
            .index
            .heads(self.searcher, (self.principal, &[], &filter))?;
        Ok(self.searcher.search(&heads, &Count)? > 0)
    }
}
