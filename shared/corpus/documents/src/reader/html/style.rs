//! What styles say about whether people see a text: declarations of an element, and simple rules of a page.
//!
//! A rule hides when it names a tag, classes or an id, and nothing else. Any rule may show what another one hides, also
//! one that holds on some screens only, or inside of something. It does *not* know files of styles.

use std::collections::{HashMap, HashSet};

/// Most rules of a page.
const RULES_MAX: usize = 5_000;
/// Most comparisons of elements with rules; of the rest of the page rules say nothing.
const STEPS_MAX: usize = 20_000_000;
/// How far two colours may be apart that look the same, in each channel.
const SAME_COLOR: u8 = 8;
/// Properties that may hide; the first of them also hide what is inside and shows itself.
const PROPERTIES: [&str; 5] = [
    "display",
    "opacity",
    "visibility",
    "font-size",
    "text-indent",
];
const OF_ALL_INSIDE: usize = 2;

pub(super) type Color = [u8; 3];

/// What is said of an element.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// Whether each property hides it, if that is said.
    pub(super) hides: [Option<bool>; PROPERTIES.len()],
    pub(super) color: Option<Color>,
    /// `Some(None)`: a picture, or a colour that is not known.
    pub(super) background: Option<Option<Color>>,
}

impl Look {
    /// Reads `name: value; name: value`.
    pub(super) fn of(declarations: &str) -> Look {
        let mut look = Look::default();
        let declarations = declarations.to_ascii_lowercase().replace("!important", "");
        let said = declarations
            .split(';')
            .filter_map(|one| one.split_once(':'));
        for (name, value) in said.map(|(name, value)| (name.trim(), value.trim())) {
            match name {
                "color" => look.color = color(value),
                "background" | "background-color" => match value {
                    "none" | "transparent" | "inherit" | "initial" | "unset" => {}
                    value => look.background = Some(color(value)),
                },
                _ => {
                    let at = PROPERTIES.iter().position(|known| *known == name);
                    at.into_iter()
                        .for_each(|at| look.hides[at] = Some(hides(name, value)));
                }
            }
        }
        look
    }

    /// This look, and what the other one says besides or instead.
    pub(super) fn then(self, other: Look) -> Look {
        let mut hides = other.hides;
        for (said, before) in hides.iter_mut().zip(self.hides) {
            *said = said.or(before);
        }
        Look {
            hides,
            color: other.color.or(self.color),
            background: other.background.or(self.background),
        }
    }

    /// Whether nothing inside is seen.
    pub(super) fn hides_all(self) -> bool {
        self.hides[..OF_ALL_INSIDE].contains(&Some(true))
    }

    /// Whether a text is not seen that looks like this.
    pub(super) fn hides_text(self) -> bool {
        let colors = self.color.zip(self.background.flatten());
        let is_same = colors.is_some_and(|(text, behind)| {
            let mut channels = text.iter().zip(behind);
            channels.all(|(one, other)| one.abs_diff(other) <= SAME_COLOR)
        });
        is_same || self.hides.contains(&Some(true))
    }
}

fn hides(property: &str, value: &str) -> bool {
    match property {
        "display" => value == "none",
        "visibility" => value == "hidden" || value == "collapse",
        // How texts are moved off the screen.
        "text-indent" => value.starts_with("-999"),
        _ => value.trim_end_matches(char::is_alphabetic).parse() == Ok(0.0),
    }
}

/// `white`, `#fff`, `#ffffff` or `rgb(255, 255, 255)`.
pub(super) fn color(value: &str) -> Option<Color> {
    let value = value.trim().to_ascii_lowercase();
    match value.as_str() {
        "white" => return Some([255; 3]),
        "black" => return Some([0; 3]),
        _ => {}
    }
    if let Some(hex) = value.strip_prefix('#') {
        let times = if hex.len() == 3 { 2 } else { 1 };
        let digits: String = hex
            .chars()
            .flat_map(|c| std::iter::repeat_n(c, times))
            .collect();
        let color = u32::from_str_radix(&digits, 16)
            .ok()
            .filter(|_| digits.len() == 6)?;
        let [_, color @ ..] = color.to_be_bytes();
        return Some(color);
    }
    let inner = value.strip_prefix("rgb(")?.strip_suffix(')')?;
    let channels = inner
        .split([',', ' '])
        .filter_map(|channel| channel.parse().ok());
    channels.collect::<Vec<u8>>().try_into().ok()
}

/// Something that is said of some elements.
struct Rule {
    /// A tag, an id and classes: `a`, `#a`, `.a`.
    names: Vec<String>,
    /// Whether it holds only where something else does, and how many ids and names it has.
    weight: (bool, usize, usize),
    look: Look,
}

/// The rules of a page.
#[derive(Default)]
pub(super) struct Rules {
    rules: Vec<Rule>,
    /// By the last name of each.
    by_name: HashMap<String, Vec<usize>>,
    steps: usize,
    /// Whether a rule says something of backgrounds.
    pub(super) has_backgrounds: bool,
}

impl Rules {
    /// Reads one `<style>`.
    pub(super) fn read(&mut self, css: &str) {
        self.has_backgrounds |= css.contains("background");
        let mut parts = css.split("/*");
        let mut rest = parts.next().unwrap_or_default().to_owned();
        rest.extend(
            parts
                .filter_map(|part| part.split_once("*/"))
                .map(|(_, behind)| behind),
        );
        let mut depth = 0_usize;
        for block in rest.split('}') {
            let Some((before, declarations)) = block.rsplit_once('{') else {
                depth = depth.saturating_sub(1);
                continue;
            };
            depth += before.matches('{').count();
            let look = Look::of(declarations);
            let selectors = before.rsplit(['{', ';']).next().unwrap_or_default();
            for selector in selectors.split(',') {
                self.add(selector.trim(), look, depth == 0);
            }
        }
    }

    fn add(&mut self, selector: &str, mut look: Look, is_everywhere: bool) {
        let last = selector
            .rsplit([' ', '>', '+', '~'])
            .next()
            .unwrap_or_default();
        let is_certain = is_everywhere && last == selector;
        (look.color, look.background) = (None, None);
        if !is_certain {
            look.hides
                .iter_mut()
                .for_each(|said| *said = said.filter(|hides| !hides));
        }
        let is_simple = !last.contains([':', '[', '*']);
        if look == Look::default() || self.rules.len() >= RULES_MAX || !is_simple {
            return;
        }
        let starts = last.match_indices(['.', '#']).map(|(at, _)| at);
        let bounds: Vec<usize> = [0].into_iter().chain(starts).chain([last.len()]).collect();
        let names = bounds
            .windows(2)
            .map(|pair| last[pair[0]..pair[1]].to_owned());
        let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        let Some(name) = names.last() else {
            return;
        };
        self.by_name
            .entry(name.clone())
            .or_default()
            .push(self.rules.len());
        let weight = (!is_certain, last.matches('#').count(), names.len());
        self.rules.push(Rule {
            names,
            weight,
            look,
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// What the rules say of an element. Of two, the one that names more counts, and then the last one.
    pub(super) fn look(&mut self, tag: &str, id: &str, class: &str) -> Look {
        if self.rules.is_empty() || self.steps > STEPS_MAX {
            return Look::default();
        }
        let classes = class
            .split_ascii_whitespace()
            .map(|class| format!(".{class}"));
        let names: HashSet<String> = classes.chain([tag.to_owned(), format!("#{id}")]).collect();
        let of_names = names
            .iter()
            .filter_map(|name| self.by_name.get(name))
            .flatten();
        let mut fitting: Vec<usize> = Vec::new();
        for at in of_names {
            let rule = &self.rules[*at];
            self.steps += rule.names.len();
            if rule.names.iter().all(|name| names.contains(name)) {
                fitting.push(*at);
            }
        }
        fitting.sort_by_key(|at| (self.rules[*at].weight, *at));
        let looks = fitting.iter().map(|at| self.rules[*at].look);
        looks.fold(Look::default(), Look::then)
    }
}
