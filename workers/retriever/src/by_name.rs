//! Which documents of a table satisfy a condition by what they are called: `named:author` holds for a document without an
//! author whose path, title or beginning says the name, and a letter *about* somebody says it too. Whoever counts has to know.

use envelope::{Condition, Filter};
use search::{TableResult, filter_terms::named_field};
use text::count;

/// The filter with the fields alone, if some condition of it also holds for names.
pub(crate) fn exact(filter: &Filter) -> Option<Filter> {
    let mut has_names = false;
    let conditions = filter.0.iter().map(|one| match named_field(&one.field) {
        Some(field) if !field.is_empty() => {
            has_names = true;
            Condition {
                field: field.to_owned(),
                ..one.clone()
            }
        }
        _ => one.clone(),
    });
    let exact = Filter(conditions.collect());
    has_names.then_some(exact)
}

/// How many of so many documents are there by name, where `having` is the result of the fields alone. A condition on a field
/// that no document has is left out there.
pub(crate) fn rest(documents: u64, having: &TableResult) -> u64 {
    match having.unknown_fields.is_empty() {
        true => documents.saturating_sub(having.documents),
        false => documents,
    }
}

/// What the user is told of them.
pub(crate) fn told(by_name: u64) -> Option<String> {
    let [lacks, there, their] = match by_name {
        0 => return None,
        1 => ["lacks", "is", "its"],
        _ => ["lack", "are", "their"],
    };
    Some(format!(
        "{} {lacks} the field and {there} there because {their} path, title or beginning says the name.",
        count(by_name, "document")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{ConditionOrigin, Op};

    fn filter(fields: &[&str]) -> Filter {
        let conditions = fields
            .iter()
            .map(|field| Condition::new(*field, Op::Eq, "Marta Klein", ConditionOrigin::User));
        Filter(conditions.collect())
    }

    #[test]
    fn a_name_alone_has_no_field() {
        assert_eq!(exact(&filter(&["bucket", "named"])), None);
        let of = exact(&filter(&["named:author", "named"]));
        assert_eq!(of, Some(filter(&["author", "named"])));
    }

    #[test]
    fn what_the_fields_do_not_give_is_there_by_name() {
        let having = |documents, unknown: &[&str]| TableResult {
            documents,
            unknown_fields: unknown.iter().map(|field| (*field).to_owned()).collect(),
            ..TableResult::default()
        };
        assert_eq!(rest(3, &having(1, &[])), 2);
        assert_eq!(rest(3, &having(3, &[])), 0);
        assert_eq!(rest(3, &having(9, &["author"])), 3);
        assert_eq!(told(0), None);
        assert!(told(2).is_some_and(|told| told.starts_with("2 documents lack ")));
    }
}
