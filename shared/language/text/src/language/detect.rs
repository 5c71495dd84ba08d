//! Tells the language of a text from its script and its frequent words.

use super::{Language, WORDS};
use crate::words::{self, Script};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Words that are looked at: the language shows in the first lines.
const WORDS_READ: usize = 48;
/// Of how many words one has to be of another script than Latin: a text in Japanese may be full of English names.
const FOREIGN_SHARE: usize = 4;
/// Words and letters from which on a text in Latin letters is another language than English: `die casting`, `per diem rate`.
const SIGNS_MIN: usize = 2;
/// Of how many words one has to be such a sign: `per` and `door` stand in English invoices.
const OWN_SHARE: usize = 8;
/// Longer words are not frequent, in bytes.
const FREQUENT_BYTES_MAX: usize = 24;

/// Frequent words and telling letters, each with the languages that it stands for as bits.
struct Telling {
    words: HashMap<&'static str, u32>,
    letters: HashMap<char, u32>,
}

static TELLING: LazyLock<Telling> = LazyLock::new(|| {
    let mut telling = Telling {
        words: HashMap::new(),
        letters: HashMap::new(),
    };
    for &language in Language::ALL {
        let bit = 1 << language as u32;
        for word in &WORDS[language as usize].stop {
            *telling.words.entry(word).or_default() |= bit;
        }
        for letter in language.list("letters").chars().filter(|c| *c != ' ') {
            *telling.letters.entry(letter).or_default() |= bit;
        }
    }
    telling
});

pub(super) fn of(text: &str) -> Language {
    let mut evidence = [Evidence::default(); Language::ALL.len()];
    let mut scripts = [0_usize; Script::COUNT];
    let (mut all, mut lower, mut seen) = (0, String::new(), Vec::new());
    let shouts = !text.contains(char::is_lowercase);
    for run in words::runs(text).take(WORDS_READ) {
        all += 1;
        scripts[words::script(run) as usize] += 1;
        // Acronyms and initials: `AI policy`, `MIT license`, `J. C. Smith`.
        let is_acronym = !shouts && run.bytes().all(|b| b.is_ascii_uppercase());
        if run.len() > FREQUENT_BYTES_MAX || is_acronym {
            continue;
        }
        lower.clear();
        words::push_lower(&mut lower, run);
        let known = TELLING.words.get_key_value(lower.as_str());
        let of_word = known.map_or(0, |(_, languages)| *languages);
        let is_new = known.is_some_and(|(word, _)| !seen.contains(word));
        seen.extend(known.map(|(word, _)| *word));
        let letters = match lower.is_ascii() {
            true => 0,
            false => {
                let letters = lower.chars().filter_map(|c| TELLING.letters.get(&c));
                letters.fold(0, |all, languages| all | languages)
            }
        };
        let mut languages = of_word | letters;
        while languages != 0 {
            let at = languages.trailing_zeros() as usize;
            let bit = 1 << at;
            languages &= !bit;
            let is_word = is_new && of_word & bit != 0;
            evidence[at].see(is_word, lower.len() == 1, letters & bit != 0);
            // What English has, too, tells nothing.
            let is_own = of_word & 1 == 0 && of_word & bit != 0 || letters & bit != 0;
            evidence[at].own += usize::from(is_own);
        }
    }
    if let Some(language) = by_script(&scripts, all) {
        return language;
    }
    // English wins where as much speaks for it.
    let latin = Language::ALL.iter().filter(|language| language.is_latin());
    let strength = |language: Language| evidence[language as usize].strength(language, all);
    let mut best = Language::English;
    for &language in latin {
        if strength(language) > strength(best) {
            best = language;
        }
    }
    best
}

/// What speaks for a language. A word counts once, however often it stands there.
#[derive(Debug, Clone, Copy, Default)]
struct Evidence {
    words: usize,
    /// Words of one letter, which may be symbols.
    single: usize,
    letters: usize,
    /// Those that English lacks, each time.
    own: usize,
}

impl Evidence {
    fn see(&mut self, is_word: bool, is_single: bool, has_letter: bool) {
        self.words += usize::from(is_word && !is_single);
        self.single += usize::from(is_word && is_single);
        self.letters += usize::from(has_letter);
    }

    /// How much that is: single letters count beside words, and one sign alone is none for another language than English.
    fn strength(self, language: Language, read: usize) -> usize {
        let all = self.words + self.letters;
        let all = if all > 0 { all + self.single } else { 0 };
        match language {
            Language::English => self.words + self.single,
            _ if all < SIGNS_MIN || self.own * OWN_SHARE < read.max(1) => 0,
            _ => all,
        }
    }
}

/// The language of the most frequent script that is not Latin, where enough of the text is in it.
fn by_script(scripts: &[usize; Script::COUNT], all: usize) -> Option<Language> {
    let count = |script: Script| scripts[script as usize];
    let kana = count(Script::Kana);
    let ideographs = match kana > 0 {
        true => Language::Japanese,
        false => Language::Chinese,
    };
    let found = [
        (count(Script::Han) + kana, ideographs),
        (count(Script::Hangul), Language::Korean),
        (count(Script::Unspaced), Language::Thai),
        (count(Script::Cyrillic), Language::Russian),
        (count(Script::Arabic), Language::Arabic),
    ];
    let (most, language) = found.into_iter().max_by_key(|(count, _)| *count)?;
    (most > 0 && most * FOREIGN_SHARE >= all).then_some(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_shows_in_a_short_question() {
        for (text, code) in [
            ("What is the notice period of the Osterby agreement?", "en"),
            ("Osterby agreement", "en"),
            ("AX-1042 torque", "en"),
            ("max load crane", "en"),
            ("AI policy and MIT license terms", "en"),
            (
                "Smith, J. C. and L. M. de Vries: purchasing procedures",
                "en",
            ),
            ("die casting tolerance", "en"),
            (
                "Price per drum, per litre, per pallet, ex works, delivered to the door of hall 4 in June, in drums of 200 l",
                "en",
            ),
            ("", "en"),
            ("Wie hoch ist die Kaltmiete?", "de"),
            ("Was kostet die Wartung?", "de"),
            ("Quel est le loyer ?", "fr"),
            ("¿Cuándo vence el contrato?", "es"),
            ("Quando scade il contratto?", "it"),
            ("Hoeveel bedraagt de huur?", "nl"),
            ("Quem assinou o contrato?", "pt"),
            ("Hur hög är hyran?", "sv"),
            ("Hvornår udløber aftalen?", "da"),
            ("Sözleşme ne zaman sona eriyor?", "tr"),
            ("Когда заканчивается договор?", "ru"),
            ("متى ينتهي العقد؟", "ar"),
            ("冷却水の点検はいつ?", "ja"),
            ("冷却水多久检查一次?", "zh"),
            ("계약은 언제 끝납니까?", "ko"),
            ("สัญญาสิ้นสุดเมื่อไร", "th"),
            ("Wann wird der Compressor AX-1042 gewartet?", "de"),
            ("Who is 田中 in the Tokyo office of the company?", "en"),
        ] {
            assert_eq!(Language::of(text).code(), code, "{text}");
        }
    }
}
