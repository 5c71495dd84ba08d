//! The marks in texts: what the check doubts and the sources of an answer, and the quoted words of a passage.

use envelope::{Support, Terminal};
use maud::{Markup, html};

/// The text of an answer: doubted sentences are underlined and say why, and numbers of citations are links. The lines of a
/// table are left out, since it is shown beside.
pub(super) fn answer(ended: &Terminal) -> Markup {
    let text = ended.answer.as_deref().unwrap_or_default();
    if ended.table.is_some() {
        let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('|')).collect();
        return linked(ended, &lines.join("\n"));
    }
    let mut parts = Vec::new();
    let mut done = 0;
    for sentence in ended
        .sentences
        .iter()
        .filter(|one| one.support.is_doubted())
    {
        let (start, end) = (sentence.start as usize, sentence.end as usize);
        let (Some(before), Some(doubted)) = (text.get(done..start), text.get(start..end)) else {
            continue;
        };
        let verdict = match sentence.support {
            Support::Contradicted => "contradicted by a source",
            _ => "not supported",
        };
        parts.push(linked(ended, before));
        parts.push(html! {
            span.doubt { (linked(ended, doubted)) }
            span.verdict { " [" (verdict) @if !sentence.reason.is_empty() { ", " (sentence.reason) } "]" }
        });
        done = end;
    }
    parts.push(linked(ended, text.get(done..).unwrap_or_default()));
    html! { @for part in parts { (part) } }
}

/// A text with links for `[n]` where there is a citation `n`, and with what stands between `**` in bold.
fn linked(ended: &Terminal, text: &str) -> Markup {
    let mut parts = text.split("**").enumerate().peekable();
    html! {
        @while let Some((n, part)) = parts.next() {
            // Without its second mark, the first one is text.
            @if n % 2 == 1 && parts.peek().is_some() { strong { (cited(ended, part)) } }
            @else if n % 2 == 1 { "**" (cited(ended, part)) }
            @else { (cited(ended, part)) }
        }
    }
}

fn cited(ended: &Terminal, text: &str) -> Markup {
    let mut pieces = text.split('[');
    html! {
        (pieces.next().unwrap_or_default())
        @for piece in pieces {
            @match piece.split_once(']').and_then(|(n, rest)| Some((n.parse().ok().filter(|n| is_known(ended, *n))?, rest))) {
                Some((n, rest)) => { (cite(ended, n)) (rest) },
                None => { "[" (piece) },
            }
        }
    }
}

fn is_known(ended: &Terminal, n: u16) -> bool {
    ended.citations.iter().any(|cited| cited.n == n)
}

/// The mark of a citation.
pub(super) fn cite(ended: &Terminal, n: u16) -> Markup {
    html! { a.cite href=(address(ended, n)) aria-label={ "Source " (n) } { (n) } }
}

/// Where the passage behind a citation is shown.
pub(super) fn address(ended: &Terminal, n: u16) -> String {
    format!("./plain?turn={}&citation={n}", ended.turn)
}

/// The parts of a text in order, each with whether it is quoted. What separates words may differ. A row of a table is quoted
/// by its values.
pub(super) fn quoted<'a>(text: &'a str, quote: &str) -> Vec<(&'a str, bool)> {
    let whole = squashed(text);
    let find = |words: &str| {
        let wanted: Vec<char> = squashed(words).into_iter().map(|(_, c)| c).collect();
        let at = (wanted.len() > 1)
            .then(|| whole.windows(wanted.len()))
            .and_then(|mut all| all.position(|of| of.iter().map(|(_, c)| c).eq(&wanted)))?;
        let (last, _) = whole[at + wanted.len() - 1];
        let end = text[last..]
            .chars()
            .next()
            .map_or(last, |c| last + c.len_utf8());
        Some((whole[at].0, end))
    };
    let mut ranges: Vec<(usize, usize)> = match find(quote) {
        Some(range) => vec![range],
        None => quote.split([';', '|']).filter_map(find).collect(),
    };
    ranges.sort_unstable();
    let (mut parts, mut done) = (Vec::new(), 0);
    for (start, end) in ranges.into_iter() {
        if start >= done {
            parts.push((&text[done..start], false));
            parts.push((&text[start..end], true));
            done = end;
        }
    }
    parts.push((&text[done..], false));
    parts
}

/// The characters that count, in lower case, each with its place.
fn squashed(text: &str) -> Vec<(usize, char)> {
    let counts = |c: &char| !c.is_whitespace() && !"|*_#`>;:-".contains(*c);
    let all = text.char_indices().filter(|(_, c)| counts(c));
    all.map(|(at, c)| (at, c.to_lowercase().next().unwrap_or(c)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use envelope::{Outcome, TenantId, TurnId, UnixMs};
    use serde_json::json;

    fn ended(answer: &str, sentences: serde_json::Value) -> Terminal {
        let turn = TurnId::new("t").expect("an id");
        let bare = Terminal::bare(
            turn,
            TenantId::default_tenant(),
            Outcome::Answered,
            UnixMs(1),
        );
        let cited = json!({"n": 2, "doc_id": "d", "chunk_id": "c", "title": "", "source": "s", "score": 1.0, "quote": ""});
        Terminal {
            answer: Some(answer.to_owned()),
            citations: vec![serde_json::from_value(cited).expect("a citation")],
            sentences: serde_json::from_value(sentences).expect("sentences"),
            ..bare
        }
    }

    #[test]
    fn an_answer_has_its_marks_and_no_markup_of_its_own() {
        let text = "Größe **5 <b>** [2]. [7] \"wahr\" ** x";
        let doubts = json!([{"start": 0, "end": 22, "support": "unsupported", "score": 0.1, "reason": "<i>"}]);
        let made = answer(&ended(text, doubts)).into_string();
        let link = "<a class=\"cite\" href=\"./plain?turn=t&amp;citation=2\" aria-label=\"Source 2\">2</a>";
        let wanted = format!(
            "<span class=\"doubt\">Größe <strong>5 &lt;b&gt;</strong> {link}.</span>\
             <span class=\"verdict\"> [not supported, &lt;i&gt;]</span> [7] &quot;wahr&quot; ** x"
        );
        assert_eq!(made, wanted);
        // A place inside a character, or behind the end, marks nothing.
        let wrong = json!([{"start": 0, "end": 3, "support": "unsupported", "score": 0.1},
            {"start": 2, "end": 900, "support": "contradicted", "score": 0.1}]);
        let made = answer(&ended(text, wrong)).into_string();
        assert!(!made.contains("doubt") && made.contains("Größe"), "{made}");
    }

    #[test]
    fn quoted_words_are_found_whatever_separates_them() {
        let marked = |text, quote| -> Vec<&str> {
            let parts = quoted(text, quote);
            assert_eq!(
                parts.iter().map(|(part, _)| *part).collect::<String>(),
                text
            );
            parts
                .into_iter()
                .filter(|(_, is_quote)| *is_quote)
                .map(|(part, _)| part)
                .collect()
        };
        assert_eq!(marked("a **Big\n  ÖL** tank", "big öl"), ["Big\n  ÖL"]);
        assert_eq!(marked("| Rate | 12 % | x |", "Rate; 12 %"), ["Rate | 12 %"]);
        assert_eq!(
            marked("rate: 7, total 12 €", "total 12; rate 7"),
            ["rate: 7", "total 12"]
        );
        for quote in ["", "no such words", "-"] {
            assert!(marked("some text", quote).is_empty(), "{quote}");
        }
    }
}
