//! Tests of what a schema says of a bucket beside its columns.

use super::tests::INVOICES;
use super::*;

#[test]
fn a_bucket_says_where_its_records_have_what() {
    let text = "[tickets]\ntext = \"payload.body\"\nid = \"key\"\n";
    let schemas = Schemas::parse("f", text).unwrap();
    let of = schemas.records();
    let tickets = &of[&Bucket::new("tickets").unwrap()];
    let (text, id) = (tickets.text.as_deref(), tickets.id.as_deref());
    assert_eq!(
        (text, id, &tickets.title),
        (Some("payload.body"), Some("key"), &None)
    );
    let wrong = Schemas::parse("f", "[a]\ntext = \"\"\n").unwrap_err();
    assert!(
        wrong
            .to_string()
            .ends_with("want a field of the records, as in `text = \"payload.text\"`"),
        "{wrong}"
    );
    assert_eq!(
        Schemas::parse("f", INVOICES).unwrap().records(),
        BTreeMap::new()
    );
}

#[test]
fn a_bucket_is_described_beside_its_columns_and_its_documents_stay_what_they_are() {
    let bare = "[invoices.n]\ntype = \"text\"\n";
    let told = format!("[invoices]\ndescription = \"what is to be paid\"\n{bare}");
    let (bare, told) = (
        Schemas::parse("f", bare).unwrap(),
        Schemas::parse("f", &told).unwrap(),
    );
    let of = |schemas: &Schemas| {
        let (_, table) = schemas.tables().next().unwrap();
        (table.description.clone(), table.columns.len())
    };
    assert_eq!(
        (of(&bare), of(&told)),
        ((String::new(), 1), ("what is to be paid".into(), 1))
    );
    assert_eq!(bare.name(), told.name(), "nothing is indexed anew for it");

    let alone = Schemas::parse("f", "[mail]\ndescription = \"letters\"\n").unwrap();
    assert!(alone.is_empty() && of(&alone) == ("letters".into(), 0));
    assert_eq!(alone.name(), Schemas::default().name());

    let column = Schemas::parse("f", "[mail.description]\ntype = \"text\"\n").unwrap();
    assert_eq!(of(&column), (String::new(), 1), "a column may be called so");

    let long = format!("[a]\ndescription = \"{}\"\n", "x".repeat(401));
    for (text, parts) in [
        (
            "[a]\ndescribtion = \"x\"\n",
            &["line 2", "`a.describtion`", "or `description`"][..],
        ),
        (&long, &["line 2", "at most 400 bytes"]),
        (
            "[a]\ndescription = 3\n",
            &["line 2", "a table that is a column"],
        ),
        (
            "[a.description]\nunits = 3\n",
            &["`a.description", "`unit`"],
        ),
    ] {
        let wrong = Schemas::parse("f", text).unwrap_err().to_string();
        for part in parts {
            assert!(wrong.contains(part), "no {part} in {wrong}");
        }
    }
}

#[test]
fn buckets_and_columns_have_synonyms_and_their_documents_stay_what_they_are() {
    let bare = "[invoices.total]\ntype = \"number\"\nrules = [{ labels = [\"Amount due:\"] }, \
        { from = \"metadata\", keys = [\"Sum\"] }]\n";
    let named = bare.replace("rules", "synonyms = [\"spend\", \"gross amount\"]\nrules");
    let named = format!("[invoices]\nsynonyms = [\"bill\"]\n{named}");
    let (bare, named) = (
        Schemas::parse("f", bare).unwrap(),
        Schemas::parse("f", &named).unwrap(),
    );
    let (_, table) = named.tables().next().unwrap();
    let column = &table.columns[0];
    assert_eq!(table.synonyms, ["bill"]);
    assert_eq!(column.synonyms, ["spend", "gross amount"]);
    assert_eq!(column.names_in_documents(), ["amount due", "sum"]);
    assert_eq!(bare.name(), named.name(), "nothing is indexed anew for it");

    let many = format!("[a]\nsynonyms = {:?}\n", vec!["x"; 33]);
    for (text, parts) in [
        (&*many, &["line 2", "33 synonyms: at most 32"][..]),
        (
            "[a]\nsinonyms = [\"x\"]\n",
            &["line 2", "`a.sinonyms`", "or `synonyms`"],
        ),
        ("[a]\nsynonyms = [3]\n", &["line 2", "string"]),
        (
            "[a.n]\ntype = \"text\"\nsynonyms = [\"\"]\n",
            &["`a.n`", "the synonym ``: want 1 to 4 words"],
        ),
        (
            "[a.n]\ntype = \"text\"\nsynonyms = [\"a b c d e\"]\n",
            &["want 1 to 4 words"],
        ),
    ] {
        let wrong = Schemas::parse("f", text).unwrap_err().to_string();
        for part in parts {
            assert!(wrong.contains(part), "no {part} in {wrong}");
        }
    }
}
