//! The analyzer for indexing: it makes the same tokens as [`super::schema::analyzer`], but faster.
//!
//! A text repeats the same words, and folding and stemming a word is expensive. So the chain of filters runs once for a
//! word, and its result is kept in a table of fixed size, in which another word with the same slot replaces it. *Not*
//! another definition of a word: the chain of filters defines it.

use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};

/// Words that are kept, for each field and thread, 32 bytes each. Stemming a word costs more than fetching its stem
/// from beyond the processor's cache, and with 8,192 of them a fifth of the indexing was stemming.
const SLOTS: usize = 65_536;
/// Longer words and stems are rare: the chain is asked every time, in bytes.
const KEPT_BYTES_MAX: usize = 15;

/// Splits texts into words and asks `chain` for each that it does not know.
#[derive(Clone)]
pub(super) struct Words {
    chain: TextAnalyzer,
    /// By the hash of the word; nothing before the first text.
    slots: Vec<Slot>,
    token: Token,
}

/// A word as it stands in texts, and its stem.
#[derive(Clone, Copy, Default)]
struct Slot {
    word: Short,
    stem: Short,
}

/// A short text in place.
#[derive(Clone, Copy, Default)]
struct Short {
    length: u8,
    bytes: [u8; KEPT_BYTES_MAX],
}

impl Short {
    /// `None` when it is too long.
    fn new(text: &str) -> Option<Short> {
        let mut short = Short {
            length: u8::try_from(text.len()).ok()?,
            ..Short::default()
        };
        let bytes = short.bytes.get_mut(..text.len())?;
        bytes.copy_from_slice(text.as_bytes());
        Some(short)
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
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

    /// Makes the stem of a word the text of the token; false when the chain drops the word.
    fn stem(&mut self, word: &str) -> bool {
        let text = &mut self.token.text;
        text.clear();
        let slot = &mut self.slots[slot_of(word)];
        if slot.word.bytes() == word.as_bytes()
            && let Ok(stem) = std::str::from_utf8(slot.stem.bytes())
        {
            text.push_str(stem);
            return true;
        }
        let mut tokens = self.chain.token_stream(word);
        if !tokens.advance() {
            return false;
        }
        text.push_str(&tokens.token().text);
        if let (Some(word), Some(stem)) = (Short::new(word), Short::new(text)) {
            *slot = Slot { word, stem };
        }
        true
    }
}

/// FNV-1a: the words are short, and collisions by intent do no harm.
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
        self.slots.resize(SLOTS, Slot::default());
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
        let from = self.at + first(&self.text[self.at..], |is_word| is_word)?;
        let to = first(&self.text[from..], |is_word| !is_word);
        self.at = to.map_or(self.text.len(), |length| from + length);
        Some((from, self.at))
    }
}

/// Where the first character stands that is wanted, told whether it is part of a word. Most text is
/// ASCII, which needs no tables.
fn first(text: &str, wanted: impl Fn(bool) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let plain = |byte: &u8| !byte.is_ascii() || wanted(byte.is_ascii_alphanumeric());
    let at = bytes.iter().position(plain)?;
    if bytes[at].is_ascii() {
        return Some(at);
    }
    let rest = &text[at..];
    let found = rest.find(|c: char| wanted(c.is_alphanumeric()))?;
    Some(at + found)
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
