//! Tests of rules and of what documents say themselves, one against the other.

use super::*;
use proptest::prelude::*;
use serde_json::json;

fn groups(names: &[&str]) -> Groups {
    Groups::new(names.iter().copied()).expect("groups")
}

fn rules(of: &[(&str, &[&str])]) -> AccessRules {
    let of = of.iter().map(|(path, names)| AccessRule {
        path: (*path).into(),
        groups: groups(names),
    });
    AccessRules {
        tenants: BTreeMap::from([(TenantId::default_tenant(), of.collect())]),
        ..AccessRules::default()
    }
}

fn somebody(names: &[&str]) -> Principal {
    Principal {
        tenant: TenantId::default_tenant(),
        groups: groups(names),
    }
}

#[test]
fn the_longest_path_decides() {
    let rules = rules(&[
        ("hr/", &["hr"]),
        ("hr/open/", &["*"]),
        ("hr/open/board.md", &["board"]),
        ("list.jsonl", &["board"]),
    ]);
    let none = BTreeMap::new();
    for (who, source, may) in [
        (&[][..], "a.md", true),
        (&[], "hr/pay.md", false),
        (&["hr"], "hr/pay.md", true),
        (&[], "hr/open/rules.md", true),
        (&["hr"], "hr/open/board.md", false),
        (&["board"], "hr/open/board.md", true),
        (&["hr"], "list.jsonl#7", false),
        (&["hr"], "list.jsonl.md", true),
        (&[], "hrx/pay.md", true),
        (&["*"], "hr/pay.md", true),
    ] {
        let said = rules.may_read(&somebody(who), source, &none);
        assert_eq!(said, may, "{who:?} {source}");
    }
    let other = Principal::from(TenantId::new("other").expect("a tenant"));
    assert!(rules.may_read(&other, "hr/pay.md", &none));
}

#[test]
fn readers_in_metadata() {
    for (metadata, who, may) in [
        (json!({}), &[][..], true),
        (json!({"acl": "hr"}), &["hr"], true),
        (json!({"ACL": ["law", " hr "]}), &["hr"], true),
        (json!({"acl": ["law"]}), &["hr"], false),
        (json!({"acl": ["*"]}), &[], true),
        // What says nothing clear is for nobody.
        (json!({"acl": []}), &["hr"], false),
        (json!({"acl": null}), &["hr"], false),
        (json!({"acl": 7}), &["7"], false),
        (json!({"acl": ["hr", 7]}), &["hr"], false),
        (json!({"acl": {"hr": true}}), &["hr"], false),
        (json!({"acl": "*", "Acl": "hr"}), &["hr"], false),
        (json!({"acl": []}), &["*"], true),
    ] {
        let fields: BTreeMap<String, Value> =
            serde_json::from_value(metadata.clone()).expect("fields");
        let said = AccessRules::default().may_read(&somebody(who), "a.md", &fields);
        assert_eq!(said, may, "{metadata} {who:?}");
    }
}

#[test]
fn a_file_of_rules() {
    let read =
        read_rules(br#"[{"path": "pay/", "groups": ["hr"]}, {"path": "", "groups": ["*"]}]"#);
    assert_eq!(read.expect("rules").len(), 2);
    for wrong in [
        "{}",
        r#"[{"path": "/pay/", "groups": []}]"#,
        r#"[{"path": "pay//a", "groups": []}]"#,
        r#"[{"path": "../pay/", "groups": []}]"#,
        r#"[{"path": "/", "groups": []}]"#,
        r#"[{"path": "pay/"}]"#,
        r#"[{"path": "pay/", "groups": "hr"}]"#,
        r#"[{"path": "pay/", "groups": [" "]}]"#,
        r#"[{"path": "pay/", "groups": []}, {"path": "pay/", "groups": ["hr"]}]"#,
    ] {
        assert!(read_rules(wrong.as_bytes()).is_err(), "{wrong}");
    }
}

proptest! {
    /// What is denied is exactly what may not be read.
    #[test]
    fn denied_parts_are_those_that_may_not_be_read(
        paths in prop::collection::btree_map("(|a/|a/b/|a/b/c/|b/|a/x|a/b/x|x)", 0..3_usize, 0..6),
        source in "(a/|b/|)(b/|)(c/|)(x|y|x#1)",
        mine in 0..3_usize,
    ) {
        let names = ["g0", "g1", "*"];
        let of: Vec<(&str, &[&str])> =
            paths.iter().map(|(path, n)| (path.as_str(), &names[*n..=*n])).collect();
        let (rules, me) = (rules(&of), somebody(&names[mine..=mine]));
        let denied = rules.denied(&me);
        let is_denied = denied.iter().any(|denied| {
            covers(denied.path, &source) && !denied.except.iter().any(|open| covers(open, &source))
        });
        prop_assert_eq!(is_denied, !rules.may_read(&me, &source, &BTreeMap::new()));
    }
}
