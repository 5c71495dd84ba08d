//! Computes the features of a sentence compared with the passages: a few figures, and the score that follows from
//! them.

use crate::check::ReasonKind;
use crate::claims;
use crate::coverage::{Covered, Evidence, Window, pairs};
use crate::polarity::{Beside, Turn, denies_alone, sign};
use crate::reading::{Sentence, Token};
use crate::slots::{Claim, Fault, Finding};
use crate::thresholds::{ANSWER_WEIGHTS, CONTRAST_WEIGHTS, COUNT, SENTENCE_WEIGHTS, Thresholds};
use crate::verbatim;
use crate::vocabulary::Vocabulary;
use std::ops::Range;
use text::words;

/// The names of a sentence's figures, in their order.
pub const FEATURES: [&str; COUNT] = [
    "uncovered in the best window",
    "uncovered anywhere",
    "weight of missing words, ln",
    "pairs of words that stand nowhere",
    "values that stand nowhere",
    "names that stand nowhere",
    "values and names of something else",
    "turned round",
    "values and names that stand there, ln",
];

/// The names of the figures that distinguish a contradiction from a confirmation, in their order.
pub const CONTRAST_FEATURES: [&str; 3] = [
    "uncovered in the best window",
    "turned round",
    "signs against those of the passages",
];

/// The names of an answer's figures, in their order.
pub const ANSWER_FEATURES: [&str; 4] = [
    "risk of the worst sentence",
    "mean risk of a sentence",
    "claims, ln",
    "words, ln",
];

/// Most sentences of an answer that are looked at; those behind them are unsupported.
const SENTENCES_MAX: usize = 256;
/// Most words of a sentence that is looked at: a longer one is no prose, and is unsupported.
const WORDS_MAX: usize = 400;
/// The figures of a sentence of which nothing stands in the passages.
const UNREAD: [f32; COUNT] = [1.0, 1.0, 4.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
/// Most sentences of the passages that a clause is held against for what turns it round.
const BESIDE_MAX: usize = 3;
/// The share of words that such a sentence must have.
const BESIDE_MIN: f32 = 0.3;
/// How many sentences of the passages are compared in sign: whether they affirm or deny, and name more or less.
const SIGNS_OF: usize = 3;
/// How many tokens on each side of a word that turns the meaning are compared with the passages.
const AROUND: usize = 9;

/// The figures of one sentence.
#[derive(Debug, Clone, PartialEq)]
pub struct SentenceFeatures {
    /// The place of the sentence, in bytes of the answer.
    pub at: Range<usize>,
    /// In the order of [`FEATURES`]; none for a sentence that claims nothing.
    pub figures: Option<[f32; COUNT]>,
    /// In the order of [`CONTRAST_FEATURES`].
    pub contrast: [f32; 3],
}

/// A turn with how well its surroundings stand in the passages.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlacedTurn {
    pub(crate) turn: Turn,
    /// 0 to 1.
    pub(crate) fit: f32,
}

impl PlacedTurn {
    fn strength(&self) -> f32 {
        self.fit * self.turn.weight
    }
}

/// What was found out about a sentence.
pub(crate) struct Examination {
    pub(crate) at: Range<usize>,
    pub(crate) figures: Option<[f32; COUNT]>,
    pub(crate) contrast: [f32; 3],
    pub(crate) sentence: Sentence,
    pub(crate) window: Option<Window>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) turns: Vec<PlacedTurn>,
    /// Whether a sentence of the passages reads the same, blanks and marks aside.
    pub(crate) is_verbatim: bool,
    /// Whether it denies something, and nothing is denied where the passages say most of it.
    pub(crate) denies_alone: bool,
    /// The tokens of words that stand nowhere.
    pub(crate) missing: Vec<usize>,
}

impl Examination {
    /// Of a sentence that is not held against anything.
    fn unread(at: Range<usize>, figures: Option<[f32; COUNT]>) -> Examination {
        Examination {
            sentence: Sentence {
                at: at.clone(),
                tokens: Vec::new(),
                values: Vec::new(),
            },
            at,
            figures,
            contrast: [0.0; 3],
            window: None,
            findings: Vec::new(),
            turns: Vec::new(),
            is_verbatim: false,
            denies_alone: false,
            missing: Vec::new(),
        }
    }
}

/// The figures of each sentence of an answer, to which weights are fitted.
pub fn features(answer: &str, passages: &[&str], thresholds: &Thresholds) -> Vec<SentenceFeatures> {
    let (_, examined) = examine(answer, passages, thresholds);
    let each = examined.into_iter();
    each.map(|one| SentenceFeatures {
        at: one.at,
        contrast: one.contrast,
        figures: one.figures,
    })
    .collect()
}

/// Looks at every sentence of an answer.
pub(crate) fn examine(
    answer: &str,
    passages: &[&str],
    thresholds: &Thresholds,
) -> (Evidence, Vec<Examination>) {
    let mut vocabulary = Vocabulary::default();
    let evidence = Evidence::read(passages, &mut vocabulary);
    let text = claims::blanked(answer);
    let sentences = claims::sentences(answer).into_iter().enumerate();
    let examined = sentences
        .map(|(number, one)| {
            let at = one.at.clone();
            let words = words::runs(&text[at.clone()]).take(WORDS_MAX + 1).count();
            if number >= SENTENCES_MAX || words > WORDS_MAX {
                return Examination::unread(at, Some(UNREAD));
            }
            let sentence = Sentence::read(&text, at.clone(), &mut vocabulary);
            if !one.is_claim || !claims_something(&sentence) {
                return Examination::unread(at, None);
            }
            let is_verbatim = verbatim::has(passages, &evidence, &text[at]);
            let covered = Covered::new(&sentence, &evidence, &vocabulary);
            let claim = Claim::new(&sentence, &covered, &evidence, &vocabulary, thresholds);
            let examined = examine_claim(&claim, is_verbatim);
            Examination {
                sentence,
                ..examined
            }
        })
        .collect();
    (evidence, examined)
}

/// One word alone says nothing, unless it is a value or a name.
fn claims_something(sentence: &Sentence) -> bool {
    let has_capital = sentence.content().any(|token| token.is_capital);
    sentence.content().count() >= 2 || has_capital || !sentence.values.is_empty()
}

/// What was found out about a claim, without its sentence.
fn examine_claim(claim: &Claim<'_>, is_verbatim: bool) -> Examination {
    let Claim {
        sentence,
        covered,
        evidence,
        ..
    } = claim;
    let (findings, turns) = match is_verbatim {
        true => (Vec::new(), Vec::new()),
        false => (claim.findings(), turns(claim)),
    };
    let all = covered.all();
    let window = covered.best(evidence);
    let nowhere = |is_name: bool| {
        let nowhere = findings.iter().filter(|finding| {
            (finding.kind == ReasonKind::Name) == is_name
                && (finding.told_by.is_none() || finding.fault == Fault::Nowhere)
        });
        (nowhere.count() as f32).min(2.0)
    };
    let misplaced = findings.iter().filter(|one| one.fault != Fault::Nowhere);
    let turned = turns.iter().map(PlacedTurn::strength).fold(0.0, f32::max);
    let standing = claim.slots().saturating_sub(findings.len());
    let figures = [
        1.0 - window.as_ref().map_or(0.0, |window| window.share),
        1.0 - covered.share(covered.known, all),
        covered.weight(all & !covered.known).ln_1p(),
        1.0 - pairs(sentence, evidence),
        nowhere(false),
        nowhere(true),
        (misplaced.count() as f32).min(2.0),
        turned,
        (standing as f32).ln_1p(),
    ];
    let contrast = [figures[0], turned, signs_against(claim)];
    let said = window.as_ref().filter(|_| !is_verbatim);
    let denies_alone = said.is_some_and(|window| {
        denies_alone(sentence, &evidence.sentences[window.sentences.clone()])
    });
    let is_missing = |at: &usize| covered.bit(*at) & !covered.known != 0;
    let missing = (0..sentence.tokens.len()).filter(is_missing).collect();
    Examination {
        window,
        findings,
        turns,
        is_verbatim,
        denies_alone,
        missing,
        contrast,
        ..Examination::unread(sentence.at.clone(), Some(figures))
    }
}

/// What turns a sentence round, beside the sentences of the passages that are most like it. A turn that another sentence,
/// which fits as well, does not have is none.
fn turns(claim: &Claim<'_>) -> Vec<PlacedTurn> {
    let beside = |at: usize| (at, Beside::new(claim, at).turns());
    let by_sentence: Vec<(usize, Vec<Turn>)> = nearest(claim).into_iter().map(beside).collect();
    let all = by_sentence.iter().flat_map(|(_, turns)| turns);
    let placed = all.filter_map(|turn| {
        let fit_here = fit(claim, turn.told_by, &turn.tokens);
        let is_it = |other: &Turn| other.kind == turn.kind && other.tokens == turn.tokens;
        let is_unturned = by_sentence.iter().any(|(other, turns)| {
            *other != turn.told_by
                && !turns.iter().any(is_it)
                && fit(claim, *other, &turn.tokens) >= fit_here - 0.05
        });
        (!is_unturned).then(|| PlacedTurn {
            turn: turn.clone(),
            fit: fit_here,
        })
    });
    let mut placed: Vec<PlacedTurn> = placed.collect();
    placed.sort_by(|one, other| other.strength().total_cmp(&one.strength()));
    placed
}

/// How well the words around tokens fit to a sentence of the passages.
fn fit(claim: &Claim<'_>, at: usize, tokens: &Range<usize>) -> f32 {
    let covered = claim.covered;
    let clause = claim.sentence.clause(tokens);
    let from = tokens.start.saturating_sub(AROUND).max(clause.start);
    let to = (tokens.end + AROUND).min(clause.end);
    // The word that turns it is not what it is about.
    let is_turning = |token: usize| {
        !claim.sentence.tokens[token].word.directions.is_empty()
            && covered.bit(token) & covered.known == 0
    };
    let about = (from..to).filter(|token| !is_turning(*token));
    let around = covered.mask(about) & !covered.mask(tokens.clone());
    match around.count_ones() {
        0..2 => 0.0,
        _ => covered.share_at(at, around),
    }
}

/// The sentences of the passages that are most like a clause of a sentence.
fn nearest(claim: &Claim<'_>) -> Vec<usize> {
    let mut near = Vec::new();
    let mut from = 0;
    while from < claim.sentence.tokens.len() {
        let clause = claim.sentence.clause(&(from..from + 1));
        from = clause.end.max(from + 1);
        let words = claim.covered.mask(clause);
        let shares = claim.covered.nearest(words, BESIDE_MIN).into_iter();
        for (at, _) in shares.take(BESIDE_MAX) {
            if !near.contains(&at) {
                near.push(at);
            }
        }
    }
    near
}

/// How much the signs of the most like sentences speak against that of a sentence: -1, all are the same, to 1.
fn signs_against(claim: &Claim<'_>) -> f32 {
    // What has no sign affirms.
    let claimed = sign(claim.sentence, |_| true).unwrap_or(true);
    let shares = claim
        .covered
        .nearest(claim.covered.all(), f32::MIN_POSITIVE);
    let is_shared = |token: &Token| claim.covered.bit_of_stem(token.word.stem) != 0;
    let (mut against, mut all) = (0.0, 0.0);
    for (at, share) in shares.into_iter().take(SIGNS_OF) {
        all += share;
        against += match sign(&claim.evidence.sentences[at], is_shared) {
            Some(given) if given == claimed => -share,
            Some(_) => share,
            None => 0.0,
        };
    }
    if all > 0.0 { against / all } else { 0.0 }
}

/// The probability that a sentence with these figures is supported, 0 to 1.
pub(crate) fn sentence_score(figures: &[f32; COUNT]) -> f32 {
    1.0 - probability(&SENTENCE_WEIGHTS, figures)
}

/// The probability that passages which speak of a sentence say the contrary, 0 to 1.
pub(crate) fn contrast_score(figures: &[f32; 3]) -> f32 {
    probability(&CONTRAST_WEIGHTS, figures)
}

/// The figures of an answer: the risk of the worst sentence, the mean risk, how many sentences claim something, and
/// how many words there are.
pub fn answer_figures(scores: &[f32], words: usize) -> [f32; 4] {
    let risks = scores.iter().map(|score| 1.0 - score);
    let worst = risks.clone().fold(0.0, f32::max);
    let mean = risks.sum::<f32>() / scores.len().max(1) as f32;
    [
        worst,
        mean,
        (scores.len() as f32).ln_1p(),
        (words as f32).ln_1p(),
    ]
}

/// The probability that nothing in an answer is made up, 0 to 1.
pub(crate) fn answer_score(figures: &[f32; 4]) -> f32 {
    1.0 - probability(&ANSWER_WEIGHTS, figures)
}

/// What a logistic sum says of figures.
fn probability<const N: usize>((bias, weights): &(f32, [f32; N]), figures: &[f32; N]) -> f32 {
    let each = figures.iter().zip(weights);
    let sum = each.fold(*bias, |sum, (figure, weight)| sum + figure * weight);
    1.0 / (1.0 + (-sum).exp())
}
