//! The reducer of the offline reader: the sentences that cover the question best, joined and cited.

use super::bag::{Sought, Words};
use super::lexicon::Lexicon;
use super::map;
use super::question::{Question, Term};
use super::score::{Passage, Reading};
use super::units::Unit;
use llm::tokens;
use text::{Language, overlap, words};

/// What is said when nothing answers.
const NOTHING: &str = "No relevant information found.";
/// Most sentences of an answer.
const SENTENCES_MAX: usize = 3;
/// Most sentences when things are compared.
const COMPARED_MAX: usize = 4;
/// Least score of a further sentence, as a share of the best one.
const FURTHER_MIN: f32 = 0.75;
/// The same for the best one of another source: it may disagree.
const OTHER_SOURCE_MIN: f32 = 0.6;
/// Share of common words from which two facts say the same.
const SAME_MIN: f32 = 0.8;

/// A fact that may enter the answer.
#[derive(Clone)]
struct Candidate {
    n: u16,
    text: String,
    score: f32,
}

/// The answer out of `[n] fact` lines.
pub(super) fn gather(lexicon: &Lexicon, question: &str, facts: &str, max_tokens: u32) -> String {
    let alone = |text| Passage::of_units(lexicon, "", vec![Unit::alone(text)]);
    let facts: Vec<(u16, &str, Passage<'_>)> = facts
        .lines()
        .filter_map(numbered)
        .map(|(n, text)| (n, text, alone(text)))
        .collect();
    let (weight, number) = match Language::of(question) {
        Language::English => (0.8, 0.15),
        _ => (0.1, 0.5),
    };
    answer(lexicon, question, max_tokens, |question| {
        let mut candidates: Vec<Candidate> = Vec::new();
        for (n, text, fact) in &facts {
            let (n, ranked) = (*n, Reading::new(fact, question).ranked());
            let own = ranked.first().map_or(0.0, |scored| scored.score);
            // Mappers list their best fact first, retrieval its best passage. Both have seen more than the fact, so where
            // names are not told from other words they know better.
            let rank = candidates.iter().filter(|c| c.n == n).count() as f32;
            candidates.push(Candidate {
                n,
                text: (*text).to_owned(),
                score: weight * own + 0.25 / (1.0 + rank) + number / f32::from(n.max(1)),
            });
        }
        candidates
    })
}

/// The answer out of `[n] title (source)` blocks.
pub(super) fn generate(
    lexicon: &Lexicon,
    question: &str,
    passages: &str,
    max_tokens: u32,
) -> String {
    let blocks: Vec<(u16, Passage<'_>)> = blocks(passages)
        .into_iter()
        .map(|(n, title, text)| (n, Passage::new(lexicon, title, &text)))
        .collect();
    answer(lexicon, question, max_tokens, |question| {
        let mut candidates = Vec::new();
        for (n, passage) in &blocks {
            for scored in map::select(&Reading::new(passage, question), SENTENCES_MAX) {
                candidates.push(Candidate {
                    n: *n,
                    text: map::quote(passage, scored),
                    score: scored.score + 0.05 / f32::from((*n).max(1)),
                });
            }
        }
        candidates
    })
}

/// The answer out of what may enter it for each part of the question.
fn answer(
    lexicon: &Lexicon,
    question: &str,
    max_tokens: u32,
    candidates: impl Fn(&Question) -> Vec<Candidate>,
) -> String {
    let parts = Question::parts(lexicon, question);
    let chosen = parts.iter().map(|question| {
        let mut candidates = candidates(question);
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.n.cmp(&b.n)));
        let chosen = match question.compares {
            true => compared(lexicon, question, &candidates),
            false => best(&candidates),
        };
        chosen.into_iter().cloned().collect()
    });
    compose(chosen.collect(), max_tokens)
}

/// Stitches what was chosen for each part of the question, the best of each part first.
fn compose(answers: Vec<Vec<Candidate>>, max_tokens: u32) -> String {
    let longest = answers.iter().map(Vec::len).max().unwrap_or(0);
    let most = if answers.len() > 1 {
        COMPARED_MAX
    } else {
        longest
    };
    let in_turn = (0..longest).flat_map(|at| answers.iter().filter_map(move |a| a.get(at)));
    let mut said: Vec<&Candidate> = Vec::new();
    let mut answer = String::new();
    for candidate in in_turn {
        let cited = cite(&candidate.text, candidate.n, &answer);
        let longer = tokens::estimate(&answer) + tokens::estimate(&cited) > max_tokens;
        if said.len() == most || (longer && !said.is_empty()) {
            break;
        }
        if cited.is_empty() || !is_new(candidate, &said) {
            continue;
        }
        if !said.is_empty() {
            answer.push(' ');
        }
        answer.push_str(&cited);
        said.push(candidate);
    }
    match said.is_empty() {
        true => NOTHING.to_owned(),
        false => answer,
    }
}

/// The best candidates that say something new.
fn best(candidates: &[Candidate]) -> Vec<&Candidate> {
    let least = candidates.first().map_or(0.0, |c| c.score * FURTHER_MIN);
    let mut chosen: Vec<&Candidate> = Vec::new();
    let other = candidates
        .first()
        .map_or(0.0, |c| c.score * OTHER_SOURCE_MIN);
    for candidate in candidates {
        let heard = chosen.iter().any(|c| c.n == candidate.n);
        let enough = candidate.score >= if heard { least } else { other };
        if enough && chosen.len() < SENTENCES_MAX && is_new(candidate, &chosen) {
            chosen.push(candidate);
        }
    }
    chosen
}

/// The best candidate of each thing that is compared, then of each source not yet heard.
fn compared<'a>(
    lexicon: &Lexicon,
    question: &Question,
    candidates: &'a [Candidate],
) -> Vec<&'a Candidate> {
    let specific = |t: &&Term| t.is_specific();
    let mut chosen: Vec<&Candidate> = Vec::new();
    for term in question.terms.iter().filter(specific) {
        let sought = Sought::new(term);
        let speaks = |c: &&Candidate| {
            let mut words = Words::new(lexicon, Language::of(&c.text));
            words.add(&c.text);
            words.all().holds(&sought) > 0.0
        };
        let of_it = candidates.iter().find(|c| speaks(c) && is_new(c, &chosen));
        chosen.extend(of_it.filter(|_| chosen.len() < COMPARED_MAX));
    }
    for candidate in candidates {
        let heard = chosen.iter().any(|c| c.n == candidate.n);
        if chosen.len() < COMPARED_MAX && !heard && is_new(candidate, &chosen) {
            chosen.push(candidate);
        }
    }
    chosen
}

/// Whether it says something that is not said yet: other words, or another figure.
fn is_new(candidate: &Candidate, chosen: &[&Candidate]) -> bool {
    let figures = |text: &str| -> Vec<String> {
        let runs = words::runs(text).filter(|run| run.contains(|c: char| c.is_ascii_digit()));
        runs.map(str::to_lowercase).collect()
    };
    let own = figures(&candidate.text);
    chosen.iter().all(|said| {
        let known = figures(&said.text);
        let another = own.iter().any(|figure| !known.contains(figure));
        another || overlap(&candidate.text, &[said.text.as_str()]) < SAME_MIN
    })
}

/// A fact with its number at the end of each sentence, before the full stop; without the sentences
/// that are said already.
fn cite(fact: &str, n: u16, said: &str) -> String {
    let fact = fact.replace(" | ", ", ");
    let cited: Vec<String> = text::sentences::read(&fact)
        .into_iter()
        .map(|sentence| {
            let body = sentence.trim_end_matches(['.', ';', ',', '。']);
            let mark = match () {
                () if body.ends_with(['!', '?', '！', '？']) => "",
                () if body.ends_with(text::words::is_unspaced) && sentence.ends_with('。') => "。",
                () => ".",
            };
            format!("{body} [{n}]{mark}")
        })
        .filter(|sentence| !said.contains(sentence.as_str()))
        .collect();
    cited.join(" ")
}

/// The number and the text of a line `[n] text`.
fn numbered(line: &str) -> Option<(u16, &str)> {
    let (n, text) = line.trim().strip_prefix('[')?.split_once(']')?;
    let text = text.trim();
    Some((n.parse().ok()?, text)).filter(|(_, text)| !text.is_empty())
}

/// The passages of a section: number, title line, text. Blocks count up from 1, so that a bracketed
/// number inside a text does not start one unless it is the very next.
fn blocks(section: &str) -> Vec<(u16, &str, String)> {
    let mut blocks: Vec<(u16, &str, String)> = Vec::new();
    for line in section.lines() {
        let next = blocks.last().map_or(1, |(n, ..)| n + 1);
        match numbered(line).filter(|(n, _)| *n == next) {
            Some((n, title)) => blocks.push((n, title, String::new())),
            None => {
                if let Some((_, _, text)) = blocks.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cites_every_sentence() {
        assert_eq!(
            cite("It ends. Why? Total | 5 EUR", 2, ""),
            "It ends [2]. Why? [2] Total, 5 EUR [2]."
        );
        assert_eq!(
            cite("点検は毎月五日に行う。", 1, ""),
            "点検は毎月五日に行う [1]。"
        );
        assert_eq!(
            cite("Am 27. Juni ist frei.", 1, ""),
            "Am 27. Juni ist frei [1]."
        );
    }

    #[test]
    fn a_sentence_is_said_once() {
        let facts = "[1] It began in 2021.\n[1] It began in 2021. It ends in 2027.";
        let answer = gather(
            &Lexicon::new(),
            "When did it begin and when does it end?",
            facts,
            99,
        );
        assert_eq!(answer, "It began in 2021 [1]. It ends in 2027 [1].");
    }

    #[test]
    fn no_facts_no_answer() {
        let lexicon = Lexicon::new();
        assert_eq!(gather(&lexicon, "When?", "", 100), NOTHING);
        assert_eq!(
            generate(
                &lexicon,
                "When does it end?",
                "[1] Zoo (zoo.md)\nApes eat.",
                100
            ),
            NOTHING
        );
    }

    #[test]
    fn a_bracketed_number_in_a_text_starts_no_passage() {
        let section = "[1] A (a.md)\nsee [3]\n[3] Doe, 1999\n[2] B (b.md)\nmore";
        let blocks = blocks(section);
        let titles: Vec<&str> = blocks.iter().map(|(_, title, _)| *title).collect();
        assert_eq!(titles, ["A (a.md)", "B (b.md)"]);
    }

    #[test]
    fn a_comparison_hears_both_sides() {
        let facts =
            "[1] The A-10 weighs 5 kg.\n[1] The A-10 weighs 5 kg net.\n[2] The B-20 weighs 7 kg.";
        let answer = gather(
            &Lexicon::new(),
            "Compare the weight of A-10 and B-20",
            facts,
            100,
        );
        assert!(
            answer.contains("5 kg [1]") && answer.contains("7 kg [2]"),
            "{answer}"
        );
    }
}
