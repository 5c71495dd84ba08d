//! Tests of the text of OpenDocument files, and of what they hide.

use crate::reader::tests::{body, read, sample};

fn flat(styles: &str, body: &str) -> Vec<u8> {
    format!(
        "<office:document xmlns:office='o' xmlns:text='t'>\
         <office:meta><dc:title>Crane &amp; rope</dc:title><meta:initial-creator>A. Writer</meta:initial-creator>\
         <dc:creator>B. Editor</dc:creator><meta:creation-date>2024-03-01T10:00:00</meta:creation-date></office:meta>\
         <office:automatic-styles>{styles}</office:automatic-styles>\
         <office:master-styles><style:master-page><style:header><text:p>Harbour Works</text:p></style:header>\
         <style:header-left><text:p>Harbour Works</text:p></style:header-left>\
         <style:footer><text:p>Edition 7</text:p></style:footer></style:master-page></office:master-styles>\
         <office:body>{body}</office:body></office:document>"
    )
    .into_bytes()
}

const LIST: &str = "<text:list-style style:name='L'>\
     <text:list-level-style-number text:level='1' style:num-format='1' style:num-suffix='.'/>\
     <text:list-level-style-number text:level='2' style:num-format='a' style:num-suffix=')' text:display-levels='2'/>\
     <text:list-level-style-bullet text:level='3'/></text:list-style>";

#[test]
fn a_text_becomes_headings_lists_rows_and_notes() {
    let d = read("a.fodt", &flat(LIST, "<office:text>\
        <text:h text:outline-level='2'>Limits</text:h>\
        <text:p>At most 40<text:s/>t<text:note><text:note-citation>1</text:note-citation><text:note-body>\
        <text:p>35 t without sensor.</text:p></text:note-body></text:note>.</text:p>\
        <text:list text:style-name='L'><text:list-item><text:p>Stop</text:p></text:list-item>\
        <text:list-item text:start-value='5'><text:p>Check</text:p><text:list><text:list-item><text:p>rope</text:p>\
        <text:list><text:list-item><text:p>ends</text:p></text:list-item></text:list></text:list-item>\
        </text:list></text:list-item></text:list>\
        <text:list text:style-name='L' text:continue-numbering='true'><text:list-item><text:p>Go</text:p></text:list-item></text:list>\
        <table:table><table:table-row><table:table-cell><text:p>a|b</text:p><text:p>c</text:p></table:table-cell>\
        <table:table-cell table:number-columns-repeated='2'><text:p>x</text:p></table:table-cell>\
        <table:table-cell table:number-columns-repeated='16000'/></table:table-row></table:table>\
        </office:text>")).unwrap();
    assert_eq!(d.title, "Crane & rope");
    assert_eq!(
        (&d.metadata["author"], &d.metadata["created"]),
        (&"A. Writer".into(), &"2024-03-01".into())
    );
    assert_eq!(
        body(&d),
        [
            "Harbour Works",
            "## Limits",
            "At most 40 t [note 1].",
            "[note 1] 35 t without sensor.",
            "1. Stop",
            "5. Check",
            "5.a) rope",
            "- ends",
            "6. Go",
            "| a/b c | x | x |",
            "Edition 7",
        ]
    );
}

#[test]
fn what_is_hidden_or_deleted_is_not_read() {
    let styles = "<style:style style:name='T1'><style:text-properties text:display='none'/></style:style>\
         <style:style style:name='P2' style:parent-style-name='T1'/>";
    let d = read("a.fodt", &flat(styles, "<office:text>\
        <text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>\
        <text:p>kept <text:span text:style-name='T1'>secret</text:span><text:change text:change-id='c'/>words\
        <office:annotation><text:p>comment</text:p></office:annotation></text:p>\
        <text:p text:style-name='P2'>secret</text:p>\
        <text:p>secret<text:hidden-paragraph text:is-hidden='true'/></text:p>\
        <text:section text:display='none'><text:p>secret</text:p></text:section></office:text>")).unwrap();
    assert_eq!(body(&d), ["Harbour Works", "kept words", "Edition 7"]);
}

#[test]
fn slides_are_pages_and_formulas_are_latex() {
    let styles = "<style:style style:name='dp2'><style:drawing-page-properties presentation:visibility='hidden'/></style:style>";
    let d = read("a.fodp", &flat(styles, "<office:presentation>\
        <draw:page><draw:frame presentation:class='outline'><draw:text-box><text:list><text:list-item><text:p>first</text:p>\
        </text:list-item></text:list></draw:text-box></draw:frame>\
        <draw:frame presentation:class='title'><draw:text-box><text:p>Start</text:p></draw:text-box></draw:frame>\
        <presentation:notes><draw:frame><draw:text-box><text:p>say hello</text:p></draw:text-box></draw:frame></presentation:notes></draw:page>\
        <draw:page draw:style-name='dp2'><draw:frame><draw:text-box><text:p>secret</text:p></draw:text-box></draw:frame></draw:page>\
        <draw:page><draw:frame><draw:text-box><text:p>Energy <draw:frame><draw:object><math:math><math:mfrac><math:mi>a</math:mi>\
        <math:msup><math:mi>b</math:mi><math:mn>2</math:mn></math:msup></math:mfrac><math:annotation>a over b</math:annotation>\
        </math:math></draw:object></draw:frame></text:p></draw:text-box></draw:frame></draw:page></office:presentation>")).unwrap();
    let lines: Vec<_> = d
        .lines
        .iter()
        .filter(|line| !line.text.is_empty())
        .collect();
    let lines: Vec<_> = lines
        .iter()
        .map(|line| (line.page.unwrap(), line.text.as_str()))
        .collect();
    assert_eq!(
        lines,
        [
            (1, "# Start"),
            (1, "- first"),
            (1, "say hello"),
            (3, "Energy $\\frac{a}{b^2}$")
        ]
    );
}

#[test]
fn repeated_and_deep_elements_are_bounded() {
    let cell = "<table:table-cell table:number-columns-repeated='4000000000'><text:p>x</text:p></table:table-cell>";
    let row =
        format!("<table:table-row table:number-rows-repeated='1000000'>{cell}</table:table-row>");
    let table = |inside: &str| {
        format!(
            "<table:table>{row}<table:table-row><table:table-cell>{inside}</table:table-cell></table:table-row></table:table>"
        )
    };
    let nested = (0..20).fold(String::new(), |inside, _| table(&inside));
    let d = read(
        "a.fodt",
        &flat("", &format!("<office:text>{nested}</office:text>")),
    )
    .unwrap();
    assert!(d.lines.len() < 200, "{}", d.lines.len());
    let deep =
        "<text:section>".repeat(95) + "<text:p>deep</text:p>" + &"</text:section>".repeat(95);
    assert!(body(&read("a.fodt", &flat("", &deep)).unwrap()).contains(&"deep"));
    let deeper = "<text:section>".repeat(100_000);
    assert_eq!(
        read("a.fodt", &flat("", &deeper)).unwrap_err().as_str(),
        "broken"
    );
    assert_eq!(
        read("a.odt", b"no OpenDocument").unwrap_err().as_str(),
        "broken"
    );
}

#[test]
fn a_text_of_libreoffice_is_read() {
    let d = read("crane.odt", &sample("crane.odt")).unwrap();
    assert_eq!(
        (d.title.as_str(), &d.metadata["author"]),
        ("Crane manual", &"A. Writer".into())
    );
    let lines = body(&d);
    for line in [
        "The limit is 40 t [note 1]. See bold and code.",
        "[note 1] With the wind sensor off the limit is 35 t.",
        "2. Second step",
        "b. inner two",
        "- nested bullet",
        "| Größe „x” | 12 € |",
    ] {
        assert!(lines.contains(&line), "{line}");
    }
}

#[test]
fn levels_that_a_list_cannot_have_are_not_counted() {
    let styles = "<text:outline-style><text:outline-level-style text:level='4000000000' style:num-format='1' \
        text:display-levels='4000000000'/></text:outline-style>";
    let text = "<office:text><text:h text:outline-level='4000000000'>Words</text:h></office:text>";
    let d = read("a.fodt", &flat(styles, text)).unwrap();
    assert!(body(&d)[1].ends_with("Words"), "{d:?}");
}
