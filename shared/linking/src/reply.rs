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

#[cfg(test)]
mod tests {
    use crate::amounts::Bound;
    use crate::days::day;
    use crate::dictionary::{DescribedColumn, Dictionary, FieldValue};
    use crate::linked::{LinkedQuestion, Test};

    fn linked(question: &str) -> LinkedQuestion {
        let mut known = Dictionary::default();
        known.bucket("datasheets");
        for n in 0..12u8 {
            for field in ["input_voltage", "output_voltage", "notice_period"] {
                known.add("datasheets", field, FieldValue::Number(f64::from(n)));
            }
        }
        for (field, unit) in [
            ("input_voltage", "V"),
            ("output_voltage", "V"),
            ("notice_period", "days"),
        ] {
            known.describe_column("datasheets", DescribedColumn::of(field, "", unit));
        }
        crate::link(question, &known, day(2025, 6, 2).unwrap())
    }

    #[test]
    fn a_reply_decides_the_column_of_a_condition() {
        let open = linked("List the datasheets over 5 V");
        assert_eq!(open.ambiguous.len(), 1, "{open:?}");
        for (reply, field) in [
            ("output voltage", "output_voltage"),
            ("input", "input_voltage"),
        ] {
            let told = linked(&format!(
                "List the datasheets over 5 V - User clarified: {reply}"
            ));
            assert_eq!(told.conditions[0].field, field);
            assert!(told.ambiguous.is_empty(), "{told:?}");
        }
        let vague = linked("List the datasheets over 5 V - User clarified: the voltage");
        assert_eq!(vague.ambiguous.len(), 1, "both have that word");
    }

    #[test]
    fn conditions_are_in_the_unit_of_their_column() {
        let months = linked("List the datasheets with a notice period over 3 months");
        let over = Test::Amount(vec![(Bound::Over, 90.0)]);
        assert_eq!(months.conditions[0].test, over);
        let volts = linked("List the datasheets with an input voltage over 500 mV");
        let over = Test::Amount(vec![(Bound::Over, 0.5)]);
        assert_eq!(volts.conditions[0].test, over);
        let other = linked("List the datasheets with an input voltage over 5 kg");
        assert!(other.conditions.is_empty(), "{other:?}");
        assert_eq!(other.unread[0].0, "over 5 kg");
    }
}
