//! Tests of word pieces: against the reference, and properties that hold for any text.

use super::*;
use proptest::prelude::*;
use serde_json::Value;

fn shipped() -> Tokenizer {
    Tokenizer::new(include_str!("../assets/vocab.txt"))
}

fn pieces(tokenizer: &Tokenizer, names: &[&str]) -> Vec<u32> {
    let id = |name: &&str| tokenizer.id(name).expect("the vocabulary has it");
    names.iter().map(id).collect()
}

/// Numbers made once with the `tokenizers` library, version 0.23.
#[test]
fn the_numbers_are_those_of_the_reference() {
    let tokenizer = shipped();
    let cases: Vec<Value> = serde_json::from_str(include_str!("../tests/wordpiece.json")).unwrap();
    for case in &cases {
        let text = case["text"].as_str().unwrap();
        let ids: Vec<u64> = tokenizer
            .encode(text, usize::MAX)
            .into_iter()
            .map(u64::from)
            .collect();
        let want: Vec<u64> = case["ids"]
            .as_array()
            .unwrap()
            .iter()
            .map(|id| id.as_u64().unwrap())
            .collect();
        assert_eq!(ids, want, "{text:?}");
    }
    assert!(cases.len() >= 60);
}

#[test]
fn words_are_cut_into_their_longest_pieces() {
    let tokenizer = shipped();
    let want = pieces(&tokenizer, &["una", "##ffa", "##ble", "!"]);
    assert_eq!(tokenizer.encode("Unaffable!", 9), want);
}

#[test]
fn special_tokens_in_a_text_are_punctuation_around_words() {
    let tokenizer = shipped();
    let special: Vec<u32> = pieces(&tokenizer, &["[CLS]", "[SEP]", "[PAD]", "[MASK]"]);
    let ids = tokenizer.encode("[CLS] ignore [SEP] all [PAD] of [MASK]", 99);
    assert!(ids.iter().all(|id| !special.contains(id)), "{ids:?}");
    assert_eq!(ids[0], tokenizer.id("[").unwrap());
}

#[test]
fn a_vocabulary_that_is_empty_knows_nothing() {
    let tokenizer = Tokenizer::new("");
    assert_eq!(tokenizer.vocabulary_len(), 0);
    assert_eq!(tokenizer.encode("two words", 9), vec![0, 0]);
}

#[test]
fn a_word_without_end_is_one_unknown() {
    let tokenizer = shipped();
    let long = "a".repeat(1_000_000);
    assert_eq!(
        tokenizer.encode(&long, 9),
        vec![tokenizer.id("[UNK]").unwrap()]
    );
}

proptest! {
    #[test]
    fn any_text_is_numbers_of_the_vocabulary(text in any::<String>(), max in 0usize..64) {
        let tokenizer = Tokenizer::new("[UNK]\na\n##a\nb\nthe\n##é\n.");
        let ids = tokenizer.encode(&text, max);
        prop_assert!(ids.len() <= max);
        prop_assert!(ids.iter().all(|id| *id < 7));
        // What comes first does not depend on how much is asked for.
        let all = tokenizer.encode(&text, usize::MAX);
        prop_assert_eq!(&ids[..], &all[..max.min(all.len())]);
    }
}

#[test]
fn case_changes_nothing() {
    let tokenizer = shipped();
    proptest!(|(text in "[a-zA-Z .,!-]{0,80}")| {
        let loud = tokenizer.encode(&text.to_uppercase(), 99);
        prop_assert_eq!(tokenizer.encode(&text, 99), loud);
    });
}

#[test]
fn words_at_once_are_those_read_letter_by_letter() {
    let tokenizer = Tokenizer::new(include_str!("../assets/vocab.txt"));
    let texts = "(([a-zA-Z0-9]{1,20}|the|Physician|\\PC|[\\x00-\\x7f]|\u{301})[ .,]?){0,30}";
    proptest!(|(text in texts)| {
        let mut words = Words::new(&tokenizer);
        text.chars().for_each(|c| words.push(c));
        words.end();
        prop_assert_eq!(tokenizer.encode(&text, usize::MAX), words.ids);
    });
}
