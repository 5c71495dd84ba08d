//! Parses a streamed answer piece by piece: from server-sent events to the text, the end and the token counts. Pure.
//!
//! *Not* here: the time-outs between pieces, which are in the code that receives the pieces.

use crate::asked::Asked;
use crate::classify::classify;
use crate::constants::{BLANKS_MAX, BODY_BYTES_MAX};
use crate::error_body;
use crate::failure::Failure;
use crate::likely::Tokens;
use crate::timings::{self, Timings};
use crate::wire::Counts;
use serde::Deserialize;
use serde_json::Value;

/// What has come so far.
#[derive(Debug, Default)]
pub(crate) struct Streamed {
    /// Bytes after the last line end.
    rest: Vec<u8>,
    pub(crate) text: String,
    /// Why it ended, where the node said so.
    pub(crate) finish: Option<String>,
    /// What it cost, where the node said so.
    pub(crate) counts: Option<Counts>,
    /// The probabilities of its tokens, where they were asked for.
    pub(crate) tokens: Tokens,
    /// How long it took, where the node said so.
    pub(crate) timings: Option<Timings>,
    pub(crate) is_done: bool,
    /// Whether anything of the answer has come: even an empty piece shows that the node writes.
    pub(crate) has_begun: bool,
    /// Pieces with text, including reasoning: a model may think for long before it answers.
    pub(crate) pieces: usize,
    blanks: usize,
    events: usize,
    first_choice: bool,
}

#[derive(Deserialize)]
struct Piece {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<Counts>,
    #[serde(default, deserialize_with = "timings::tolerant")]
    timings: Option<Timings>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Delta,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    logprobs: Value,
}

#[derive(Deserialize, Default)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    /// Thoughts, as older and newer servers name them; some send both.
    #[serde(default)]
    reasoning_content: Value,
    #[serde(default)]
    reasoning: Value,
}

impl Streamed {
    /// Takes in bytes. An error may also come in the middle of an answer.
    pub(crate) fn push(&mut self, bytes: &[u8], asked: Asked) -> Result<(), Failure> {
        self.rest.extend_from_slice(bytes);
        let mut rest = std::mem::take(&mut self.rest);
        let mut from = 0;
        while let Some(end) = rest[from..].iter().position(|b| *b == b'\n') {
            self.line(&rest[from..from + end], asked)?;
            from += end + 1;
        }
        rest.drain(..from);
        if rest.len() + self.text.len() > BODY_BYTES_MAX {
            let reason = format!("answer over {BODY_BYTES_MAX} bytes");
            return Err(Failure::Garbled { reason });
        }
        self.rest = rest;
        Ok(())
    }

    /// The body has ended: a last line without a line end counts as well.
    pub(crate) fn end(&mut self, asked: Asked) -> Result<(), Failure> {
        let rest = std::mem::take(&mut self.rest);
        self.line(&rest, asked)
    }

    /// Whether only white space has come for so long that no text will follow: grammars allow it without end, and
    /// small models then write nothing else.
    pub(crate) fn is_blank(&self) -> bool {
        self.blanks > BLANKS_MAX
    }

    /// Whether no event at all has come.
    pub(crate) fn is_mute(&self) -> bool {
        self.events == 0
    }

    fn line(&mut self, line: &[u8], asked: Asked) -> Result<(), Failure> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        // Comments, event names and blank lines say nothing.
        let Some(data) = line.strip_prefix(b"data:") else {
            return Ok(());
        };
        self.events += 1;
        let data = data.trim_ascii();
        if data == b"[DONE]" {
            self.is_done = true;
            return Ok(());
        }
        let piece: Piece = serde_json::from_slice(data).map_err(|error| Failure::Garbled {
            reason: format!("a piece of the stream is no JSON: {error}"),
        })?;
        if let Some(error) = piece.error.filter(|error| !error.is_null()) {
            let said = error_body::from_json(&serde_json::json!({ "error": error }));
            let status = said.code.filter(|code| (400..600).contains(code));
            return Err(classify(status.unwrap_or(500), said, None, asked));
        }
        self.counts = piece.usage.or(self.counts.take());
        self.timings = piece.timings.or(self.timings);
        if let Some(choice) = piece.choices.into_iter().next() {
            self.tokens.push(&choice.logprobs, asked);
            self.choice(choice);
        }
        Ok(())
    }

    fn choice(&mut self, choice: Choice) {
        let Delta {
            content,
            reasoning_content,
            reasoning,
        } = choice.delta;
        let text = content.unwrap_or_default();
        // The first piece of most servers names the role and has an empty text.
        let mut thoughts = [reasoning_content, reasoning].into_iter();
        let thinks = thoughts.any(|thought| thought.as_str().is_some_and(|text| !text.is_empty()));
        let says = thinks || !text.is_empty();
        self.pieces += usize::from(says);
        self.has_begun |= says || self.first_choice;
        self.first_choice = true;
        self.blanks = match text.trim_end().len() {
            0 => self.blanks + text.len(),
            end => text.len() - end,
        };
        self.text.push_str(&text);
        self.finish = choice.finish_reason.or(self.finish.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn piece(text: &str) -> String {
        let json = serde_json::json!({"choices": [{"delta": {"content": text}}]});
        format!("data: {json}\n\n")
    }

    fn all(parts: &[&[u8]]) -> Result<Streamed, Failure> {
        let mut streamed = Streamed::default();
        for part in parts {
            streamed.push(part, Asked::default())?;
        }
        streamed.end(Asked::default())?;
        Ok(streamed)
    }

    #[test]
    fn joins_the_pieces_and_reads_the_counts() {
        let body = format!(
            ": hello\r\n\r\ndata: {{\"choices\":[{{\"delta\":{{\"role\":\"assistant\"}}}}]}}\n\n{}{}\
             data: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\n\
             data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":3,\"completion_tokens\":2}}}}\n\n\
             data: [DONE]\n\n",
            piece("{\"a\""),
            piece(": 1}"),
        );
        let streamed = all(&[body.as_bytes()]).unwrap();
        assert_eq!(streamed.text, "{\"a\": 1}");
        assert_eq!(streamed.finish.as_deref(), Some("stop"));
        assert!(streamed.is_done && streamed.has_begun && streamed.counts.is_some());
    }

    #[test]
    fn the_probabilities_of_all_pieces_are_one_list() {
        let asked = Asked {
            json: None,
            likely: 1,
            tokens_max: 9,
        };
        let mut streamed = Streamed::default();
        for (text, tokens) in [("", &[][..]), ("The ", &["The", " "]), ("end", &["end"])] {
            let tokens = tokens
                .iter()
                .map(|token| serde_json::json!({"token": token, "logprob": -0.5}));
            let content: Vec<_> = tokens.collect();
            let choice =
                serde_json::json!({"delta": {"content": text}, "logprobs": {"content": content}});
            let event = format!("data: {}\n\n", serde_json::json!({"choices": [choice]}));
            streamed.push(event.as_bytes(), asked).unwrap();
        }
        let texts: String = streamed
            .tokens
            .end()
            .into_iter()
            .map(|token| token.text)
            .collect();
        assert_eq!(
            (texts.as_str(), streamed.text.as_str()),
            ("The end", "The end")
        );
    }

    #[test]
    fn the_piece_that_names_the_role_is_not_the_first_token() {
        let mut streamed = Streamed::default();
        let role =
            b"data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
        streamed.push(role, Asked::default()).unwrap();
        assert!(!streamed.has_begun);
        streamed
            .push(piece("x").as_bytes(), Asked::default())
            .unwrap();
        assert!(streamed.has_begun);
    }

    #[test]
    fn a_thought_is_progress_under_either_name_and_no_text() {
        for delta in [
            r#"{"reasoning_content":"hm"}"#,
            r#"{"reasoning":"hm","content":null}"#,
            r#"{"reasoning":"hm","reasoning_content":"hm","content":""}"#,
        ] {
            let event = format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n");
            let streamed = all(&[event.as_bytes()]).unwrap();
            assert_eq!((streamed.pieces, streamed.has_begun), (1, true), "{delta}");
            assert_eq!(streamed.text, "");
        }
        let other =
            all(&[b"data: {\"choices\":[{\"delta\":{\"reasoning\":{\"x\":1}}}]}\n\n"]).unwrap();
        assert_eq!(other.pieces, 0);
    }

    #[test]
    fn white_space_without_end_is_noticed() {
        let mut streamed = Streamed::default();
        streamed
            .push(piece("{").as_bytes(), Asked::default())
            .unwrap();
        for _ in 0..BLANKS_MAX {
            streamed
                .push(piece(" ").as_bytes(), Asked::default())
                .unwrap();
        }
        assert!(!streamed.is_blank());
        streamed
            .push(piece("\n").as_bytes(), Asked::default())
            .unwrap();
        assert!(streamed.is_blank());
        streamed
            .push(piece("}").as_bytes(), Asked::default())
            .unwrap();
        assert!(!streamed.is_blank());
    }

    #[test]
    fn an_error_inside_a_stream_keeps_its_class() {
        let error = "data: {\"error\":{\"code\":503,\"message\":\"Loading model\"}}\n\n";
        let failed = all(&[piece("x").as_bytes(), error.as_bytes()]).unwrap_err();
        assert!(matches!(failed, Failure::Busy { .. }), "{failed:?}");
        let failed = all(&[b"data: nonsense\n"]).unwrap_err();
        assert!(matches!(failed, Failure::Garbled { .. }), "{failed:?}");
    }

    proptest! {
        #[test]
        fn however_the_bytes_are_cut_the_text_is_the_same(
            texts in prop::collection::vec("\\PC{0,12}", 0..8), cut in 1usize..9,
        ) {
            let body: String = texts.iter().map(|text| piece(text)).collect();
            let parts: Vec<&[u8]> = body.as_bytes().chunks(cut).collect();
            prop_assert_eq!(all(&parts).unwrap().text, texts.concat());
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = all(&[b"data: ", &bytes]);
        }
    }
}
