//! The analyzer: the words of a text without accents, as stems of the language of the text.
//!
//! What a word is, and the language, say [`text::words`] and [`Language`]. A text repeats the same words, and folding and
//! stemming a word is expensive. So for indexing the chain of filters runs once for a word, and its result is kept in a
//! table of fixed size, in which another word with the same slot replaces it. *Not* another definition of a word: the
//! chain of filters of each language defines it.

use super::schema::chain;
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer};
use text::words::{self, RunParts};
use text::{Language, compounds};

/// Words that are kept, for each field and thread, 32 bytes each. Stemming a word costs more than fetching its stem
/// from beyond the processor's cache, and with 8,192 of them a fifth of the indexing was stemming.
const SLOTS: usize = 65_536;
/// What is left of the capital I with a dot, in lower case, beside an i.
const DOT_ABOVE: char = '\u{307}';
/// Longer words and stems are rare: the chain is asked every time, in bytes.
const KEPT_BYTES_MAX: usize = 14;

/// Splits texts into words and asks the chain of their language for each that it does not know.
#[derive(Clone)]
pub(super) struct Words {
    /// `None` when each text shows its language.
    language: Option<Language>,
    /// The chain of each language that was met.
    chains: Vec<Option<TextAnalyzer>>,
    /// Words as they stand in texts, with their stems, by the hash of the word; nothing before the first text, and of no
    /// length where nothing is kept.
    slots: Vec<[Short; 2]>,
    kept: usize,
    token: Token,
}

/// A short text of a language: the language, the bytes of the text, and the text. Plain bytes, so that a table in which
/// nothing stands is memory that nobody has touched yet, and costs nothing to make.
type Short = [u8; 2 + KEPT_BYTES_MAX];

/// `None` when it is too long.
fn short(language: Language, text: &str) -> Option<Short> {
    let mut short = [0; 2 + KEPT_BYTES_MAX];
    short[0] = language as u8;
    short[1] = u8::try_from(text.len()).ok()?;
    let bytes = short[2..].get_mut(..text.len())?;
    bytes.copy_from_slice(text.as_bytes());
    Some(short)
}

fn text_of(short: &Short) -> Option<&str> {
    std::str::from_utf8(&short[2..2 + usize::from(short[1])]).ok()
}

impl Words {
    /// Of one language, or of that which each text shows.
    pub(super) fn new(language: Option<Language>) -> Words {
        Words {
            language,
            chains: vec![None; Language::ALL.len()],
            slots: Vec::new(),
            kept: 0,
            token: Token::default(),
        }
    }

    /// Keeps what it was asked for.
    pub(super) fn kept(self) -> Words {
        Words {
            kept: SLOTS,
            ..self
        }
    }

    /// Makes the stem of a word the text of the token; false when the chain drops the word.
    fn stem(&mut self, language: Language, word: &str) -> bool {
        // A Latin word in a text of another script is a name, or English.
        let language = match language.is_latin() || !word.is_ascii() {
            true => language,
            false => Language::English,
        };
        if !word.is_ascii() && word.contains(['İ', DOT_ABOVE]) {
            // In lower case it would be two characters, and nobody types the second.
            let plain = word.replace('İ', "I").replace(DOT_ABOVE, "");
            return self.stem(language, &plain);
        }
        let text = &mut self.token.text;
        text.clear();
        let known = short(language, word);
        let mut slot = match self.kept {
            0 => None,
            _ => Some(&mut self.slots[slot_of(word)]),
        };
        if let Some([word, stem]) = slot.as_deref()
            && known.as_ref() == Some(word)
            && let Some(stem) = text_of(stem)
        {
            text.push_str(stem);
            return true;
        }
        let chain = self.chains[language as usize].get_or_insert_with(|| chain(language));
        let mut tokens = chain.token_stream(word);
        if !tokens.advance() {
            return false;
        }
        text.push_str(&tokens.token().text);
        if let Some(slot) = &mut slot
            && let (Some(word), Some(stem)) = (known, short(language, text))
        {
            **slot = [word, stem];
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
        if self.slots.len() < self.kept {
            self.slots = vec![[[0; 2 + KEPT_BYTES_MAX]; 2]; self.kept];
        }
        WordStream {
            text,
            at: 0,
            language: self.language.unwrap_or_else(|| Language::of(text)),
            pieces: words::pieces(""),
            parts: Vec::new(),
            words: self,
        }
    }
}

/// The words of one text.
pub(super) struct WordStream<'a> {
    text: &'a str,
    at: usize,
    language: Language,
    /// What is left of a run that is cut.
    pieces: RunParts<'a>,
    /// The parts of compound words, which stand behind the text: so words that follow each other still do.
    parts: Vec<String>,
    words: &'a mut Words,
}

impl<'a> WordStream<'a> {
    /// The next word.
    fn word(&mut self) -> Option<&'a str> {
        if let Some(piece) = self.pieces.next() {
            return Some(piece);
        }
        let from = self.at + first(&self.text[self.at..], |is_word| is_word)?;
        let to = first(&self.text[from..], |is_word| !is_word);
        self.at = to.map_or(self.text.len(), |length| from + length);
        let run = &self.text[from..self.at];
        if run.is_ascii() {
            return Some(run);
        }
        self.pieces = words::pieces(run);
        self.pieces.next()
    }

    fn offset(&self, word: &str) -> usize {
        word.as_ptr().addr() - self.text.as_ptr().addr()
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
    let found = rest.find(|c: char| wanted(words::is_word_char(c)))?;
    Some(at + found)
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        while let Some(word) = self.word() {
            // A word that is dropped keeps its place: phrases count it.
            self.words.token.position = self.words.token.position.wrapping_add(1);
            if !self.words.stem(self.language, word) {
                continue;
            }
            self.words.token.offset_from = self.offset(word);
            self.words.token.offset_to = self.offset(word) + word.len();
            if self.language.has_compounds() {
                let lower = word.to_lowercase();
                let parts = compounds::parts(self.language, &lower).into_iter();
                let parts = parts.flat_map(|(head, tail)| [head.to_owned(), tail.to_owned()]);
                self.parts.extend(parts);
            }
            return true;
        }
        while let Some(part) = self.parts.pop() {
            self.words.token.position = self.words.token.position.wrapping_add(1);
            if self.words.stem(self.language, &part) {
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
    use super::super::schema::{WORD_BYTES_MAX, analyzer};
    use super::*;
    use proptest::prelude::*;
    use tantivy::tokenizer::{
        AsciiFoldingFilter, Language as Stems, LowerCaser, RemoveLongFilter, SimpleTokenizer,
        Stemmer,
    };

    /// What tantivy makes of English.
    fn english() -> TextAnalyzer {
        TextAnalyzer::builder(SimpleTokenizer::default())
            .filter(RemoveLongFilter::limit(WORD_BYTES_MAX))
            .filter(LowerCaser)
            .filter(AsciiFoldingFilter)
            .filter(Stemmer::new(Stems::English))
            .build()
    }

    fn tokens(analyzer: &mut TextAnalyzer, text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        let mut stream = analyzer.token_stream(text);
        stream.process(&mut |token| tokens.push(token.clone()));
        tokens
    }

    fn texts_of(text: &str) -> Vec<String> {
        let mut of_text = TextAnalyzer::from(Words::new(None));
        let tokens = tokens(&mut of_text, text).into_iter();
        tokens.map(|token| token.text).collect()
    }

    proptest! {
        #[test]
        fn tokens_are_those_of_the_chain(
            texts in prop::collection::vec("(([a-zA-Z]{1,9}(ing|ed|s|ly)?|[0-9]{1,3}|\\PC{0,4}|[a-zé]{60,70})([ .,'-]{1,2}|\\PC))*", 1..4)
        ) {
            let mut fast = TextAnalyzer::from(Words::new(Some(Language::English)).kept());
            for text in texts.iter().chain(&texts) {
                prop_assert_eq!(tokens(&mut fast, text), tokens(&mut analyzer(), text));
                // Beyond Latin letters, words are cut otherwise.
                let is_latin = text.chars().all(|c| c < '\u{250}' && c != 'İ');
                prop_assert!(!is_latin || tokens(&mut fast, text) == tokens(&mut english(), text));
            }
        }
    }

    #[test]
    fn words_of_one_slot_give_way() {
        let mut fast = TextAnalyzer::from(Words::new(None).kept());
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

    #[test]
    fn a_text_has_stems_of_its_language() {
        let german = texts_of("Die Kaltmiete der Wohnungen ist erhöht.");
        for word in ["kaltmiet", "kalt", "miet", "wohnung", "erhoht"] {
            assert!(
                german.iter().any(|found| found == word),
                "{word}: {german:?}"
            );
        }
        let english = texts_of("It's been running for 3 days in the Café, AX-1042.");
        let wanted = "it s been run for 3 day in the cafe ax 1042";
        assert_eq!(english.join(" "), wanted);
        assert_eq!(
            texts_of("Les loyers sont payés"),
            ["le", "loyer", "sont", "pai"]
        );
        assert_eq!(
            texts_of("冷却水の点検"),
            ["冷却", "却水", "水の", "の点", "点検"]
        );
        assert_eq!(texts_of("AX-1042的扭矩"), ["ax", "1042", "的扭", "扭矩"]);
        assert_eq!(texts_of("계약은 언제"), ["계약", "약은", "언제"]);
        assert_eq!(texts_of("更换水泵 pumps"), ["更换", "换水", "水泵", "pump"]);
        assert_eq!(
            texts_of("İstanbul i\u{307}stanbul"),
            ["istanbul", "istanbul"]
        );
        assert_eq!(texts_of("หล่อเย็น").len(), "หล่อเย็น".chars().count() - 2);
    }
}
