//! Merges several lists of passages into one, with a fair share for each. Pure.
//!
//! A merge by scores would not do: one sub-query that is easy to answer would fill the list, and of the two sides of a
//! comparison only one would be in it. So the lists take turns, and a passage that is in several of them counts for
//! each.

use crate::word_set::WordSet;
use envelope::Passage;
use std::cell::OnceCell;
use std::collections::HashMap;

/// How many turns the whole question has for each turn of a sub-query. Chosen on 98 questions of
/// MultiHop-RAG that have parts: fewer turns lost evidence, 4 to 6 found most. Over its whole dev split
/// that gains nothing, which is why a retriever has to be told to search for parts.
const WHOLE_TURNS: usize = 5;
/// What a score for a part of the question is worth beside one for the whole: less is easier to cover.
const PART_WORTH: f32 = 0.9;

/// A passage with every list that has it.
struct Candidate {
    passage: Passage,
    /// List 0 is the whole question, list n + 1 sub-query n.
    lists: Vec<usize>,
    /// Its different words, once it was compared with another.
    words: OnceCell<WordSet>,
}

impl Candidate {
    fn says_the_same(&self, other: &Candidate) -> bool {
        let words = |one: &Candidate| words(&one.passage.text);
        self.passage.text == other.passage.text
            || self
                .words
                .get_or_init(|| words(self))
                .are_same(other.words.get_or_init(|| words(other)))
    }
}

/// At most `top_k` of the passages of the whole question and of its sub-queries, best first. A passage
/// is there once, with its best score; nearly the same text is there once; one document fills at
/// most half of the list while others have something. Also tells how many were passed over because one
/// that was taken says the same.
pub(crate) fn share(
    whole: Vec<Passage>,
    parts: Vec<Vec<Passage>>,
    top_k: usize,
) -> (Vec<Passage>, u32) {
    let lists: Vec<Vec<Passage>> = [whole].into_iter().chain(parts).collect();
    let mut taken = vec![0; lists.len()];
    let (candidates, orders) = candidates(lists);
    let mut left: Vec<bool> = vec![true; candidates.len()];
    let mut documents: HashMap<String, usize> = HashMap::new();
    let mut chosen: Vec<usize> = Vec::new();
    let mut repeated = 0;
    for only_with_room in [true, false] {
        while chosen.len() < top_k {
            let has_room = |at: usize| {
                let of_document = documents.get(&document(&candidates[at].passage));
                !only_with_room || of_document.is_none_or(|n| *n < top_k.div_ceil(2))
            };
            let next = |order: &Vec<usize>| {
                let open = order.iter().copied();
                open.into_iter().find(|at| left[*at] && has_room(*at))
            };
            let turns = |list: usize| match list {
                0 => taken[0],
                _ => taken[list] * WHOLE_TURNS,
            };
            let open = orders.iter().enumerate();
            let open = open.filter_map(|(list, order)| Some((turns(list), list, next(order)?)));
            let Some((_, _, at)) = open.min() else { break };
            left[at] = false;
            let new = &candidates[at];
            if chosen.iter().any(|at| candidates[*at].says_the_same(new)) {
                repeated += 1;
                continue;
            }
            *documents.entry(document(&new.passage)).or_default() += 1;
            new.lists.iter().for_each(|list| taken[*list] += 1);
            chosen.push(at);
        }
    }
    chosen.sort_by(|a, b| {
        let score = |at: &usize| candidates[*at].passage.score;
        score(b).total_cmp(&score(a)).then(a.cmp(b))
    });
    let passages = chosen.into_iter().map(|at| {
        let Candidate { passage, lists, .. } = &candidates[at];
        let parts = lists.iter().filter_map(|list| list.checked_sub(1));
        Passage {
            found_by: parts.filter_map(|part| u8::try_from(part).ok()).collect(),
            ..passage.clone()
        }
    });
    (passages.collect(), repeated)
}

/// Every passage once, and the order in which each list has them.
fn candidates(lists: Vec<Vec<Passage>>) -> (Vec<Candidate>, Vec<Vec<usize>>) {
    let mut candidates: Vec<Candidate> = Vec::new();
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut orders = Vec::new();
    for (list, passages) in lists.into_iter().enumerate() {
        let mut order = Vec::with_capacity(passages.len());
        for mut passage in passages {
            if list > 0 {
                passage.score *= PART_WORTH;
            }
            let key = (passage.bucket.to_string(), passage.chunk_id.clone());
            let at = *places.entry(key).or_insert(candidates.len());
            match candidates.get_mut(at) {
                None => candidates.push(Candidate {
                    words: OnceCell::new(),
                    passage,
                    lists: vec![list],
                }),
                Some(known) => {
                    known.passage.score = known.passage.score.max(passage.score);
                    known.lists.push(list);
                    known.lists.dedup();
                }
            }
            order.push(at);
        }
        orders.push(order);
    }
    (candidates, orders)
}

fn words(text: &str) -> WordSet {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_alphanumeric());
    WordSet::of(words.filter(|word| !word.is_empty()))
}

fn document(passage: &Passage) -> String {
    format!("{}/{}", passage.bucket, passage.doc_id)
}

#[cfg(test)]
#[path = "share_tests.rs"]
mod tests;
