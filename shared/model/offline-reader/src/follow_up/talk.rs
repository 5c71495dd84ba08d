//! Reads the conversation so far, and finds what a pronoun in the next question refers to.
//!
//! A pronoun keeps its referent until a question names another one. This rule settles most cases; recency and position
//! settle the rest. *Not* a parse of the conversation.

use super::mentions::{self, Gender, Mention, Sort};
use super::tokens;
use super::topic::Topic;
use crate::vocabulary as words;

/// Turns after which something that was said is no longer meant.
const TURNS_BACK: usize = 4;
/// What has to speak for a person to be meant by "he" or "she".
const PERSON_SCORE_MIN: i32 = 2;

/// The pronouns that may mean one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    She,
    He,
    They,
    It,
}

impl Class {
    fn gender(self) -> Option<Gender> {
        match self {
            Class::She => Some(Gender::She),
            Class::He => Some(Gender::He),
            Class::They | Class::It => None,
        }
    }
}

/// One exchange as heard.
#[derive(Debug)]
pub(super) struct Turn {
    /// The question as it stands alone.
    pub(super) asked: String,
    pub(super) answer: String,
    pub(super) in_question: Vec<Mention>,
    pub(super) in_answer: Vec<Mention>,
}

#[derive(Debug)]
pub(super) struct Talk {
    pub(super) topic: Option<Topic>,
    pub(super) turns: Vec<Turn>,
    /// What pronouns were taken to mean, and in which turn last.
    bound: Vec<(Class, String, usize)>,
}

impl Talk {
    pub(super) fn new(topic: Option<Topic>) -> Self {
        Talk {
            topic,
            turns: Vec::new(),
            bound: Vec::new(),
        }
    }

    /// Takes in one exchange, its question already made to stand alone.
    pub(super) fn hear(&mut self, asked: &str, answer: &str) {
        let (asked, answer) = (tokens::cut(asked), tokens::cut(answer));
        self.turns.push(Turn {
            in_question: mentions::read(asked),
            in_answer: mentions::read(answer),
            asked: asked.to_owned(),
            answer: answer.to_owned(),
        });
    }

    pub(super) fn last(&self) -> Option<&Turn> {
        self.turns.last()
    }

    pub(super) fn topic_name(&self) -> Option<&str> {
        self.topic.as_ref().map(|topic| topic.name.as_str())
    }

    /// Whether pronouns of a person were taken to mean the topic.
    pub(super) fn topic_is_person(&self) -> bool {
        let person = |class: &Class| matches!(class, Class::She | Class::He);
        let known = self.topic.as_ref().is_some_and(Topic::is_person);
        known
            || self.topic_name().is_some_and(|name| {
                self.bound
                    .iter()
                    .any(|(class, meant, _)| person(class) && meant == name)
            })
    }

    /// Whether its title says that the topic is a group, or "they" was taken to mean it.
    fn topic_is_group(&self) -> bool {
        let they = |(class, meant, _): &(Class, String, usize)| {
            *class == Class::They && self.topic_name() == Some(meant)
        };
        self.topic.as_ref().is_some_and(|topic| topic.grouped) || self.bound.iter().any(they)
    }

    /// Remembers what a pronoun meant.
    pub(super) fn bind(&mut self, class: Class, meant: &str) {
        self.bound.retain(|(other, _, _)| *other != class);
        self.bound.push((class, meant.to_owned(), self.turns.len()));
    }

    fn bound(&self, class: Class) -> Option<(&str, usize)> {
        let found = self.bound.iter().find(|(other, _, _)| *other == class);
        found.map(|(_, meant, turn)| (meant.as_str(), self.turns.len() - turn))
    }

    /// The best referent of a pronoun, if there is one.
    pub(super) fn referent(&self, class: Class) -> Option<String> {
        match class {
            Class::She | Class::He => self.person(class),
            Class::They => self.group(),
            Class::It => self.thing(),
        }
    }

    fn person(&self, class: Class) -> Option<String> {
        let fits =
            |m: &&Mention| m.may_be_person() && (m.gender.is_none() || m.gender == class.gender());
        let other = match class {
            Class::She => Class::He,
            _ => Class::She,
        };
        let taken = self.bound(other).map(|(meant, _)| meant.to_owned());
        let free = |m: &&Mention| taken.as_deref() != Some(m.text.as_str());
        let asked = self.last().into_iter().flat_map(|turn| &turn.in_question);
        let named = asked.filter(fits).filter(free).find(|m| !self.is_topic(m));
        let bound = self.bound(class).map(|(meant, _)| meant.to_owned());
        let goes_on = self.last().is_some_and(|turn| {
            let kept = bound.as_deref().or(self.topic_name());
            kept.is_some_and(|meant| turn.asked.contains(meant))
        });
        if let Some(named) = named.filter(|m| m.sort == Sort::Person && !goes_on) {
            return Some(self.full(&named.text));
        }
        if bound.is_some() {
            return bound;
        }
        if let Some(topic) = self
            .topic_name()
            .filter(|name| taken.as_deref() != Some(*name))
        {
            return Some(topic.to_owned());
        }
        self.likeliest_person(class, &|m: &Mention| fits(&m) && free(&m))
    }

    /// The person that most speaks for, and only if enough does: without a topic a guess is often
    /// wrong, and worse than no rewrite.
    fn likeliest_person(&self, class: Class, fits: &dyn Fn(&Mention) -> bool) -> Option<String> {
        let mut best: Option<(i32, &Mention)> = None;
        for (ago, turn) in self.turns.iter().rev().take(TURNS_BACK).enumerate() {
            let asked = turn.in_question.iter().map(|m| (m, 1));
            for (mention, asked) in asked.chain(turn.in_answer.iter().map(|m| (m, 0))) {
                if !fits(mention) {
                    continue;
                }
                let known = mention.sort == Sort::Person;
                let agrees = mention.gender.is_some() && mention.gender == class.gender();
                let often = self.times_said(&mention.text).min(3);
                let score = asked
                    + 2 * i32::from(known)
                    + i32::from(mention.subject)
                    + 2 * i32::from(agrees)
                    + often
                    - i32::from(ago > 1);
                if score >= PERSON_SCORE_MIN && best.is_none_or(|(most, _)| score > most) {
                    best = Some((score, mention));
                }
            }
        }
        best.map(|(_, mention)| self.full(&mention.text))
    }

    /// How many of the latest mentions end in the same word.
    fn times_said(&self, name: &str) -> i32 {
        fn last(name: &str) -> Option<&str> {
            name.rsplit(' ').next()
        }
        let turns = self.turns.iter().rev().take(TURNS_BACK);
        let all = turns.flat_map(|t| t.in_question.iter().chain(&t.in_answer));
        let same = all.filter(|m| last(&m.text) == last(name)).count();
        i32::try_from(same).unwrap_or(i32::MAX)
    }

    fn group(&self) -> Option<String> {
        if let Some((meant, ago)) = self.bound(Class::They)
            && ago <= TURNS_BACK
        {
            return Some(meant.to_owned());
        }
        if let Some(topic) = self.topic_name().filter(|_| !self.topic_is_person()) {
            return Some(topic.to_owned());
        }
        let plural =
            |m: &Mention| m.plural && m.sort != Sort::Thing || m.sort == Sort::Group && m.subject;
        let free = |m: &Mention| !self.is_topic(m);
        let named = self.latest(|m| plural(m) && free(m));
        // Of what has no name only what was asked about: answers name too much.
        let asked = self
            .turns
            .iter()
            .rev()
            .take(2)
            .flat_map(|turn| &turn.in_question);
        let mut things = asked.filter(|m| m.plural && free(m));
        named.or_else(|| things.next().map(|m| m.text.clone()))
    }

    fn thing(&self) -> Option<String> {
        let free = |m: &Mention| !self.is_topic(m) || !self.topic_is_person();
        let thing = |m: &Mention| {
            free(m) && m.sort != Sort::Person && m.gender.is_none() && m.sort != Sort::Place
        };
        let last = self.last()?;
        let work = |m: &&Mention| matches!(m.sort, Sort::Work | Sort::Code) && thing(m);
        if let Some(work) = last.in_answer.iter().find(work) {
            return Some(work.text.clone());
        }
        if let Some((meant, ago)) = self.bound(Class::It)
            && ago <= 1
        {
            return Some(meant.to_owned());
        }
        let proper = |m: &&Mention| m.sort != Sort::Thing && thing(m);
        if let Some(name) = last.in_question.iter().rev().find(work) {
            return Some(name.text.clone());
        }
        if let Some(name) = last
            .in_question
            .iter()
            .rev()
            .filter(|m| !self.is_topic(m))
            .find(proper)
        {
            return Some(self.full(&name.text));
        }
        let phrase = |m: &&Mention| m.sort == Sort::Thing && thing(m);
        if let Some(phrase) = last.in_question.iter().find(phrase) {
            return Some(phrase.text.clone());
        }
        let neither = !self.topic_is_person() && !self.topic_is_group();
        if let Some(topic) = self.topic_name().filter(|_| neither) {
            return Some(topic.to_owned());
        }
        last.in_answer.iter().find(proper).map(|m| m.text.clone())
    }

    pub(super) fn is_topic(&self, mention: &Mention) -> bool {
        self.topic_name().is_some_and(|name| mention.overlaps(name))
    }

    /// The latest mention of a kind: question before answer of each turn, newest turn first.
    pub(super) fn latest(&self, wanted: impl Fn(&Mention) -> bool) -> Option<String> {
        let turns = self.turns.iter().rev().take(TURNS_BACK);
        let mut all = turns.flat_map(|turn| turn.in_question.iter().chain(&turn.in_answer));
        all.find(|m| wanted(m)).map(|m| self.full(&m.text))
    }

    /// The longer name that was said and ends or begins with this one: "Moss" is "Randy Moss".
    pub(super) fn full(&self, name: &str) -> String {
        let turns = self.turns.iter();
        let all = turns.flat_map(|t| t.in_question.iter().chain(&t.in_answer));
        let names = all.filter(|m| !matches!(m.sort, Sort::Work | Sort::Thing));
        let said = names.map(|m| m.text.as_str());
        let mut longer = self.topic_name().into_iter().chain(said);
        longer
            .find(|longer| completes(longer, name))
            .unwrap_or(name)
            .to_owned()
    }
}

/// Whether a name of two or three words begins or ends with another one.
fn completes(longer: &str, name: &str) -> bool {
    let front = longer
        .strip_suffix(name)
        .is_some_and(|rest| rest.ends_with(' '));
    let back = longer
        .strip_prefix(name)
        .is_some_and(|rest| rest.starts_with(' '));
    (front || back) && longer.split(' ').count() <= 3
}

/// Whether a word is the pronoun of a class, and whether it owns what follows.
pub(super) fn class_of(word: &str, next_is_owned: bool) -> Option<(Class, bool)> {
    Some(match word {
        "he" | "him" | "himself" => (Class::He, false),
        "his" => (Class::He, true),
        "she" | "herself" => (Class::She, false),
        "hers" => (Class::She, true),
        "her" => (Class::She, next_is_owned),
        "they" | "them" | "themselves" => (Class::They, false),
        "their" | "theirs" => (Class::They, true),
        "it" | "itself" => (Class::It, false),
        "its" => (Class::It, true),
        _ => return None,
    })
}

/// Whether a token can be owned: it is there and no word of grammar.
pub(super) fn is_owned(token: Option<&tokens::Token<'_>>, closed: bool) -> bool {
    !closed && token.is_some_and(|t| !words::is_grammar(&t.lower))
}
