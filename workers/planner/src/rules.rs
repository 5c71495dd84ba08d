//! Reads a question by rules, if no model could be asked or if the model's reply lacks something. Pure.
//!
//! The rules are those of [`text::question`]; this module converts their results into the fields of a plan. *Not*
//! here: whether any document has the values that the question names.

use envelope::{
    AnswerForm, Op, Plan, QuestionClass, QuestionIntent, SearchStrategy, WordedConstraint,
};
use serde_json::Value;
use text::question::{
    self, Comparator, Complexity, ConditionValue, Layout, WordedCondition, WordedIntent,
};

/// What rules read in a question.
pub(crate) struct RuleReading {
    /// A plan with everything except what to search for.
    pub(crate) plan: Plan,
    /// How many further conditions the question names.
    pub(crate) constraints_over: usize,
}

/// Reads a question.
pub(crate) fn read(question: &str) -> RuleReading {
    let reading = question::read(question);
    let plan = Plan {
        class: class(reading.class),
        intent: intent(reading.wanted),
        constraints: reading.conditions.into_iter().map(constraint).collect(),
        topics: reading.topics,
        strategy: match reading.is_literal {
            true => SearchStrategy::Keyword,
            false => SearchStrategy::Hybrid,
        },
        form: form(reading.layout),
        no_citations: reading.declines_citations,
        ..Plan::default()
    };
    RuleReading {
        plan,
        constraints_over: reading.conditions_over,
    }
}

fn class(class: Complexity) -> QuestionClass {
    match class {
        Complexity::Simple => QuestionClass::Simple,
        Complexity::Comparative => QuestionClass::Comparative,
        Complexity::MultiStep => QuestionClass::MultiStep,
        Complexity::Temporal => QuestionClass::Temporal,
    }
}

fn intent(wanted: WordedIntent) -> QuestionIntent {
    match wanted {
        WordedIntent::Fact => QuestionIntent::Qa,
        WordedIntent::List => QuestionIntent::List,
        WordedIntent::Summary => QuestionIntent::Summarize,
        WordedIntent::Comparison => QuestionIntent::Compare,
        WordedIntent::Number => QuestionIntent::Compute,
    }
}

fn form(layout: Layout) -> AnswerForm {
    match layout {
        Layout::Prose => AnswerForm::Prose,
        Layout::List => AnswerForm::List,
        Layout::Table => AnswerForm::Table,
        Layout::Csv => AnswerForm::Csv,
    }
}

fn constraint(condition: WordedCondition) -> WordedConstraint {
    WordedConstraint {
        field: condition.field,
        operator: match condition.comparator {
            Comparator::Eq => Op::Eq,
            Comparator::Ne => Op::Ne,
            Comparator::Gt => Op::Gt,
            Comparator::Gte => Op::Gte,
            Comparator::Lt => Op::Lt,
            Comparator::Lte => Op::Lte,
            Comparator::In => Op::In,
            Comparator::NotIn => Op::NotIn,
        },
        value: match condition.value {
            ConditionValue::Text(text) => text.into(),
            ConditionValue::Number(number) => Value::from(number),
            ConditionValue::Several(names) => names.into(),
        },
        raw: condition.raw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_rules_are_those_of_a_plan() {
        let classes = [
            Complexity::Simple,
            Complexity::Comparative,
            Complexity::MultiStep,
            Complexity::Temporal,
        ];
        for one in classes {
            assert_eq!(class(one).as_str(), one.as_str());
        }
        let intents = [
            WordedIntent::Fact,
            WordedIntent::List,
            WordedIntent::Summary,
            WordedIntent::Comparison,
            WordedIntent::Number,
        ];
        for one in intents {
            assert_eq!(intent(one).as_str(), one.as_str());
        }
        for one in [Layout::Prose, Layout::List, Layout::Table, Layout::Csv] {
            assert_eq!(form(one).as_str(), one.as_str());
        }
    }

    #[test]
    fn a_condition_keeps_its_words() {
        let plan = read("Which bills from Orsted are over $2k?").plan;
        let shown: Vec<_> = plan
            .constraints
            .iter()
            .map(|one| (one.operator, one.value.clone(), one.raw.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                (Op::Eq, "Orsted".into(), "from Orsted"),
                (Op::Gt, 2000.0.into(), "over $2k")
            ]
        );
        assert_eq!(plan.intent, QuestionIntent::List);
    }
}
