//! Tests of the text of RTF files, and of what they hide.

use crate::reader::tests::{body, read, sample};

#[test]
fn a_text_becomes_headings_lists_rows_and_notes() {
    let d = read(
        "a.rtf",
        br"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset204 Arial;}}
{\stylesheet{\s0 Normal;}{\s3\outlinelevel1 Second;}{\s4 heading 1;}}
{\info{\title Crane {\b manual}}{\author A. Writer}{\operator Someone}{\creatim\yr2024\mo3\dy1\hr9}}
{\header\pard Harbour Works\par}{\headerl\pard Harbour Works\par}{\footer Edition 7}
\pard\s4 Limits\par \pard\s3 Wind\par
\pard At most 40\~t{\super\chftn{\footnote\pard{\chftn} 35 t without sensor.}}.\par
{\listtext\pard\plain 1.\tab}Stop\par{\listtext\'B7\tab}rope\par
\trowd\pard\intbl a|b\par c\cell x\cell\row\trowd\pard\intbl 1\cell 2\cell\row
\pard gr\'f6\'dfer \u8364? {\uc2\u-10179\'3f\'3f\u-8704 ??} {\f1\'cf\'f0\'e8} \ldblquote q\rdblquote\emdash{\*\unknown gone}{\pict 89504e47}\par}",
    )
    .unwrap();
    assert_eq!(d.title, "Crane manual");
    assert_eq!(
        (&d.metadata["author"], &d.metadata["created"]),
        (&"A. Writer".into(), &"2024-03-01".into())
    );
    assert_eq!(
        body(&d),
        [
            "Harbour Works",
            "# Limits",
            "## Wind",
            "At most 40 t [note 1].",
            "[note 1] 35 t without sensor.",
            "1. Stop",
            "- rope",
            "| a/b c | x |",
            "| 1 | 2 |",
            "größer € 😀 При “q”—",
            "Edition 7",
        ]
    );
}

#[test]
fn what_is_hidden_or_deleted_is_not_read() {
    let rtf = br"{\rtf1 kept {\v secret}\v secret\v0 {\deleted gone}{\field{\*\fldinst HYPERLINK x}{\fldrslt words}}\plain{\*\annotation no}{\bin5 }}}} !\par}";
    assert_eq!(body(&read("a.rtf", rtf).unwrap()), ["kept words!"]);
}

#[test]
fn what_cannot_be_followed_is_named_or_read_as_far_as_it_goes() {
    assert_eq!(read("a.rtf", b"no RTF").unwrap_err().as_str(), "broken");
    let deep = b"{\\rtf1 ".repeat(100_000);
    assert_eq!(read("a.rtf", &deep).unwrap_err().as_str(), "broken");
    for cut in [
        r"{\rtf1 words\",
        r"{\rtf1 words\'",
        r"{\rtf1 words{\footnote",
        r"{\rtf1 words\bin99999",
    ] {
        assert!(
            body(&read("a.rtf", cut.as_bytes()).unwrap())[0].starts_with("words"),
            "{cut}"
        );
    }
}

#[test]
fn a_text_of_libreoffice_is_read() {
    let d = read("crane.rtf", &sample("crane.rtf")).unwrap();
    assert_eq!(d.title, "Crane manual");
    let lines = body(&d);
    for line in [
        "# Safety",
        "The limit is 40 t [note 1]. See bold and code.",
        "[note 1] With the wind sensor off the limit is 35 t.",
        "2. Second step",
        "| Größe „x” | 12 € |",
        "日本語テキスト and Привет.",
    ] {
        assert!(lines.contains(&line), "{line}");
    }
}

#[test]
fn many_notes_and_many_headers_are_cheap() {
    let notes = format!(
        r"{{\rtf1 a{}{}\par}}",
        ".".repeat(500_000),
        r"{\footnote n}".repeat(20_000)
    );
    let d = read("a.rtf", notes.as_bytes()).unwrap();
    assert!(body(&d)[0].ends_with(". [note 1] [note 2]") || body(&d)[0].ends_with("[note 20000]."));
    let lines: String = (0..100_000)
        .map(|i| format!(r"a{i}\par a{i}\par "))
        .collect();
    let d = read(
        "a.rtf",
        format!(r"{{\rtf1{{\header {lines}}}b\par}}").as_bytes(),
    )
    .unwrap();
    assert_eq!(body(&d).len(), 100_001);
}

#[test]
fn a_mark_of_a_note_stands_before_one_sign_and_one_blank() {
    for (text, marked) in [
        ("a", "a [1]"),
        ("a.", "a [1]."),
        ("a. ", "a [1]. "),
        ("", " [1]"),
        ("a。", "a [1]。"),
    ] {
        let mut found = text.to_owned();
        crate::reader::lines::push_mark(&mut found, "[1]");
        assert_eq!(found, marked);
    }
}
