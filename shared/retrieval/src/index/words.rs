//! The analyzer of the feed: the same tokens as [`super::schema::analyzer`], faster.
//!
//! Text is the same words again and again, and folding and stemming one is dear. So the chain of
//! filters is asked once for a word, and its answer is kept in a table of fixed size, where a word gives
//! way to the next one of its slot. *Not* another definition of a word: what the chain says holds.

use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

/// Words that are kept, for each field and thread: some 1.5 MB when all slots are taken.
const SLOTS: usize = 16_384;
/// Longer words are rare: the chain is asked every time, in bytes.
const KEPT_BYTES_MAX: usize = 32;

/// Splits texts into words and asks `chain` for each that it does not know.
#[derive(Clone)]
pub(super) struct Words {
    chain: TextAnalyzer,
    /// By the hash of the word; nothing before the first text.
    slots: Vec<Slot>,
    token: Token,
}

/// A word as it stands, and its stem; no stem where the chain drops the word.
#[derive(Clone, Default)]
struct Slot {
    word: Box<str>,
    stem: Option<Box<str>>,
}

impl Words {
    /// `chain` makes one token of a word, or none, whatever stands around it.
    pub(super) fn new(chain: TextAnalyzer) -> Words {
        Words {
            chain,
            slots: Vec::new(),
            token: Token::default(),
        }
    }

    /// Makes the stem of a word the text of the token; false when the word is dropped.
    fn stem(&mut self, word: &str) -> bool {
        self.token.text.clear();
        if word.len() > KEPT_BYTES_MAX {
            let stem = chained(&mut self.chain, word);
            self.token
                .text
                .push_str(stem.as_deref().unwrap_or_default());
            return stem.is_some();
        }
        let slot = &mut self.slots[slot_of(word)];
        if *slot.word != *word {
            slot.stem = chained(&mut self.chain, word).map(Into::into);
            slot.word = word.into();
        }
        if let Some(stem) = &slot.stem {
            self.token.text.push_str(stem);
        }
        slot.stem.is_some()
    }
}

fn chained(chain: &mut TextAnalyzer, word: &str) -> Option<String> {
    let mut tokens = chain.token_stream(word);
    tokens.advance().then(|| tokens.token().text.clone())
}

/// FNV-1a: short words, nobody to defend against.
fn slot_of(word: &str) -> usize {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    // The upper bits are the better ones.
    (hash >> 40) as usize % SLOTS
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        self.token.reset();
        self.slots.resize_with(SLOTS, Slot::default);
        WordStream {
            text,
            at: 0,
            words: self,
        }
    }
}

/// The words of one text.
pub(super) struct WordStream<'a> {
    text: &'a str,
    at: usize,
    words: &'a mut Words,
}

impl WordStream<'_> {
    /// Where the next run of letters and digits begins and ends.
    fn run(&mut self) -> Option<(usize, usize)> {
        let from = self.at + self.text[self.at..].find(char::is_alphanumeric)?;
        let rest = &self.text[from..];
        let length = rest.find(|c: char| !c.is_alphanumeric());
        self.at = from + length.unwrap_or(rest.len());
        Some((from, self.at))
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        while let Some((from, to)) = self.run() {
            // A word that is dropped keeps its place: phrases count it.
            self.words.token.position = self.words.token.position.wrapping_add(1);
            if self.words.stem(&self.text[from..to]) {
                self.words.token.offset_from = from;
                self.words.token.offset_to = to;
                return true;
            }
        }
        false
    }

    fn token(&self) -> &Token {
        &self.words.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.words.token
    }
}

#[cfg(test)]
mod tests {
    use super::super::schema::analyzer;
    use super::*;
    use proptest::prelude::*;

    fn tokens(analyzer: &mut TextAnalyzer, text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut stream = analyzer.token_stream(text);
        stream.process(&mut |token| tokens.push(token.clone()));
        tokens
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_the_chain(
            texts in prop::collection::vec("(([a-zA-Z]{1,9}(ing|ed|s|ly)?|[0-9]{1,3}|\\PC{0,4}|[a-zé]{60,70})([ .,'-]{1,2}|\\PC))*", 1..4)
        ) {
            let mut fast = TextAnalyzer::from(Words::new(analyzer()));
            for text in texts.iter().chain(&texts) {
                prop_assert_eq!(tokens(&mut fast, text), tokens(&mut analyzer(), text));
            }
        }
    }

    #[test]
    fn words_of_one_slot_give_way() {
        let mut fast = TextAnalyzer::from(Words::new(analyzer()));
        let many: Vec<String> = (0..3 * SLOTS).map(|n| format!("Running{n}s")).collect();
        let text = many.join(" ");
        let expected = tokens(&mut analyzer(), &text);
        for _ in 0..2 {
            assert!(
                tokens(&mut fast, &text) == expected,
                "a slot gave another's stem"
            );
        }
    }
}
