//! Which documents of a table satisfy a condition by what they are called: `named:author` holds for a document without an
//! author whose path, title or beginning says the name, and a letter *about* somebody says it too. Whoever counts has to know.

use envelope::{Condition, Filter};
use search::{TableResult, filter_terms::named_field};
use text::count;

/// The fields of a filter whose conditions also hold for names.
fn fields(filter: &Filter) -> impl Iterator<Item = &str> {
    let named = filter.0.iter().filter_map(|one| named_field(&one.field));
    named.filter(|field| !field.is_empty())
}

/// The filter with the fields alone, if some condition of it also holds for names.
pub(crate) fn exact(filter: &Filter) -> Option<Filter> {
    fields(filter).next()?;
    let conditions = filter.0.iter().map(|one| match named_field(&one.field) {
        Some(field) if !field.is_empty() => Condition {
            field: field.to_owned(),
            ..one.clone()
        },
        _ => one.clone(),
    });
    Some(Filter(conditions.collect()))
}

/// How many of so many documents are there by name, where `having` is the result of the fields alone. A condition on a field
/// that no document has is left out there.
pub(crate) fn rest(filter: &Filter, documents: u64, having: &TableResult) -> u64 {
    let is_unknown = |field: &str| having.unknown_fields.iter().any(|unknown| unknown == field);
    match fields(filter).any(is_unknown) {
        false => documents.saturating_sub(having.documents),
        true => documents,
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
        let asked = filter(&["named:author", "colour"]);
        let rest = |documents, unknown| rest(&asked, 3, &having(documents, unknown));
        assert_eq!((rest(1, &[]), rest(3, &[])), (2, 0));
        assert_eq!(rest(9, &["author"]), 3);
        // Of another field nobody knows anything either way.
        assert_eq!(rest(1, &["colour"]), 2);
        assert_eq!(told(0), None);
        assert!(told(2).is_some_and(|told| told.starts_with("2 documents lack ")));
    }
}
