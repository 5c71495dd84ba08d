//! The words that the rules of the check know, as lists in lower case. *Not* a thesaurus.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use text::words;

/// What denies the words behind it.
pub(crate) const NEGATORS: &str = "not no never neither nor none nobody nothing cannot cant without dont doesnt didnt isnt \
    arent wasnt werent wont wouldnt couldnt shouldnt hasnt havent hadnt mustnt neednt";

/// Verbs that deny what they take: `failed to pay`, `refused to sign`.
pub(crate) const DENYING: &str = "fail fails failed failing refuse refuses refused refusing lack lacks lacked lacking \
    decline declines declined unable absence absent avoid avoids avoided avoiding deny denies denied";

/// Verbs that carry a denial with them: `has not`, `did not`. A negator binds to what they help.
pub(crate) const AUXILIARIES: &str = "am is are was were be been being do does did have has had can could may might must \
    shall should will would ever yet also only just even";

/// Words that pull in opposite directions, by what they are about. A text that has one side where the other has its
/// opposite says the contrary.
pub(crate) const OPPOSITES: &[(&str, &str)] = &[
    // Up and down, for good or ill: the first `SIGNED` pairs have a sign.
    (
        "increase rise grow climb gain surge soar jump raise expand upregulate elevate growth upward up escalate \
         accelerate boost augment amplify restore accumulation overexpression gain",
        "decrease fall decline drop shrink lose plunge sink lower reduce downregulate contract downward down diminish \
         decelerate lessen cut reduction loss deplete depletion deficiency deficient knockdown knockout delay limit",
    ),
    (
        "higher greater larger bigger more longer above over exceed exceeds upper highest most maximum largest",
        "lower smaller less fewer shorter below under lowest least minimum smallest",
    ),
    (
        "activate activation promote induce stimulate trigger facilitate potentiate enhance drive activator",
        "inhibit suppress inactivate deactivate attenuate block repress inhibition suppression abolish abrogate prevent \
         impair inhibitor disrupt impede hinder",
    ),
    (
        "improve better strengthen best improvement benefit",
        "worsen worse weaken worst deteriorate",
    ),
    (
        "cause produce create contribute",
        "avoid eliminate protect protection protective",
    ),
    (
        "sensitive sensitivity susceptible",
        "resistant resistance insensitive",
    ),
    ("positive", "negative"),
    (
        "effective efficacious beneficial",
        "ineffective harmful detrimental",
    ),
    (
        "essential necessary required crucial critical indispensable mandatory obligatory require",
        "unnecessary dispensable optional redundant voluntary",
    ),
    (
        "associated linked related correlate correlated",
        "unrelated independent",
    ),
    ("high", "low"),
    ("strong stronger", "weak weaker"),
    ("present presence", "absent absence lack"),
    ("possible able", "impossible unable"),
    ("success succeed successful", "failure fail unsuccessful"),
    ("safe safety", "unsafe dangerous"),
    // The others only have a contrary.
    (
        "before prior earlier preceding until",
        "after following later since subsequent",
    ),
    ("win victory beat defeat won", "loss defeated lost lose"),
    (
        "profit profitable gain surplus",
        "loss unprofitable deficit",
    ),
    ("buy purchase acquire bought", "sell sold sale divest"),
    (
        "accept approve agree grant allow permit authorise authorize enable",
        "reject refuse deny prohibit forbid ban disallow prevent block",
    ),
    (
        "support back favour favor endorse",
        "oppose criticise criticize resist",
    ),
    (
        "start begin open launch commence",
        "end stop close finish cease terminate",
    ),
    ("hot warm heat", "cold cool chill"),
    (
        "include included including inclusive",
        "exclude excluded excluding exclusive except",
    ),
    ("always", "never rarely seldom"),
    ("many numerous", "few"),
    (
        "fast faster quick quickly rapid rapidly",
        "slow slower slowly",
    ),
    ("early", "late"),
    ("true correct accurate", "false wrong incorrect inaccurate"),
    ("legal lawful", "illegal unlawful"),
    ("guilty convicted", "innocent acquitted"),
    ("alive survive survived", "dead die died"),
    ("expensive", "cheap"),
    ("either any", "neither"),
    ("join arrive enter", "leave depart exit"),
    ("hire appoint employ", "fire dismiss oust"),
    ("add", "remove delete"),
    ("inside within indoor", "outside outdoor"),
    ("north northern", "south southern"),
    ("east eastern", "west western"),
    ("public", "private"),
    ("major majority", "minor minority"),
    ("short", "long"),
];

/// How many of the first pairs have a sign: up or down.
pub(crate) const SIGNED: u8 = 16;

/// Words that a number in words may begin with.
const NUMERALS: &str = "a an half zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen \
    fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety";

/// Words that bound the value behind them from below, longest first.
pub(crate) const FROM_BELOW: &[&str] = &[
    "no less than",
    "not less than",
    "no fewer than",
    "not fewer than",
    "no earlier than",
    "not earlier than",
    "a minimum of",
    "at the least",
    "in excess of",
    "more than",
    "greater than",
    "higher than",
    "larger than",
    "longer than",
    "bigger than",
    "at least",
    "minimum of",
    "upwards of",
    "north of",
    "later than",
    "starting at",
    "over",
    "above",
    "exceeding",
    "exceeds",
    "exceeded",
    "exceed",
    "beyond",
    "minimum",
    "after",
    "since",
];

/// Words that bound the value behind them from above, longest first.
pub(crate) const FROM_ABOVE: &[&str] = &[
    "no more than",
    "not more than",
    "no later than",
    "not later than",
    "no longer than",
    "not exceeding",
    "not to exceed",
    "not exceed",
    "not above",
    "not over",
    "a maximum of",
    "at the most",
    "less than",
    "fewer than",
    "smaller than",
    "lower than",
    "shorter than",
    "at most",
    "maximum of",
    "south of",
    "earlier than",
    "short of",
    "up to",
    "under",
    "below",
    "within",
    "maximum",
    "before",
    "prior to",
    "limited to",
    "capped at",
];

/// Words that make a number a rough one.
pub(crate) const ROUGHLY: &str =
    "about around approximately roughly nearly almost some circa approx estimated over more than";

/// Forms that the endings do not tell, with what they are forms of.
pub(crate) const IRREGULAR: &[(&str, &str)] = &[
    ("said", "say"),
    ("says", "say"),
    ("told", "tell"),
    ("made", "make"),
    ("went", "go"),
    ("gone", "go"),
    ("took", "take"),
    ("taken", "take"),
    ("gave", "give"),
    ("given", "give"),
    ("got", "get"),
    ("came", "come"),
    ("saw", "see"),
    ("seen", "see"),
    ("knew", "know"),
    ("known", "know"),
    ("thought", "think"),
    ("found", "find"),
    ("felt", "feel"),
    ("left", "leave"),
    ("kept", "keep"),
    ("held", "hold"),
    ("brought", "bring"),
    ("began", "begin"),
    ("begun", "begin"),
    ("wrote", "write"),
    ("written", "write"),
    ("stood", "stand"),
    ("heard", "hear"),
    ("meant", "mean"),
    ("met", "meet"),
    ("ran", "run"),
    ("paid", "pay"),
    ("sat", "sit"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("led", "lead"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("lost", "lose"),
    ("fell", "fall"),
    ("fallen", "fall"),
    ("sent", "send"),
    ("built", "build"),
    ("understood", "understand"),
    ("drew", "draw"),
    ("drawn", "draw"),
    ("broke", "break"),
    ("broken", "break"),
    ("spent", "spend"),
    ("rose", "rise"),
    ("risen", "rise"),
    ("drove", "drive"),
    ("driven", "drive"),
    ("bought", "buy"),
    ("wore", "wear"),
    ("worn", "wear"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("ate", "eat"),
    ("eaten", "eat"),
    ("won", "win"),
    ("sold", "sell"),
    ("taught", "teach"),
    ("caught", "catch"),
    ("fought", "fight"),
    ("showed", "show"),
    ("shown", "show"),
    ("became", "become"),
    ("hid", "hide"),
    ("hidden", "hide"),
    ("died", "die"),
    ("dying", "die"),
    ("lay", "lie"),
    ("lying", "lie"),
    ("sought", "seek"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("shot", "shoot"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("sang", "sing"),
    ("sung", "sing"),
    ("swore", "swear"),
    ("sworn", "swear"),
    ("stolen", "steal"),
    ("stole", "steal"),
    ("struck", "strike"),
    ("slept", "sleep"),
    ("dealt", "deal"),
    ("bore", "bear"),
    ("born", "bear"),
    ("forgot", "forget"),
    ("forgotten", "forget"),
    ("children", "child"),
    ("people", "person"),
    ("men", "man"),
    ("women", "woman"),
    ("feet", "foot"),
    ("teeth", "tooth"),
    ("wives", "wife"),
    ("lives", "life"),
    ("knives", "knife"),
    ("leaves", "leaf"),
    ("mice", "mouse"),
    ("further", "far"),
];

/// Words that speak of the passages, or bind an answer together. They claim nothing.
pub(crate) const FRAME: &str = "passage passages document documents context provided given based according information \
    text mention mentioned state states stated following follow step steps source sources excerpt above below overall additionally \
    however therefore furthermore moreover conclusion summary summarize answer question article include includes \
    including included various several specific specifically provide provides note important importantly example \
    please sure here certain different way ways also thus hence finally lastly firstly secondly first second third \
    next then final author overview words rating reviewer reviewers describe described discuss discussed refer reference referred unspecified";

/// Beginnings of sentences that say what the passages lack, or that there is no answer.
pub(crate) const NO_ANSWER: &[&str] = &[
    "unable to answer",
    "cannot answer",
    "can not answer",
    "can't answer",
    "unable to provide",
    "cannot provide",
    "can't provide",
    "cannot determine",
    "unable to determine",
    "not possible to answer",
    "no relevant information",
    "do not contain",
    "does not contain",
    "do not provide",
    "does not provide",
    "don't provide",
    "doesn't provide",
    "do not mention",
    "does not mention",
    "doesn't mention",
    "not mentioned in",
    "not provided in",
    "not specified in",
    "not stated in",
    "no information",
    "not have enough information",
    "insufficient information",
    "do not specify",
    "does not specify",
    "not explicitly",
    "do not directly",
    "does not directly",
    "no specific information",
    "do not explicitly",
    "does not explicitly",
    "do not include",
    "not found in the",
    "do not say",
    "does not say",
];

/// What makes such a sentence one about the passages, and not about the world.
pub(crate) const ABOUT_PASSAGES: &str = "passage passages document documents context text information question sources source excerpts answer data";

/// Whether `word` is one of the words of a list.
pub(crate) fn is_of(word: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// A word of [`OPPOSITES`]: which pair, and whether it is on its second side.
pub(crate) type Direction = (u8, bool);

/// The lists above, to be asked for one word at a time.
pub(crate) struct Lexicon {
    irregular: HashMap<&'static str, &'static str>,
    directions: HashMap<String, Vec<Direction>>,
    negators: HashSet<&'static str>,
    denying: HashSet<&'static str>,
    auxiliaries: HashSet<&'static str>,
    frame: HashSet<&'static str>,
    numerals: HashSet<&'static str>,
    /// By their last word: the words, and from which side they bound.
    bounds: HashMap<&'static str, Vec<(Vec<&'static str>, i8)>>,
}

/// Made once for the process: it is data that never changes.
pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);

impl Lexicon {
    fn new() -> Lexicon {
        let set = |list: &'static str| list.split_ascii_whitespace().collect::<HashSet<_>>();
        let mut lexicon = Lexicon {
            irregular: IRREGULAR.iter().copied().collect(),
            directions: HashMap::new(),
            negators: set(NEGATORS),
            denying: set(DENYING),
            auxiliaries: set(AUXILIARIES),
            frame: set(FRAME),
            numerals: set(NUMERALS),
            bounds: HashMap::new(),
        };
        for (phrases, side) in [(FROM_BELOW, 1), (FROM_ABOVE, -1)] {
            for phrase in phrases {
                let words: Vec<&str> = phrase.split(' ').collect();
                let last = words.last().copied().unwrap_or_default();
                lexicon.bounds.entry(last).or_default().push((words, side));
            }
        }
        for (pair, (first, second)) in (0u8..).zip(OPPOSITES) {
            for (words, side) in [(first, false), (second, true)] {
                for word in words.split_ascii_whitespace() {
                    let of = lexicon.directions.entry(lexicon.stem(word)).or_default();
                    if !of.contains(&(pair, side)) {
                        of.push((pair, side));
                    }
                }
            }
        }
        lexicon
    }

    /// What a lower-case word is a form of.
    pub(crate) fn stem(&self, word: &str) -> String {
        words::stem(self.irregular.get(word).unwrap_or(&word))
    }

    /// The directions that a stem has.
    pub(crate) fn directions(&self, stem: &str) -> &[Direction] {
        self.directions.get(stem).map_or(&[], Vec::as_slice)
    }

    /// The phrases that end with a word and bound a value behind it, and from which side.
    pub(crate) fn bounds(&self, last: &str) -> &[(Vec<&'static str>, i8)] {
        self.bounds.get(last).map_or(&[], Vec::as_slice)
    }

    /// Whether a number in words may begin with a word.
    pub(crate) fn is_numeral(&self, word: &str) -> bool {
        self.numerals.contains(word)
    }

    /// Whether a word denies what is behind it.
    pub(crate) fn is_negator(&self, word: &str) -> bool {
        self.negators.contains(word)
    }

    /// Whether a verb or a noun denies what it takes.
    pub(crate) fn is_denying(&self, word: &str) -> bool {
        self.denying.contains(word)
    }

    /// Whether a verb helps another one.
    pub(crate) fn is_auxiliary(&self, word: &str) -> bool {
        self.auxiliaries.contains(word)
    }

    /// Whether a word speaks of the passages, or binds an answer together.
    pub(crate) fn is_frame(&self, word: &str) -> bool {
        self.frame.contains(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_are_of_one_pair() {
        let of = |word| LEXICON.directions(&LEXICON.stem(word)).to_vec();
        let (rises, fell) = (of("increased"), of("decreases"));
        assert!(
            rises
                .iter()
                .any(|(pair, side)| fell.contains(&(*pair, !side)))
        );
        assert!(of("table").is_empty());
        assert_eq!(LEXICON.stem("paid"), LEXICON.stem("pays"));
    }
}
