//! Reads which column the reply to a question back names. Pure.

use crate::dictionary::ColumnId;
use crate::link::{Fitting, Linker};
use crate::token::reply_start;

impl Linker<'_> {
    /// The column that the reply to a question back names, if several fit equally well.
    pub(crate) fn clarified(&self, fitting: Fitting) -> Fitting {
        let mut all = vec![fitting.column];
        all.extend(&fitting.rivals);
        match self.replied(&all) {
            Some(column) => column.into(),
            None => fitting,
        }
    }

    /// The column, of several, that the reply to a question back names best: `… - User clarified: due date`.
    pub(crate) fn replied(&self, columns: &[ColumnId]) -> Option<ColumnId> {
        let reply = &self.tokens[reply_start(&self.tokens)?..];
        let said = |column: &ColumnId| {
            let words = &self.dictionary.column(*column).words;
            let is_said = |word: &&String| reply.iter().any(|token| token.lower == **word);
            words.iter().filter(is_said).count()
        };
        let most = columns.iter().map(said).max().filter(|most| *most > 0)?;
        let mut best = columns.iter().filter(|column| said(column) == most);
        match (best.next(), best.next()) {
            (Some(one), None) => Some(*one),
            _ => None,
        }
    }
}
