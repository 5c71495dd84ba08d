//! Tests of drafts that are tables: which pass, and which are flagged.

use super::*;
use envelope::{Citation, FilterMatch};
use serde_json::json;

fn draft(told: Value) -> Draft {
    let source = |n: u16| -> Citation {
        let source = json!({"n": n, "doc_id": format!("d{n}"), "chunk_id": format!("d{n}.0"), "title": "t",
            "source": format!("{n}.md"), "score": 1.0, "quote": ""});
        serde_json::from_value(source).unwrap()
    };
    Draft {
        text: "There are 2.".into(),
        sources: vec![source(1), source(2)],
        facts: Vec::new(),
        scatters: Vec::new(),
        read: None,
        strict: false,
        no_information: false,
        stitched: false,
        matched: FilterMatch::Matched,
        table: Some(Box::new(serde_json::from_value(told).unwrap())),
        assessment: None,
    }
}

fn sum() -> Value {
    json!({
        "table": {"operation": "sum", "measure": "total", "columns": ["currency", "total", "documents"], "documents": 3,
            "rows_total": 2, "rows": [{"cells": ["EUR", 0.3, 2], "cites": [1, 2]}, {"cells": ["USD", 5.0, 1], "cites": [2]}]},
        "digest": {"documents": 3, "rows": 2, "groups": [
            {"documents": 2, "sum": 0.3, "values": [0.1, 0.2]}, {"documents": 1, "sum": 5.0, "values": [5.0]}]},
    })
}

fn largest() -> Value {
    json!({
        "table": {"operation": "largest", "measure": "total", "columns": ["source", "total"], "documents": 4, "rows_total": 2,
            "rows": [{"cells": ["1.md", 7], "cites": [1]}, {"cells": ["2.md", 5.5], "cites": [2]}]},
        "digest": {"documents": 4, "rows": 2},
    })
}

fn told(mut told: Value, path: &str, value: Value) -> String {
    if !path.is_empty() {
        *told.pointer_mut(path).unwrap() = value;
    }
    let draft = draft(told);
    wrong(draft.table.as_ref().unwrap(), &draft).join("; ")
}

#[test]
fn a_correct_table_passes_the_check() {
    assert_eq!(told(sum(), "", Value::Null), "");
    assert_eq!(told(largest(), "", Value::Null), "");
    let mut many = sum();
    many["digest"]["groups"][0] = json!({"documents": 2, "sum": 0.3});
    assert_eq!(told(many, "", Value::Null), "");
}

#[test]
fn a_mean_of_many_numbers_may_end_with_half_a_hundredth() {
    let of = |total: f64, mean: f64| {
        let mut many = sum();
        many["table"]["operation"] = json!("average");
        many["table"]["documents"] = json!(53);
        many["table"]["rows"][0]["cells"] = json!(["EUR", mean, 52]);
        many["digest"]["documents"] = json!(53);
        many["digest"]["groups"][0] = json!({"documents": 52, "sum": total});
        told(many, "", Value::Null)
    };
    // 7.02 / 52 is 0.135, and less than that in binary fractions.
    for (total, mean) in [(7.02, 0.14), (-7.02, -0.14), (7.54, 0.15), (52.0, 1.0)] {
        assert_eq!(of(total, mean), "", "{total}");
        // A half may be rounded in both ways, so a hundredth nearer to nought is not wrong.
        let sized = |more: f64| mean.signum() * (mean.abs() + more);
        for wrong in [sized(-0.02), sized(0.01), sized(0.005), -mean] {
            let told = of(total, wrong);
            assert!(told.contains("comes to something else"), "{total} {wrong}");
        }
    }
    assert!(of(52.0, 0.99).contains("comes to something else"));
}

#[test]
fn every_wrong_number_is_seen() {
    for (path, value, what) in [
        ("/table/documents", json!(4), "counts other documents"),
        ("/table/rows_total", json!(3), "other rows"),
        (
            "/table/rows/0/cells/1",
            json!(0.4),
            "comes to something else",
        ),
        ("/table/rows/1/cells/2", json!(2), "counts other documents"),
        ("/table/rows/0/cites", json!([9]), "cites no source"),
        ("/table/rows/0/cells", json!(["EUR"]), "other cells"),
        ("/digest/groups/0/values", json!([0.1]), "lacks values"),
        (
            "/digest/groups/0/values",
            json!([0.1, 0.3]),
            "adds up to something else",
        ),
        ("/digest/groups", json!([]), "other groups"),
    ] {
        let told = told(sum(), path, value);
        assert!(told.contains(what), "{path}: {told}");
    }
    for (path, value, what) in [
        ("/table/rows/0/cells/1", json!(5), "another order"),
        (
            "/table/rows/0/cells/0",
            json!("2.md"),
            "not of the document",
        ),
        ("/table/rows/0/cites", json!([]), "not of the document"),
        ("/table/rows", json!([]), "no file has them"),
    ] {
        let told = told(largest(), path, value);
        assert!(told.contains(what), "{path}: {told}");
    }
}
