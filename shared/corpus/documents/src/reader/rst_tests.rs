//! Tests of the text of reStructuredText.

use super::*;
use crate::reader::TEXT_BYTES_MAX;
use crate::reader::tests::{all, body, read};

#[test]
fn structure_becomes_markdown_and_marks_are_removed() {
    let d = read(
        "a.rst",
        r#"
=====
Crane
=====

.. _limits:

Limits
======

At most **40** t\ :sup:`2`, see :ref:`the table
<table>`, ``a*b`` and `site <http://x>`_ [1]_; |own| :math:`x^2`, a_b_c.

.. [1] 35 t without sensor.
.. |own| replace:: our words
.. a comment
   of two lines

Steps
-----

#. Stop
#. Check

   * rope
   * ends

Code::

   x = *y*

.. note:: Wind
   counts **too**.

.. image:: x.png
   :alt: A crane

+-------+-----+
| Item  | t   |
+=======+=====+
| two   | 7   |
| lines |     |
+-------+-----+

====  =====
Über  Other
====  =====
a     b
      c
====  =====

.. csv-table:: Loads
   :header: "K", "V"

   "1,5", 2

.. list-table::

   * - p
     - q
"#
        .as_bytes(),
    )
    .unwrap();
    assert_eq!(d.title, "Crane");
    assert_eq!(
        body(&d),
        [
            "# Crane",
            "## Limits",
            "At most 40 t2, see the table, a*b and site [1]; our words $x^2$, a_b_c.",
            "[1] 35 t without sensor.",
            "### Steps",
            "1. Stop",
            "2. Check",
            "- rope",
            "- ends",
            "Code:",
            "  x = *y*",
            "Wind",
            "counts too.",
            "A crane",
            "| Item | t |",
            "| two lines | 7 |",
            "| Über | Other |",
            "| a | b c |",
            "Loads",
            "| K | V |",
            "| 1,5 | 2 |",
            "| p | q |",
        ]
    );
}

#[test]
fn files_that_are_included_are_named() {
    let found = all("a.rst", b"Words\n\n.. include:: other.txt\n");
    let reason = &found[1].as_ref().unwrap_err().reason;
    assert!(reason.to_string().contains("other.txt"), "{reason}");
}

#[test]
fn an_empty_comment_leaves_what_is_below_it() {
    let d = read("a.rst", b"One.\n\n..\n\n   The code is K-7.\n").unwrap();
    assert_eq!(body(&d), ["One.", "The code is K-7."]);
}

#[test]
fn wide_tables_and_directives_in_each_other_are_cheap() {
    let table = format!("{}\n{}", "== ".repeat(660).trim(), "\na".repeat(200_000));
    let d = read("a.rst", table.as_bytes()).unwrap();
    assert_eq!(body(&d).last(), Some(&"| a |"));
    let deep: String = (0..1_500)
        .map(|i| format!("{}.. note:: x\n", " ".repeat(i)))
        .collect();
    let d = read("a.rst", (deep + &"\n".repeat(1_000_000) + "end").as_bytes()).unwrap();
    assert_eq!((body(&d).len(), body(&d)[1_500]), (1_501, "end"));
}

#[test]
fn a_row_may_go_on_in_columns_that_its_first_line_does_not_reach() {
    let table = "===  ===  ===\na    b\n     c    d\n===  ===  ===\n";
    assert_eq!(
        body(&read("a.rst", table.as_bytes()).unwrap()),
        ["| a | b c | d |"]
    );
}

#[test]
fn names_are_replaced_as_long_as_there_is_room() {
    let mut reader = Reader::default();
    reader.replaced.insert("a", "words");
    assert_eq!(reader.inline("|a| b"), "words b");
    assert_eq!(reader.lines.replacing(&"x".repeat(TEXT_BYTES_MAX)), None);
    assert_eq!(reader.inline("|a| b"), "|a| b");
    assert!(reader.lines.finish().is_err());
}
