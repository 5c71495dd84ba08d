//! What a reader, and the door itself, find in the text of a reply.

use super::*;
use envelope::{DocId, Outcome, TenantId, TurnId, UnixMs};

fn ended(answer: &str) -> Terminal {
    let turn = TurnId::new("t1").expect("an id");
    let mut ended = Terminal::bare(
        turn,
        TenantId::default_tenant(),
        Outcome::Answered,
        UnixMs(1),
    );
    ended.answer = Some(answer.into());
    ended
}

fn citation(n: u16, title: &str, page: Option<u32>) -> Citation {
    Citation {
        page_name: None,
        n,
        doc_id: DocId::new("d").expect("an id"),
        chunk_id: "d.0".into(),
        title: title.into(),
        source: "a/b.pdf".into(),
        page,
        line: 1,
        score: 1.0,
        quote: "words".into(),
    }
}

#[test]
fn the_text_has_all_that_a_reader_needs() {
    assert_eq!(of(ended("No."), "/", &[]).text, "No.");
    let mut full = ended("Größe 3 [1], or 4 [2].");
    full.citations = vec![
        citation(1, "A", Some(3)),
        citation(2, "[x](javascript:y)\n![z]", None),
    ];
    full.notices = vec!["a part is missing".into()];
    full.low_confidence = true;
    let reply = of(full.clone(), "https://h/p/", &[]);
    let text = [
        "Größe 3 [1], or 4 [2].",
        "Sources:\n- [1] [A, a/b.pdf, page 3](https://h/p/?turn=t1#citation-1)\n\
         - [2] [\\[x\\]\\(javascript:y\\) \\!\\[z\\], a/b.pdf](https://h/p/?turn=t1#citation-2)",
        "Note: a part is missing",
        "Low confidence: check this answer against its sources.",
    ]
    .join("\n\n");
    assert_eq!(reply.text, text);
    assert_eq!(without_sources(&reply.text), "Größe 3 [1], or 4 [2].");
    let first = json!({
        "start_index": 8, "end_index": 11, "title": "A, a/b.pdf, page 3", "url": "https://h/p/?turn=t1#citation-1",
    });
    assert_eq!(reply.cited[0], first);
    // Where the text is cut, what stands behind is not cited.
    let cut = of(full, "/", &["nowhere", ", or"]);
    assert_eq!((cut.text.as_str(), cut.cited.len()), ("Größe 3 [1]", 1));
}

#[test]
fn a_question_back_is_known_again() {
    let mut back = ended("");
    back.answer = None;
    let mut asked = Clarification {
        id: "t1".into(),
        kind: "ambiguous".into(),
        question: "Which?".into(),
        options: vec!["This".into(), "That".into(), "Everything".into()],
        widens: None,
        expires: None,
    };
    back.clarification = Some(asked.clone());
    back.notices = vec!["x".into()];
    let text = of(back.clone(), "/", &[]).text;
    let last = "Please answer in your next message.";
    assert_eq!(
        text,
        format!("Which?\n\n- This\n- That\n- Everything\n\nNote: x\n\n{last}")
    );
    assert!(asks_back(&text) && asks_back(&format!("{text}\n")) && !asks_back("Which?"));
    asked.widens = Some("Everything".into());
    back.clarification = Some(asked);
    let text = of(back, "/", &[]).text;
    assert!(
        !text.contains("- Everything") && text.contains("ask the model `argosy`"),
        "{text}"
    );
}
