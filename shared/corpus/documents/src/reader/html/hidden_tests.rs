//! Tests of what is not seen of a page.

use crate::reader::ReadOptions;
use crate::reader::html::parse;

fn said(page: &str, hidden: bool) -> String {
    let parsed = parse(page, ReadOptions { hidden }).unwrap();
    let lines: Vec<String> = parsed.lines.into_iter().map(|line| line.text).collect();
    lines.join(" ")
}

/// The words of the page that are read, and that are not.
fn check(page: &str, seen: &[&str], unseen: &[&str]) {
    let (read, all) = (said(page, false), said(page, true));
    for word in seen {
        assert!(read.contains(word), "{word} in {read}\nof {page}");
    }
    for word in unseen {
        assert!(!read.contains(word), "{word} in {read}\nof {page}");
        assert!(
            all.contains(word),
            "{word} in {all}, where all is wanted\nof {page}"
        );
    }
}

#[test]
fn what_is_marked_as_hidden_is_not_read() {
    check(
        "<p>cobalt<div hidden><p>amber</div>",
        &["cobalt"],
        &["amber"],
    );
    let aloud = "a sentence of more words than an icon or a number has";
    check(
        &format!("<p>cobalt <i aria-hidden=true>home</i><p aria-hidden=true>{aloud}<p>{aloud}."),
        &["cobalt", "home", "has."],
        &[],
    );
    check(
        &format!(
            "<p>cobalt and {}<div aria-hidden=true>{aloud}</div>",
            "all the rest of it ".repeat(9)
        ),
        &["cobalt"],
        &["a sentence"],
    );
    check(
        "<p>cobalt <span hidden=until-found>amber</span>",
        &["cobalt", "amber"],
        &[],
    );
}

#[test]
fn what_is_struck_out_can_be_found() {
    check(
        "<p>It was <s>cobalt blue</s>, now <del>teal</del> red.",
        &["It was cobalt blue, now teal red."],
        &[],
    );
}

#[test]
fn styles_of_an_element_hide_it() {
    for style in [
        "display:none",
        "color: red; DISPLAY : None !important",
        "visibility:hidden",
        "font-size:0",
        "font-size: 0px",
        "opacity:0",
        "opacity: 0.0",
        "text-indent:-9999px",
        "color:#fff",
        "color:white",
        "color:#fefefe",
        "color: rgb(255, 255, 255)",
        "color:#333; background:#333333",
    ] {
        let page = format!("<p>cobalt<p style='{style}'>amber <b>ochre</b></p>");
        check(&page, &["cobalt"], &["amber", "ochre"]);
    }
}

#[test]
fn what_is_shown_inside_of_it_is_read() {
    check(
        "<ul style='font-size:0'><li style='font-size:16px'>cobalt</ul>\
         <div style='visibility:hidden'>amber <b style='visibility:visible'>teal</b></div>\
         <p style='color:#fff'>ochre <b style='color:#000'>green</b></p>\
         <div style='background:#003'><p style='color:white'>violet</p></div>\
         <table><tr bgcolor=#000000><td><font color=white>pink</font></td></tr></table>\
         <div style='background:url(x.png)'><p style='color:white'>olive</p></div>\
         <p style='text-indent:-2em;opacity:.5'>maroon</p>",
        &[
            "cobalt", "teal", "green", "violet", "pink", "olive", "maroon",
        ],
        &["amber", "ochre"],
    );
}

#[test]
fn simple_rules_of_a_page_hide() {
    check(
        "<style>/* .teal{display:none} */ .a, #b, aside { display: none } p.c.d {opacity:0}</style>\
         <p>cobalt<p class='x a'>amber</p><p id=b>ochre</p><aside>rust</aside>\
         <p class='d c'>sienna</p><p class=c>violet</p><p class=teal>teal</p>",
        &["cobalt", "violet", "teal"],
        &["amber", "ochre", "rust", "sienna"],
    );
}

#[test]
fn a_rule_that_shows_somewhere_wins() {
    check(
        "<style>@charset 'x'; .a{display:none} .a{display:block} .tab{display:none} .tab.on{display:block}\
         .wide{display:none} @media (min-width:9px){.wide{display:block} .narrow{display:none}}\
         .late{opacity:0} .loaded .late{opacity:1} @keyframes k{from{opacity:0}} body{opacity:0}\
         .x:hover{display:none} .y .z{display:none}</style>\
         <p class=a>cobalt<p class='tab on'>teal<p class=tab>amber<p class=wide>green<p class=narrow>violet\
         <p class=late>pink<p class=x>olive<p class=z>maroon",
        &[
            "cobalt", "teal", "green", "violet", "pink", "olive", "maroon",
        ],
        &["amber"],
    );
}

#[test]
fn what_a_button_opens_and_the_page_behind_a_dialog_are_read() {
    check(
        "<body><div aria-hidden=true><button aria-controls='t1 t2'>b</button><p>cobalt, and so many words that \
         they are most of the page</p><div id=t2 hidden>teal</div></div><div role=dialog>violet</div>",
        &["cobalt", "teal", "violet"],
        &[],
    );
}

#[test]
fn white_text_is_read_where_the_background_is_not_known() {
    for styles in [
        "<link rel=stylesheet href=a.css>",
        "<style>body{background:#000}</style>",
    ] {
        let page = format!("{styles}<p>cobalt<p style='color:white'>teal");
        check(&page, &["cobalt", "teal"], &[]);
    }
}

#[test]
fn many_rules_and_elements_end_in_time() {
    let rules: String = (0..6_000)
        .map(|n| format!(".a.b{n}{{display:none}}"))
        .collect();
    let page = format!(
        "<style>{rules}</style>{}<p>cobalt",
        "<b class='a b0' aria-hidden=true>".repeat(300)
    );
    let started = std::time::Instant::now();
    let _ = parse(&page, ReadOptions::default());
    assert!(started.elapsed().as_secs() < 20);
}
