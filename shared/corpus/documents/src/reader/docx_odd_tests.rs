//! Elements of a Word document at places where no program puts them: none may be trouble.

use super::tests::NUMBERING;
use super::*;
use proptest::prelude::*;

/// Elements that mean something to a reader, with attributes.
const ELEMENTS: [&str; 44] = [
    "w:p",
    "w:r",
    "w:t",
    "w:tbl",
    "w:tr",
    "w:tc",
    "w:pPr",
    "w:numPr",
    "w:ilvl w:val='2'",
    "w:numId w:val='1'",
    "w:gridSpan w:val='99999999'",
    "w:gridBefore w:val='9'",
    "w:vMerge",
    "w:txbxContent",
    "w:footnote w:id='1'",
    "w:footnoteReference w:id='1'",
    "w:sectPr",
    "w:headerReference r:id='a'",
    "w:lastRenderedPageBreak",
    "mc:Fallback",
    "w:sdt",
    "w:sdtContent",
    "w14:checkbox",
    "w14:checked",
    "w:sym w:font='Wingdings' w:char='F0FE'",
    "w:fldSimple w:instr='PAGE'",
    "w:fldChar w:fldCharType='begin'",
    "w:fldChar w:fldCharType='separate'",
    "w:fldChar w:fldCharType='end'",
    "w:instrText",
    "w:ffData",
    "w:ddList",
    "w:listEntry w:val='x'",
    "m:oMath",
    "m:f",
    "m:num",
    "m:rPr",
    "m:t",
    "c:chart r:id='a'",
    "p:sp",
    "p:ph type='title'",
    "a:tc hMerge='1'",
    "a:buAutoNum startAt='4294967295'",
    "a:pPr lvl='9'",
];

proptest! {
    #[test]
    fn elements_at_odd_places_are_no_trouble(steps in prop::collection::vec((0..ELEMENTS.len(), 0..3, "[a☐. ]{0,3}"), 0..120)) {
        let (mut xml, mut open) = ("<w:document>".to_owned(), vec!["w:document"]);
        for (at, step, text) in steps {
            let element = ELEMENTS[at];
            match step {
                0 => xml.push_str(&format!("<{element}/>")),
                1 if open.len() > 1 => xml.push_str(&format!("</{}>", open.pop().unwrap())),
                _ => {
                    xml.push_str(&format!("<{element}>{text}"));
                    open.push(element.split(' ').next().unwrap());
                }
            }
        }
        for name in open.into_iter().rev() {
            xml.push_str(&format!("</{name}>"));
        }
        let mut around = Around {
            numbering: Numbering::parse(NUMBERING),
            ..Around::default()
        };
        around.notes.insert(("footnote".into(), "1".into()), "note".into());
        around.drawn.insert("a".into(), vec!["drawn".into()]);
        for page in [None, Some(u32::MAX)] {
            let found = super::body::read(&xml, &mut around, page);
            prop_assert!(found.is_ok_and(|text| text.lines.iter().all(|line| !line.text.contains('\n'))));
        }
        let _ = chart::lines(&xml);
    }
}
