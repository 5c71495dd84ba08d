//! Tells companies apart whose names differ by a legal form or a word such as `Group`. Pure.
//!
//! Keys leave such suffixes out, because documents often do. The module does *not* decide which words are suffixes; that
//! is `text::fold`.

use text::fold;

/// Suffixes that a legal form may follow within one name.
const GROUPS: [&str; 3] = ["group", "holding", "holdings"];

/// Whether a legal form may follow a suffix: `Group`, or `Gr0up` in a scan.
pub(crate) fn is_group(word: &str) -> bool {
    let form = fold::skeleton(&fold::suffix_form(word));
    GROUPS.iter().any(|group| fold::skeleton(group) == form)
}

/// Leaves out the names of other companies than the one that is said. If no document has the name with these suffixes,
/// none is meant. A name without suffixes, as paths have it, is always meant as well.
pub(crate) fn leave_out_others(forms: &mut Vec<String>, words: &[&str]) {
    let said = CompanySuffixes::of(words);
    if said == CompanySuffixes::default() {
        return;
    }
    let own = |name: &String| CompanySuffixes::of(&fold::words(name));
    // If a company has exactly this name, one that leaves out `Group` or has another word for it is another company.
    let has_exact = forms.iter().any(|name| own(name) == said);
    forms.retain(|name| said.may_be(&own(name), has_exact));
    if forms.is_empty() {
        forms.push(words.join(" "));
    }
}

/// The names in paths of the company that is said, and the longer ones of its siblings: `Acme Group Ltd` beside `Acme
/// Ltd`. `None` if the paths name no sibling, or not exactly this company.
pub(crate) fn siblings(forms: &[String], said: &str) -> Option<(Vec<String>, Vec<String>)> {
    let said = suffixes(said);
    let mut all: Vec<String> = forms.iter().map(|form| suffixes(form)).collect();
    let has_exact = !said.is_empty() && all.contains(&said);
    // `Acme Group` may be the beginning of `Acme Group Ltd`.
    let known = all.clone();
    let begins = |one: &str, other: &str| {
        let rest = other.strip_prefix(one);
        one.is_empty() && !other.is_empty() || rest.is_some_and(|rest| rest.starts_with(' '))
    };
    all.retain(|one| !known.iter().any(|other| begins(one, other)));
    all.sort();
    all.dedup();
    if !has_exact || all.len() < 2 {
        return None;
    }
    let is_own = |form: &&String| suffixes(form) == said;
    let is_longer = |form: &&String| {
        let suffixes = suffixes(form);
        let mut words = said.split(' ');
        suffixes != said && words.all(|word| suffixes.split(' ').any(|other| other == word))
    };
    let own = forms.iter().filter(is_own).cloned().collect();
    Some((own, forms.iter().filter(is_longer).cloned().collect()))
}

/// The suffixes of a name as one text. A path has hyphens between words.
pub(crate) fn suffixes(name: &str) -> String {
    let name = name.replace('-', " ");
    let behind = fold::words(&name).split_off(fold::bare_words(&name).len());
    let forms = behind
        .iter()
        .map(|word| fold::skeleton(&fold::suffix_form(word)));
    forms.collect::<Vec<String>>().join(" ")
}

pub(crate) fn is_single(name: &str) -> bool {
    let words = fold::bare_words(name).into_iter();
    words.flat_map(|word| word.split('-')).count() < 2
}

/// The suffixes of a name, the last one first.
#[derive(Default, PartialEq, Eq)]
struct CompanySuffixes {
    /// Words such as `Group`.
    groups: Vec<String>,
    /// Legal forms, and words such as `Trust`.
    forms: Vec<String>,
    /// Whether all of these are legal forms, which names may leave out.
    are_legal: bool,
}

impl CompanySuffixes {
    fn of(words: &[&str]) -> CompanySuffixes {
        let behind = words.iter().skip(1).rev();
        let mut found = CompanySuffixes::default();
        for word in behind.take_while(|word| fold::is_company_suffix(word)) {
            let form = fold::skeleton(&fold::suffix_form(word));
            match is_group(word) {
                true => found.groups.push(form),
                false => {
                    let are_legal = found.forms.is_empty() || found.are_legal;
                    found.are_legal = are_legal && fold::is_legal_form(word);
                    found.forms.push(form);
                }
            }
        }
        found
    }

    /// Whether a name with its own suffixes may be that of the company with these. `Acme Ltd` and `Acme SpA` are two
    /// companies. `Acme Group` and `Acme Group SpA` may be one, of which one name leaves the legal form out.
    fn may_be(&self, own: &CompanySuffixes, has_exact: bool) -> bool {
        if *own == CompanySuffixes::default() {
            return true;
        }
        let is_one_form = match (self.forms.first(), own.forms.first()) {
            (Some(said), Some(own)) => said == own,
            (Some(_), None) => self.are_legal,
            (None, Some(_)) => own.are_legal,
            (None, None) => true,
        };
        // Who leaves out `Group` may still mean this company, if no other one is called exactly so.
        let leaves_out_group = self.groups.is_empty() && !has_exact;
        is_one_form && (self.groups == own.groups || leaves_out_group)
    }
}
