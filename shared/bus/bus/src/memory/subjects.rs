//! Matches subjects with wildcards, and records which sequences are stored at each subject.

use std::collections::{BTreeMap, VecDeque};

/// Whether `subject` can be published to: tokens without wildcards, blanks or gaps.
pub(super) fn is_literal(subject: &str) -> bool {
    subject.split('.').all(|token| {
        !token.is_empty() && !matches!(token, "*" | ">") && !token.contains(char::is_whitespace)
    })
}

/// Whether a subject matches a pattern: `*` is one token, a final `>` is one or more.
pub(super) fn matches(pattern: &str, subject: &str) -> bool {
    let mut subject = subject.split('.');
    for wanted in pattern.split('.') {
        match (wanted, subject.next()) {
            (_, None) => return false,
            (">", Some(_)) => return true,
            ("*", Some(_)) => {}
            (wanted, Some(token)) if wanted == token => {}
            _ => return false,
        }
    }
    subject.next().is_none()
}

/// Sequences by subject, as a tree of tokens: a wildcard in the middle visits only the tokens that
/// exist there, so the condition over the roles of one hop costs a handful of look-ups.
#[derive(Debug, Default)]
pub(super) struct Subjects {
    /// Sequences stored at this subject, oldest first.
    here: VecDeque<u64>,
    below: BTreeMap<String, Subjects>,
}

impl Subjects {
    /// Adds a sequence, which is higher than all before it.
    pub(super) fn insert(&mut self, subject: &str, sequence: u64) {
        let mut node = self;
        for token in subject.split('.') {
            if !node.below.contains_key(token) {
                node.below.insert(token.to_owned(), Subjects::default());
            }
            node = match node.below.get_mut(token) {
                Some(node) => node,
                None => return,
            };
        }
        node.here.push_back(sequence);
    }

    /// Removes a sequence, and the branch that held nothing else.
    pub(super) fn remove(&mut self, subject: &str, sequence: u64) {
        let (token, rest) = match subject.split_once('.') {
            Some((token, rest)) => (token, Some(rest)),
            None => (subject, None),
        };
        let Some(node) = self.below.get_mut(token) else {
            return;
        };
        match rest {
            Some(rest) => node.remove(rest, sequence),
            None => {
                if let Ok(place) = node.here.binary_search(&sequence) {
                    node.here.remove(place);
                }
            }
        }
        if node.here.is_empty() && node.below.is_empty() {
            self.below.remove(token);
        }
    }

    /// The sequences at one subject, oldest first.
    pub(super) fn at(&self, subject: &str) -> impl ExactSizeIterator<Item = u64> + '_ {
        static NONE: VecDeque<u64> = VecDeque::new();
        let node = subject
            .split('.')
            .try_fold(self, |node, token| node.below.get(token));
        node.map_or(&NONE, |node| &node.here).iter().copied()
    }

    /// The newest sequence of each subject that matches, in order of subjects.
    pub(super) fn newest_of_each(&self, pattern: &str) -> Vec<u64> {
        let mut found = Vec::new();
        self.visit(Some(pattern), &mut found);
        found
    }

    fn visit(&self, pattern: Option<&str>, found: &mut Vec<u64>) {
        let Some(pattern) = pattern else {
            found.extend(self.here.back());
            return;
        };
        let (token, rest) = match pattern.split_once('.') {
            Some((token, rest)) => (token, Some(rest)),
            None => (pattern, None),
        };
        match token {
            ">" => self.below.values().for_each(|node| node.all(found)),
            "*" => self.below.values().for_each(|node| node.visit(rest, found)),
            token => {
                if let Some(node) = self.below.get(token) {
                    node.visit(rest, found);
                }
            }
        }
    }

    fn all(&self, found: &mut Vec<u64>) {
        found.extend(self.here.back());
        self.below.values().for_each(|node| node.all(found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wildcards_match_as_on_the_server() {
        for (pattern, subject, want) in [
            ("a.*.c", "a.b.c", true),
            ("a.*.c", "a.b.c.d", false),
            ("a.*", "a", false),
            ("a.>", "a", false),
            ("a.>", "a.b.c", true),
            (">", "a", true),
            ("a.b", "a.b", true),
            ("a.b", "a", false),
            ("a", "a.b", false),
        ] {
            assert_eq!(matches(pattern, subject), want, "{pattern} {subject}");
        }
    }

    #[test]
    fn wildcards_and_gaps_are_not_published_to() {
        for bad in ["", "a.", ".a", "a..b", "a.*", ">", "a b", "a\n"] {
            assert!(!is_literal(bad), "{bad:?}");
        }
        assert!(is_literal("argosy.step.0.planner.t-1_x.0"));
    }

    fn token() -> impl Strategy<Value = String> {
        proptest::sample::select(vec!["a", "b", "b-c", "1"]).prop_map(str::to_owned)
    }

    fn subject() -> impl Strategy<Value = String> {
        proptest::collection::vec(token(), 1..4).prop_map(|t| t.join("."))
    }

    fn pattern() -> impl Strategy<Value = String> {
        let token = prop_oneof![3 => token(), 1 => Just("*".to_owned())];
        (proptest::collection::vec(token, 1..4), any::<bool>()).prop_map(|(mut tokens, open)| {
            if open {
                tokens.push(">".into());
            }
            tokens.join(".")
        })
    }

    proptest! {
        /// The tree answers as a scan over all messages would, also after removals.
        #[test]
        fn the_tree_agrees_with_a_scan(
            stored in proptest::collection::vec((subject(), any::<bool>()), 0..40),
            pattern in pattern(),
        ) {
            let mut tree = Subjects::default();
            for (sequence, (subject, _)) in stored.iter().enumerate() {
                tree.insert(subject, sequence as u64);
            }
            let mut newest: BTreeMap<&str, u64> = BTreeMap::new();
            for (sequence, (subject, removed)) in stored.iter().enumerate() {
                if *removed {
                    tree.remove(subject, sequence as u64);
                } else {
                    newest.insert(subject, sequence as u64);
                }
            }
            let mut want: Vec<u64> = newest
                .iter()
                .filter(|(subject, _)| matches(&pattern, subject))
                .map(|(_, sequence)| *sequence)
                .collect();
            let mut found = tree.newest_of_each(&pattern);
            want.sort_unstable();
            found.sort_unstable();
            prop_assert_eq!(found, want);
            if newest.is_empty() {
                prop_assert!(tree.below.is_empty(), "empty branches are left behind");
            }
        }
    }
}
