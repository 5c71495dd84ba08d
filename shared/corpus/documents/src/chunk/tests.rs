//! Tests of where text is cut, and where it is not.

use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

fn lines(text: &str) -> Vec<NumberedLine> {
    text.split('\n')
        .zip(1..)
        .map(|(text, number)| NumberedLine {
            number,
            page: None,
            text: text.into(),
        })
        .collect()
}

fn cut(text: &str) -> Vec<Piece> {
    chunks(&lines(text))
}

#[test]
fn tokens_are_counted_by_runs() {
    for (text, count) in [
        ("", 0),
        ("one two", 2),
        ("a-b", 3),
        ("$1,200.50", 6),
        ("日本語 x", 4),
        ("...---", 1),
        ("abcdefghijklmnopq", 2),
    ] {
        assert_eq!(tokens(text), count, "{text:?}");
    }
}

#[test]
fn small_text_is_one_piece_as_it_stands() {
    let text = "# Lease\n\nNo pets. See Art. 5 for more.\n- first\n- second";
    let pieces = cut(text);
    assert_eq!(pieces.len(), 1);
    assert_eq!(pieces[0].text, text);
    assert_eq!(pieces[0].headings, ["Lease"]);
    assert_eq!(pieces[0].line, 1);
}

#[test]
fn sections_are_kept_apart_when_they_are_large_enough() {
    let body = "The tenant pays the rent on the first day of each month in advance. ".repeat(8);
    let pieces = cut(&format!("# A\n{body}\n## B\n{body}\n# C\n{body}"));
    let headings: Vec<_> = pieces.iter().map(|p| p.headings.join("/")).collect();
    assert_eq!(headings, ["A", "A/B", "C"]);
    assert_eq!(pieces.iter().map(|p| p.line).collect::<Vec<_>>(), [1, 3, 5]);
    assert!(
        pieces[1].text.starts_with("## B\n\nThe tenant") || pieces[1].text.starts_with("## B\nThe")
    );
}

#[test]
fn sentences_are_whole_and_overlap() {
    let text = (1..=60)
        .map(|i| format!("Sentence number {i} stands here for the test."))
        .collect::<Vec<_>>()
        .join(" ");
    let pieces = cut(&text);
    assert!(pieces.len() > 1);
    for pair in pieces.windows(2) {
        assert!(pair[0].text.ends_with('.'));
        assert!(pair[1].text.starts_with("Sentence number"));
        let last = pair[0].text.rsplit("Sentence").next().unwrap();
        assert!(pair[1].text.contains(last), "{last:?} is repeated");
    }
}

#[test]
fn tables_are_cut_between_rows_and_repeat_their_header() {
    let rows: Vec<_> = (0..80).map(|i| format!("| item {i} | {i}.50 |")).collect();
    let pieces = cut(&format!("| name | price |\n|---|---|\n{}", rows.join("\n")));
    assert!(pieces.len() > 1);
    for piece in &pieces {
        assert!(
            piece.text.starts_with("| name | price |\n"),
            "{}",
            piece.text
        );
        assert!(
            piece
                .text
                .lines()
                .all(|l| l.starts_with('|') && l.ends_with('|'))
        );
    }
    assert!(pieces[1].line > pieces[0].line);
}

#[test]
fn headings_go_with_what_follows() {
    let body = "Word after word fills this section nearly to the brim now. ".repeat(7);
    let long = "another long sentence without any end ".repeat(36);
    for piece in cut(&format!("# A\n{body}\n\n# B\n{long}")) {
        assert!(!piece.text.ends_with("# B"), "{}", piece.text);
    }
}

#[test]
fn chunks_keep_to_the_sizes_of_the_options() {
    let text = "The gate opens at six and closes at nine in the evening. ".repeat(60);
    let cut = |tokens, overlap| Options { tokens, overlap }.cut(&lines(&text));
    let (usual, small, apart) = (cut(256, 26), cut(64, 12), cut(64, 0));
    assert_eq!(usual, chunks(&lines(&text)));
    assert!(small.len() > usual.len() * 3);
    let words = |pieces: &[Piece]| {
        pieces
            .iter()
            .map(|p| p.text.split_whitespace().count())
            .sum::<usize>()
    };
    assert!(words(&small) > words(&apart), "nothing is repeated");
    assert_eq!(text.split_whitespace().count(), words(&apart));
    let names = [
        Options::default().name(),
        Options {
            tokens: 64,
            overlap: 0,
        }
        .name(),
    ];
    assert_eq!(names, ["chunk-3/256/26", "chunk-3/64/0"]);
}

#[test]
fn headings_inside_code_are_none() {
    let pieces = cut("```\n# comment\n```\ntext");
    assert_eq!(pieces[0].headings, Vec::<String>::new());
}

#[test]
fn a_huge_line_is_no_problem() {
    let pieces = cut(&"many words without an end ".repeat(8_000));
    assert!(pieces.len() > 100);
    assert!(pieces.iter().all(|p| tokens(&p.text) <= CHUNK_TOKENS_MAX));
    assert!(
        cut(&"x".repeat(200_000))
            .iter()
            .all(|p| tokens(&p.text) <= CHUNK_TOKENS_MAX)
    );
    assert!(cut(&"a.".repeat(100_000)).len() > 100);
}

#[test]
fn numbers_and_initials_end_no_sentence() {
    let text = "1. Dr. J. Smith signed. ".to_owned()
        + &"It was e.g. No. 5 of it, Inc. and all that. ".repeat(40);
    for piece in cut(&text) {
        assert!(
            !["Dr.", "J.", "1.", "No."]
                .iter()
                .any(|end| piece.text.ends_with(end))
        );
    }
}

/// Words, punctuation, structure and long runs, as corpora have them.
fn any_text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        8 => "[a-zA-Zäß0-9]{1,9}",
        1 => "[A-Z]{2}-[0-9]{1,6}",
        1 => "[日本語文。]{1,12}",
        1 => "[=.#|-]{1,30}",
    ];
    let gap = prop_oneof![
        12 => Just(" "), 3 => Just(". "), 2 => Just("\n"), 1 => Just("\n\n"), 1 => Just("\n# "),
        1 => Just("\n| "), 1 => Just(" | "), 1 => Just("\n- "), 1 => Just("\t"), 1 => Just("\n```\n"),
    ];
    prop::collection::vec((part, gap), 0..900).prop_map(|parts| {
        parts
            .into_iter()
            .flat_map(|(a, b)| [a, b.to_owned()])
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_is_lost_and_limits_hold(text in any_text()) {
        let pieces = cut(&text);
        let mut kept = HashSet::new();
        for piece in &pieces {
            prop_assert!(tokens(&piece.text) <= CHUNK_TOKENS_MAX, "{} tokens", tokens(&piece.text));
            prop_assert!(!piece.text.trim().is_empty());
            prop_assert!(piece.line >= 1 && piece.line as usize <= text.split('\n').count());
            kept.extend(piece.text.split_whitespace());
        }
        for word in text.split_whitespace() {
            prop_assert!(kept.contains(word) || word.contains('。'), "lost {word:?}");
        }
        for word in kept {
            prop_assert!(text.contains(word), "made up {word:?}");
        }
    }

    #[test]
    fn any_size_keeps_its_limit(text in any_text(), size in 32usize..600, overlap in 0usize..300) {
        let options = Options { tokens: size, overlap: overlap.min(size / 2) };
        let pieces = options.cut(&lines(&text));
        prop_assert!(pieces.iter().all(|p| tokens(&p.text) <= size));
        let kept: HashSet<_> = pieces.iter().flat_map(|p| p.text.split_whitespace()).collect();
        for word in text.split_whitespace() {
            prop_assert!(kept.contains(word) || word.contains('。') || tokens(word) > size, "lost {word:?}");
        }
    }

    #[test]
    fn any_text_terminates_and_is_deterministic(text in "(?s).{0,2000}") {
        let pieces = cut(&text);
        prop_assert!(pieces.iter().all(|p| tokens(&p.text) <= CHUNK_TOKENS_MAX));
        prop_assert_eq!(pieces, cut(&text));
    }

    #[test]
    fn counts_add_up(a in "\\PC{0,60}", b in "\\PC{0,60}") {
        let (a, b) = (a.trim(), b.trim());
        prop_assert_eq!(tokens(&format!("{a} {b}")), tokens(a) + tokens(b));
    }
}
