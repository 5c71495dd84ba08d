//! Reads what a model's reply reports beside the answer: contradictions between its sources, and things to do.
//!
//! A remark has to name a source that the answer was made from; any other line is dropped. A small model also writes of
//! contradictions where there is none, so two of the named sources have to bear one out: each gives a figure of the
//! line that the other does not give, or one of them denies something and the other does not.

use crate::marks;
use envelope::Citation;
use envelope::remark::{REMARK_CHARS_MAX, REMARKS_MAX, Remark};
use std::collections::BTreeSet;
use text::alignment::AlignedText;
use text::{is_of, line_of};

/// The beginning of a line that states a contradiction, as prompts of users may tell models to write it.
const CONTRADICTION: &str = "contradiction:";
/// Words that deny something.
const DENYING: &str = "not no never without cannot neither nor none";
/// The least share of an item's words that must stand in the answer.
const ITEM_SHARE_MIN: f32 = 0.5;

/// The contradictions that an answer states: the lines that begin so and that two of their sources bear out. The other
/// such lines of the answer lose the label.
pub(crate) fn contradictions(answer: &mut String, sources: &[Citation]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let lines = answer.lines().map(|line| {
        let Some(said) = contradiction(line) else {
            return line.to_owned();
        };
        let remark = remark(said, sources);
        match is_borne_out(said, &remark, sources) {
            true => {
                remarks.push(remark);
                line.to_owned()
            }
            false => capitalised(said),
        }
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    *answer = text;
    remarks.truncate(REMARKS_MAX);
    remarks
}

/// What a line says after the label of a contradiction, if it has it.
fn contradiction(line: &str) -> Option<&str> {
    let line = bare(line);
    let label = line.get(..CONTRADICTION.len())?;
    let is_one = label.eq_ignore_ascii_case(CONTRADICTION);
    is_one.then(|| line[label.len()..].trim_start_matches(['*', ' ']))
}

fn is_borne_out(said: &str, remark: &Remark, sources: &[Citation]) -> bool {
    let named = sources
        .iter()
        .filter(|source| remark.chunks.contains(&source.chunk_id));
    let quotes: Vec<&str> = named.map(|source| source.quote.as_str()).collect();
    let all = figures(&marks::removed(said));
    let given =
        |quote: &str| -> BTreeSet<String> { figures(quote).intersection(&all).cloned().collect() };
    let differ = |one: &str, other: &str| {
        let (one_gives, other_gives) = (given(one), given(other));
        let is_other_figure =
            !one_gives.is_subset(&other_gives) && !other_gives.is_subset(&one_gives);
        is_other_figure || denies(one) != denies(other)
    };
    let mut pairs = quotes.iter().enumerate().flat_map(|(at, one)| {
        let others = &quotes[at + 1..];
        others.iter().map(move |other| (*one, *other))
    });
    pairs.any(|(one, other)| differ(one, other))
}

/// The runs of letters, digits and marks in which there is a digit.
fn figures(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | '-');
    let runs = text.split(|c: char| !is_part(c));
    let runs = runs.map(|run| run.trim_matches(['.', ',', '-']));
    let with_digits = runs.filter(|run| run.contains(|c: char| c.is_ascii_digit()));
    with_digits.map(str::to_lowercase).collect()
}

fn denies(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| is_of(&word.to_lowercase(), DENYING))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

/// The things to do that a model reads out of `answer`, one a line. Each has a source, and an item that the answer
/// does not say is dropped.
pub(crate) fn action_items(written: &str, answer: &str, sources: &[Citation]) -> Vec<Remark> {
    let said = AlignedText::new(answer, &[]);
    let written = marks::normal(written);
    let remarks = written.lines().map(|line| remark(bare(line), sources));
    let told = remarks
        .filter(|item| !item.chunks.is_empty() && said.align(&item.text, ITEM_SHARE_MIN).is_some());
    told.take(REMARKS_MAX).collect()
}

/// A line without list signs and emphasis at its beginning.
fn bare(line: &str) -> &str {
    let line = line.trim().trim_start_matches(['-', '*', '•', ' ']);
    let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = after
        .strip_prefix(". ")
        .or_else(|| after.strip_prefix(") "));
    item.filter(|_| after.len() < line.len()).unwrap_or(line)
}

/// A line with the sources that it names, each once.
fn remark(line: &str, sources: &[Citation]) -> Remark {
    let mut chunks: Vec<String> = Vec::new();
    for n in marks::named(line) {
        let source = sources.iter().find(|source| source.n == n);
        let chunk = source.map(|source| &source.chunk_id);
        chunks.extend(chunk.filter(|chunk| !chunks.contains(chunk)).cloned());
    }
    Remark {
        text: line_of(&marks::removed(line), REMARK_CHARS_MAX),
        chunks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Evidence;
    use crate::pruning::Reading;
    use crate::quote::citations;
    use testkit::model::passage;

    fn sources_of(texts: [&str; 2]) -> Vec<Citation> {
        let passages = [("a", texts[0]), ("b", texts[1])].map(|(id, text)| passage(id, text));
        let read = passages.map(Reading::from).into();
        let (evidence, _) = Evidence::of_passages(read, &[], 1_000);
        let mut citations = citations(&evidence, "").0;
        for (citation, text) in citations.iter_mut().zip(texts) {
            citation.quote = text.to_owned();
        }
        citations
    }

    fn sources() -> Vec<Citation> {
        sources_of(["The pump weighs 9 kg.", "The pump weighs 11 kg."])
    }

    #[test]
    fn a_contradiction_has_two_sides_with_a_source_each() {
        let mut answer = "It is blue [1].\n**Contradiction:** it weighs 9 kg [1], but 11 kg [2].\n\
                      contradiction: one side alone [1][1].\nContradiction: of nothing [7][8].\nA contradiction: no [1][2]."
            .to_owned();
        let found = contradictions(&mut answer, &sources());
        let wanted = Remark {
            text: "it weighs 9 kg, but 11 kg.".into(),
            chunks: vec!["a.0".into(), "b.0".into()],
        };
        assert_eq!(found, [wanted]);
        assert_eq!(
            answer,
            "It is blue [1].\n**Contradiction:** it weighs 9 kg [1], but 11 kg [2].\nOne side alone [1][1].\n\
             Of nothing [7][8].\nA contradiction: no [1][2]."
        );
    }

    #[test]
    fn sources_that_agree_bear_no_contradiction_out() {
        let says = "Contradiction: it weighs 9 kg [1], or 11 kg [2].";
        for (texts, is_one) in [
            (["It weighs 9 kg.", "It weighs 11 kg."], true),
            (["It weighs 9 kg.", "It weighs 9 kg."], false),
            (["It weighs 9 kg or 11 kg.", "It weighs 11 kg."], false),
            (["It weighs 9 kg.", "It is blue."], false),
            (["It fits.", "It does not fit."], true),
        ] {
            let found = contradictions(&mut says.to_owned(), &sources_of(texts));
            assert_eq!(found.len(), usize::from(is_one), "{texts:?}");
        }
    }

    #[test]
    fn an_item_has_a_source_and_stands_in_the_answer() {
        let answer =
            "Either party may end it with 60 days' notice [1]. The notice is given in writing [2].";
        let written = "Here they are:\n- Give 60 days' notice to end it [1]\n2. Give notice in writing [Source 2].\n\
                       - Give 30 days' notice [1]\n- Call Zorvex [1]\n- Give notice";
        let items = action_items(written, answer, &sources());
        let told: Vec<_> = items
            .iter()
            .map(|item| (item.text.as_str(), item.chunks.len()))
            .collect();
        assert_eq!(
            told,
            [
                ("Give 60 days' notice to end it", 1),
                ("Give notice in writing.", 1)
            ]
        );
        assert_eq!(action_items("none", answer, &sources()), []);
    }
}
