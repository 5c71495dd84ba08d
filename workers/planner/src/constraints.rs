//! Reads the conditions that a model wrote, and keeps those that the question states. Pure.
//!
//! A condition whose words do not occur in the question is invented, and is left out. *Not* here: whether any
//! document has such a field.

use envelope::limits::{CONSTRAINT_CHARS_MAX, CONSTRAINT_VALUES_MAX};
use envelope::{Op, WordedConstraint};
use serde_json::Value;
use text::one_line;

/// The conditions that were taken from the field `constraints`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct ConstraintReading {
    pub(crate) taken: Vec<WordedConstraint>,
    /// How many were left out because the question does not state them, or because they compare with nothing.
    pub(crate) unsaid: usize,
    /// How many were left out because they are over the limit.
    pub(crate) over: usize,
}

/// Reads at most `most` of the constraints that a model listed, and adds those that rules found.
pub(crate) fn read(
    listed: &[Value],
    question: &str,
    by_rules: Vec<WordedConstraint>,
    most: usize,
) -> ConstraintReading {
    let mut reading = ConstraintReading::default();
    let asked = folded(question);
    for one in listed {
        let Some(constraint) = constraint(one).filter(|one| asked.contains(&folded(&one.raw)))
        else {
            reading.unsaid += 1;
            continue;
        };
        if !reading.taken.contains(&constraint) {
            reading.taken.push(constraint);
        }
    }
    let said: Vec<String> = reading.taken.iter().map(|one| folded(&one.raw)).collect();
    for one in by_rules {
        let raw = folded(&one.raw);
        // The model may have said it in fewer words, or in more.
        if !said
            .iter()
            .any(|said| said.contains(&raw) || raw.contains(said))
        {
            reading.taken.push(one);
        }
    }
    reading.over = reading.taken.len().saturating_sub(most);
    reading.taken.truncate(most);
    reading
}

fn folded(text: &str) -> String {
    one_line(text).to_lowercase()
}

fn constraint(object: &Value) -> Option<WordedConstraint> {
    let text = |name: &str| {
        let text = object.get(name).and_then(Value::as_str).map(one_line);
        text.filter(|text| (1..=CONSTRAINT_CHARS_MAX).contains(&text.chars().count()))
    };
    let value = value(object.get("value")?)?;
    let operator = match (Op::parse(&text("operator")?)?, &value) {
        (Op::Eq, Value::Array(_)) => Op::In,
        (Op::Ne, Value::Array(_)) => Op::NotIn,
        (operator @ (Op::In | Op::NotIn), Value::Array(_)) => operator,
        (_, Value::Array(_)) => return None,
        (Op::In, _) => Op::Eq,
        (Op::NotIn, _) => Op::Ne,
        (operator, _) => operator,
    };
    let field = text("field").filter(|field| !["null", "none", "any"].contains(&field.as_str()));
    Some(WordedConstraint {
        field,
        operator,
        value,
        raw: text("raw")?,
    })
}

/// The value of a condition: a text, a number, a boolean or a short list of texts and numbers.
fn value(value: &Value) -> Option<Value> {
    let fits = |one: &Value| match one {
        Value::String(text) => (1..=CONSTRAINT_CHARS_MAX).contains(&text.trim().chars().count()),
        Value::Number(_) => true,
        _ => false,
    };
    let is_taken = match value {
        Value::Array(list) => {
            (1..=CONSTRAINT_VALUES_MAX).contains(&list.len()) && list.iter().all(fits)
        }
        Value::Bool(_) => true,
        one => fits(one),
    };
    is_taken.then(|| value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const QUESTION: &str = "Which bills from Orsted or Vale are over $2k and not in euros?";

    fn of(listed: Value) -> ConstraintReading {
        read(listed.as_array().unwrap(), QUESTION, Vec::new(), 8)
    }

    #[test]
    fn what_the_question_says_is_taken() {
        let reading = of(json!([
            {"field": "total", "operator": ">", "value": 2000, "raw": "Over  $2k"},
            {"field": null, "operator": "eq", "value": ["Orsted", "Vale"], "raw": "from Orsted or Vale"},
            {"field": "null", "operator": "not_in", "value": "EUR", "raw": "not in euros"},
        ]));
        let shown: Vec<_> = reading
            .taken
            .iter()
            .map(|one| (one.field.as_deref(), one.operator))
            .collect();
        assert_eq!(
            shown,
            [(Some("total"), Op::Gt), (None, Op::In), (None, Op::Ne)]
        );
        assert_eq!((reading.unsaid, reading.over), (0, 0));
    }

    #[test]
    fn inventions_and_nonsense_are_left_out_and_counted() {
        for nonsense in [
            json!({"operator": "eq", "value": "Kilo", "raw": "from Kilo"}),
            json!({"operator": "eq", "value": "Vale", "raw": ""}),
            json!({"operator": "eq", "value": "Vale"}),
            json!({"operator": "near", "value": "Vale", "raw": "Vale"}),
            json!({"operator": "eq", "value": {"a": 1}, "raw": "Vale"}),
            json!({"operator": "gt", "value": [1, 2], "raw": "Vale"}),
            json!({"operator": "eq", "value": [], "raw": "Vale"}),
            json!("from Vale"),
            json!(7),
        ] {
            let reading = of(json!([nonsense]));
            assert_eq!((reading.taken.len(), reading.unsaid), (0, 1), "{nonsense}");
        }
    }

    #[test]
    fn rules_fill_up_what_a_model_left_out_and_a_limit_holds() {
        let rules = crate::rules::read(QUESTION).plan.constraints;
        let listed = [json!({"operator": "gt", "value": 2000, "raw": "are over $2k"})];
        let reading = read(&listed, QUESTION, rules, 8);
        let raw: Vec<&str> = reading.taken.iter().map(|one| one.raw.as_str()).collect();
        assert_eq!(raw, ["are over $2k", "from Orsted or Vale"]);
        let many: Vec<Value> = (0..200)
            .map(|n| json!({"operator": "gt", "value": n, "raw": "over $2k"}))
            .collect();
        let reading = read(&many, QUESTION, Vec::new(), 8);
        assert_eq!((reading.taken.len(), reading.over), (8, 192));
    }
}
