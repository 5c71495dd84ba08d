//! Tests of which questions ask for documents, in a corpus without a schema.

use crate::days::day;
use crate::dictionary::{Dictionary, FieldValue, NAMED};
use crate::link::link;
use crate::linked::{Intent, LinkedQuestion, Test};

/// Deeds of two kinds, some of which have their party in a field, and news with a category each.
fn dictionary() -> Dictionary {
    let mut known = Dictionary::default();
    known.bucket("deeds");
    for at in 0..12 {
        let fields = ["deed_type", "party", "deed_no"];
        let has = if at < 10 { &fields[..] } else { &fields[..1] };
        known.count("deeds", has.iter().copied());
        known.add("deeds", NAMED, FieldValue::Text("strongroom"));
        let kind = ["lease", "option agreement"][at % 2];
        known.add("deeds", "deed_type", FieldValue::Text(kind));
        if at < 10 {
            let party = ["Harrow Mills", "Castle Quay"][at % 2];
            known.add("deeds", "party", FieldValue::Text(party));
            let number = format!("LT-20{at}A");
            known.add("deeds", "deed_no", FieldValue::Text(&number));
        }
    }
    known.bucket("news");
    for at in 0..12 {
        known.count("news", ["category", "publisher"]);
        let category = ["technology", "sports"][at % 2];
        known.add("news", "category", FieldValue::Text(category));
        let publisher = ["TechWeek", "The Courier"][at % 2];
        known.add("news", "publisher", FieldValue::Text(publisher));
    }
    known
}

fn linked(question: &str) -> LinkedQuestion {
    link(question, &dictionary(), day(2025, 12, 10).unwrap())
}

fn fields(linked: &LinkedQuestion) -> Vec<&str> {
    let all = linked.conditions.iter().chain(&linked.parts);
    all.map(|one| one.field.as_str()).collect()
}

#[test]
fn a_kind_is_a_noun_where_it_stands_for_documents() {
    for (question, is_noun) in [
        ("Which option agreement with Harrow Mills came last?", true),
        ("What does the lease with Harrow Mills say?", false),
        ("Open lease LT-201A, please.", true),
        ("The 2023 lease with Harrow Mills", true),
        // A category can also be a topic of news.
        ("Which technology company does TechWeek name?", false),
        ("Which sports betting platform does TechWeek name?", false),
        (
            "Who changed the technology of pumps, as TechWeek says?",
            false,
        ),
        ("Show me the latest technology from TechWeek", true),
    ] {
        let found = linked(question);
        let is_kind = fields(&found)
            .iter()
            .any(|field| matches!(*field, "deed_type" | "category"));
        assert_eq!(is_kind, is_noun, "{question}: {found:?}");
        assert_eq!(found.intent != Intent::Prose, is_noun, "{question}");
    }
}

#[test]
fn an_order_for_something_that_is_named_is_for_documents() {
    for (question, is_order) in [
        ("Pull up everything with Harrow Mills, please", true),
        ("I need the paperwork of Harrow Mills", true),
        ("Find out who signed for Harrow Mills", false),
        ("Who signed for Harrow Mills?", false),
        ("Show me how Harrow Mills fits pumps", false),
    ] {
        let found = linked(question);
        assert_eq!(
            found.intent == Intent::Documents,
            is_order,
            "{question}: {found:?}"
        );
    }
}

#[test]
fn what_is_more_is_compared_and_what_is_more_than_a_figure_is_not() {
    for (question, is_compared) in [
        (
            "Are there more leases with Harrow Mills or with Castle Quay?",
            true,
        ),
        (
            "Do we have more leases with Harrow Mills than with Castle Quay?",
            true,
        ),
        (
            "Put the leases with Harrow Mills next to those with Castle Quay: how many each?",
            true,
        ),
        (
            "Which leases with Harrow Mills or Castle Quay are there?",
            false,
        ),
        (
            "Are there leases over more than 5 years with Harrow Mills or Castle Quay?",
            false,
        ),
    ] {
        let found = linked(question);
        assert_eq!(found.intent == Intent::Compare, is_compared, "{question}");
        assert_eq!(
            found.parts.len(),
            if is_compared { 2 } else { 0 },
            "{question}"
        );
    }
}

#[test]
fn one_sign_more_or_less_is_another_number() {
    let found = linked("Show me lease LT-201B");
    let tests = found.conditions.iter().map(|one| &one.test);
    let has = |text: &str| {
        let mut tests = tests.clone();
        tests.any(|test| matches!(test, Test::Is(things) if things.iter().flatten().any(|form| form == text)))
    };
    assert!(has("LT-201B") && !has("LT-201A"), "{found:?}");
}

#[test]
fn documents_without_a_field_are_asked_for_their_names_and_only_then() {
    for (question, field, has_names) in [
        ("List the leases with Harrow Mills", "party", true),
        (
            "Does the note to Harrow Mills differ from that to Castle Quay?",
            "party",
            true,
        ),
        ("Did TechWeek say so?", "publisher", false),
    ] {
        let found = linked(question);
        let mut all = found.conditions.iter().chain(&found.parts);
        let one = all.find(|one| one.field == field);
        let one = one.unwrap_or_else(|| panic!("{question}: {found:?}"));
        assert_eq!(!one.names.is_empty(), has_names, "{question}");
    }
}

#[test]
fn a_word_that_two_parts_of_the_corpus_are_called_by_names_neither() {
    let mut known = dictionary();
    for bucket in ["site-audits", "supplier-audits", "audits-2020", "leases"] {
        known.bucket(bucket);
    }
    assert_eq!(known.bucket_named("audits"), None);
    assert_eq!(known.bucket_named("site audits"), Some("site-audits"));
    assert_eq!(known.bucket_named("lease"), Some("leases"));
}

/// A folder of reports with names that say what they are, and without any metadata.
fn folder() -> Dictionary {
    let mut known = Dictionary::default();
    known.bucket("generic");
    for name in [
        "NORVIKFOODS_ProxyStatement_2023.pdf",
        "NORVIKFOODS_10K_2022.pdf",
        "HALDEN_10K_2023.pdf",
        "HALDEN_2023Q2_10Q.pdf",
    ] {
        known.count("generic", []);
        known.call("generic", &format!("generic/{name}"));
    }
    known
}

#[test]
fn a_company_and_a_year_name_a_report_where_paths_alone_tell() {
    for (question, wanted) in [
        (
            "What did Norvik Foods say on pay in 2023?",
            "NORVIKFOODS 2023",
        ),
        (
            "What was the revenue of Norvik Foods in 2022?",
            "NORVIKFOODS 2022",
        ),
        ("Norvik Foods 2023", "NORVIKFOODS 2023"),
        (
            "What is the FY2023 capital expenditure of Halden?",
            "HALDEN 2023",
        ),
        ("Halden's goodwill at December 31, 2023", "HALDEN 2023"),
        ("how much did halden owe in 2023", "HALDEN 2023"),
        (
            "Halden revenue in the second quarter of 2023",
            "HALDEN 2023Q2",
        ),
        (
            "What did Halden say of rent in its 2023 10-K?",
            "HALDEN 2023 10K",
        ),
        ("What did Halden earn in 2021?", ""),
        ("What did it say of 2023?", ""),
        ("What did it say on pay in 2023?", ""),
    ] {
        let found = link(question, &folder(), day(2025, 12, 10).unwrap());
        let has = |text: &str| {
            found.conditions.iter().any(|one| {
                matches!(&one.test, Test::Is(things) if things.iter().flatten().any(|form| form == text))
            })
        };
        assert!(wanted.split_whitespace().all(has), "{question}: {found:?}");
        assert_eq!(
            found.conditions.is_empty(),
            wanted.is_empty(),
            "{question}: {found:?}"
        );
    }
}

#[test]
fn names_of_one_path_hold_together_and_years_are_alternatives() {
    let shown = |question: &str| {
        let found = link(question, &folder(), day(2025, 12, 10).unwrap());
        let names = found.conditions.iter().map(|one| match &one.test {
            Test::Is(things) => {
                let first = things.iter().filter_map(|forms| forms.first());
                first.cloned().collect::<Vec<_>>().join("|")
            }
            other => format!("{other:?}"),
        });
        names.collect::<Vec<_>>().join(" & ")
    };
    for (question, wanted) in [
        (
            "What was the FY2023 revenue (in USD) of Halden?",
            "2023 & HALDEN",
        ),
        (
            "How did the sales of Norvik Foods go in 2022 and 2023?",
            "NORVIKFOODS & 2022|2023",
        ),
        (
            "Did Halden and Norvik Foods grow in 2023?",
            "HALDEN|NORVIKFOODS & 2023",
        ),
        (
            "Does Halden have a better ratio in 2023 compared with before?",
            "HALDEN & 2023",
        ),
    ] {
        assert_eq!(shown(question), wanted, "{question}");
    }
}
