//! Reads what a model's reply reports beside the answer: contradictions between its sources, and things to do.
//!
//! A remark has to name a source that the answer was made from; any other line is dropped. *Not* here: whether the
//! sources really contradict each other. The model that read them says so, and users see both sides.

use crate::marks;
use envelope::Citation;
use envelope::remark::{REMARK_CHARS_MAX, REMARKS_MAX, Remark};
use text::alignment::AlignedText;
use text::line_of;

/// The beginning of a line that states a contradiction; prompts tell models to write it.
const CONTRADICTION: &str = "contradiction:";
/// The least share of an item's words that must stand in the answer.
const ITEM_SHARE_MIN: f32 = 0.5;

/// The contradictions that an answer states: the lines that begin so and name at least two sources.
pub(crate) fn contradictions(answer: &str, sources: &[Citation]) -> Vec<Remark> {
    let lines = answer.lines().filter_map(|line| {
        let line = bare(line);
        let label = line.get(..CONTRADICTION.len())?;
        let is_one = label.eq_ignore_ascii_case(CONTRADICTION);
        is_one.then(|| &line[label.len()..])
    });
    let remarks = lines.map(|line| remark(line.trim_start_matches('*'), sources));
    remarks
        .filter(|remark| remark.chunks.len() >= 2)
        .take(REMARKS_MAX)
        .collect()
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

    fn sources() -> Vec<Citation> {
        let passages = ["a", "b"].map(|id| passage(id, "The pump weighs 9 kg."));
        let read = passages.map(Reading::from).into();
        let (evidence, _) = Evidence::of_passages(read, &[], 1_000);
        citations(&evidence, "").0
    }

    #[test]
    fn a_contradiction_has_two_sides_with_a_source_each() {
        let answer = "It is blue [1].\n**Contradiction:** it weighs 9 kg [1], but 11 kg [2].\n\
                      contradiction: one side alone [1][1].\nContradiction: of nothing [7][8].\nA contradiction: no [1][2].";
        let found = contradictions(answer, &sources());
        let wanted = Remark {
            text: "it weighs 9 kg, but 11 kg.".into(),
            chunks: vec!["a.0".into(), "b.0".into()],
        };
        assert_eq!(found, [wanted]);
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
