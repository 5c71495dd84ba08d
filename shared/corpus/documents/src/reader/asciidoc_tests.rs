//! Tests of the text of AsciiDoc.

use super::*;
use crate::reader::TEXT_BYTES_MAX;
use crate::reader::tests::{all, body};

#[test]
fn structure_becomes_markdown_and_marks_are_removed() {
    let found = all(
        "a.adoc",
        r#"= Crane
A. Writer <a@b.c>
:limit: 40 t
// a comment

[[limits]]
== Limits

At most *{limit}*, see <<table,the table>>, `a_b` and link:x.html[site].footnote:[35 t without *sensor*.] H~2~O (https://x.y[here])

ifdef::draft[]
secret
endif::[]
////
comment
////
. Stop
. Check
** rope
Term:: words

[source,rb]
----
x = *y*
----

.Loads
[cols="1,2"]
|===
|a |*b*

|c
2+|d

more
|===

include::other.adoc[]
"#
        .as_bytes(),
    );
    let d = found[0].as_ref().unwrap();
    assert_eq!(
        (d.title.as_str(), &d.metadata["author"]),
        ("Crane", &"A. Writer".into())
    );
    assert_eq!(
        body(d),
        [
            "# Crane",
            "## Limits",
            "At most 40 t, see the table, a_b and site. [note 1] H2O (here)",
            "[note 1] 35 t without sensor.",
            "1. Stop",
            "2. Check",
            "- rope",
            "Term: words",
            "x = *y*",
            "Loads",
            "| a | b |",
            "| c | d more |",
        ]
    );
    let reason = &found[1].as_ref().unwrap_err().reason;
    assert!(reason.to_string().contains("other.adoc"), "{reason}");
}

#[test]
fn many_cells_and_conditions_are_cheap() {
    let text = format!(
        "{}[cols=\"1\"]\n|===\n{}\n|===\n{}end",
        "ifndef::a[]\n".repeat(40_000),
        "|a".repeat(400_000),
        "\n".repeat(200_000)
    );
    let found = all("a.adoc", text.as_bytes());
    let lines = body(found[0].as_ref().unwrap());
    assert_eq!(lines.last(), Some(&"end"));
    let wide = "[cols=\"18446744073709551615*,2*\"]\n|===\n|a 18446744073709551615*|b 9*|c\n|===\n";
    assert!(all("a.adoc", wide.as_bytes())[0].is_ok());
    let under = "ifdef::no[]\nifndef::no[]\na\nendif::[]\nb\nendif::[]\nendif::[]\nc\n";
    assert_eq!(
        body(all("a.adoc", under.as_bytes())[0].as_ref().unwrap()),
        ["c"]
    );
}

#[test]
fn attributes_are_replaced_as_long_as_there_is_room() {
    let mut reader = Reader::default();
    reader.attributes.insert("a".to_owned(), "words".to_owned());
    assert_eq!(reader.inline("{a} {nbsp}"), "words  ");
    assert_eq!(reader.lines.replacing(&"x".repeat(TEXT_BYTES_MAX)), None);
    assert_eq!(reader.inline("{a}"), "{a}");
    assert!(reader.lines.finish().is_err());
}
