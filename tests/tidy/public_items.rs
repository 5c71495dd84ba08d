//! Finds the items that a Rust file makes public, and the names that it uses from other files. It reads the file line
//! by line, as rustfmt formats it.
//!
//! *Not* a parser: it recognises where an item begins and ends, but no types.

use std::collections::BTreeSet;

/// Kinds of items that have a name and may be public.
const KINDS: [&str; 8] = [
    "fn", "struct", "enum", "trait", "type", "const", "static", "mod",
];

/// The items that the library in a file makes public.
#[derive(Default)]
pub(crate) struct Items {
    /// Each public item: its line, from 1, and its name.
    pub(crate) public: Vec<(usize, String)>,
    /// Names, each with the names that have to be as public as they are.
    pub(crate) shown: Vec<(String, BTreeSet<String>)>,
}

/// The lines of a file without comments.
pub(crate) fn code(text: &str) -> Vec<&str> {
    let lines = text.lines().map(|line| {
        let is_comment = line.starts_with("//");
        let bare = line.split(" //").next();
        bare.filter(|_| !is_comment).unwrap_or_default()
    });
    lines.collect()
}

/// The words of a line, each behind what stands before it.
fn words(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + line[from..].find(part)?;
        let len = line[start..].find(|c| !part(c));
        from = len.map_or(line.len(), |len| start + len);
        Some((&line[..start], &line[start..from]))
    })
}

/// The names of other items in these lines: the words behind `::` or `.`, and those of each `use`.
pub(crate) fn named(lines: &[&str]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut in_use = false;
    for line in lines {
        let start = line.trim_start();
        in_use |= start.starts_with("use ") || start.starts_with("pub") && start.contains(" use ");
        let is_behind = |before: &str| {
            before.ends_with("::") || before.ends_with('.') && !before.ends_with("..")
        };
        let found = words(line).filter(|(before, _)| in_use || is_behind(before));
        names.extend(found.map(|(_, word)| word.to_owned()));
        in_use &= !line.contains(';');
    }
    names
}

/// All words of the macros that other crates may call, because what these macros name is named there.
pub(crate) fn in_macros(lines: &[&str]) -> BTreeSet<String> {
    let starts = (0..lines.len()).filter(|at| lines[*at].starts_with("#[macro_export]"));
    let bodies = starts.flat_map(|at| &lines[at..=end(lines, at, &['}'])]);
    let found = bodies.flat_map(|line| words(line));
    found.map(|(_, word)| word.to_owned()).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The last line of the item that begins at `start`: the first line that is indented as little and ends in one of
/// `ends`.
fn end(lines: &[&str], start: usize, ends: &[char]) -> usize {
    let far_left = indent(lines[start]);
    let mut following = lines[start..].iter();
    let len = following.position(|line| line.ends_with(ends) && indent(line) == far_left);
    len.map_or(lines.len() - 1, |len| start + len)
}

/// The items of a file, without those of its tests.
pub(crate) fn items(lines: &[&str]) -> Items {
    let mut items = Items::default();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        if line.starts_with("#[cfg(test)]") {
            at = end(lines, at, &['}', ';']);
        } else if let Some((kind, name)) = public(line) {
            items.public.push((at + 1, name.to_owned()));
            items.shown.push((name.to_owned(), shown(kind, lines, at)));
        } else if line.starts_with("impl") {
            items.shown.extend(block(lines, at));
        } else if line.trim_start().starts_with("pub use ") {
            items.shown.extend(renamed(lines, at));
        }
        at += 1;
    }
    items
}

/// The kind and the name of the item that a line makes public.
fn public(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start().strip_prefix("pub ")?;
    let is_fn = |(before, _): &(&str, &str)| {
        let mut before = before.split_whitespace();
        before.all(|word| ["async", "const", "unsafe"].contains(&word))
    };
    let (kind, rest) = match line.split_once("fn ").filter(is_fn) {
        Some((_, rest)) => ("fn", rest),
        None => line.split_once(' ')?,
    };
    let (before, name) = words(rest).next()?;
    (KINDS.contains(&kind) && before.is_empty()).then_some((kind, name))
}

/// The types, traits and constants in these lines: their names begin with a capital.
fn types(lines: &[&str]) -> BTreeSet<String> {
    let words = lines.iter().flat_map(|line| words(line));
    let types = words.filter(|(_, word)| word.starts_with(char::is_uppercase));
    types.map(|(_, word)| word.to_owned()).collect()
}

/// The names that the item of this kind, which begins at `at`, shows.
fn shown(kind: &str, lines: &[&str], at: usize) -> BTreeSet<String> {
    let head = end(lines, at, &['{', ';', '}']);
    let whole = end(lines, at, &['}', ';']);
    match kind {
        "mod" => BTreeSet::new(),
        "fn" => types(&lines[at..=head]),
        "const" | "static" => {
            let text = lines[at..=whole].join(" ");
            let without_value: Vec<&str> = text.split(" = ").take(1).collect();
            types(&without_value)
        }
        "struct" => {
            let mut shown = lines[at..=head].to_vec();
            let mut is_shown = false;
            for line in &lines[head + 1..whole.max(head + 1)] {
                if indent(line) == indent(lines[at]) + 4 {
                    is_shown = line.trim_start().starts_with("pub ");
                }
                shown.extend(is_shown.then_some(*line));
            }
            types(&shown)
        }
        _ => types(&lines[at..=whole]),
    }
}

/// The type of an `impl`, which shows the bounds of its methods and the types of its traits.
fn block(lines: &[&str], at: usize) -> Option<(String, BTreeSet<String>)> {
    let head = end(lines, at, &['{', '}']);
    let whole = end(lines, at, &['}']);
    let text = lines[at..=head].join(" ");
    let of = after_generics(&text);
    let of_trait = of.split_once(" for ").map(|(_, of)| of);
    let mut shows = lines[at..=head].to_vec();
    if of_trait.is_some() {
        shows = lines[head..whole].to_vec();
        shows.retain(|line| line.trim_start().starts_with("type "));
    }
    let mut names = words(of_trait.unwrap_or(of)).map(|(_, word)| word);
    let name = names.find(|name| name.starts_with(char::is_uppercase))?;
    Some((name.to_owned(), types(&shows)))
}

/// What follows `impl` and its parameters.
fn after_generics(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            ' ' if depth == 0 => return &text[at..],
            _ => {}
        }
    }
    text
}

/// The other names that a `pub use` gives. Each shows the item that it stands for.
fn renamed(lines: &[&str], at: usize) -> Vec<(String, BTreeSet<String>)> {
    let text = lines[at..=end(lines, at, &[';'])].join(" ");
    let parts = text.split([',', '{', '}', ';']);
    let renamed = parts.filter_map(|part| {
        let (from, to) = part.split_once(" as ")?;
        let (_, from) = words(from).last()?;
        Some((to.trim().to_owned(), BTreeSet::from([from.to_owned()])))
    });
    renamed.collect()
}

#[test]
fn comments_are_no_code() {
    let text = "/// A `x::Y`.\npub use a::b; // c::d\n    // e\nlet u = \"http://f\";";
    let lines = ["", "pub use a::b;", "   ", "let u = \"http://f\";"];
    assert_eq!(code(text), lines);
}

#[test]
fn names_of_others_stand_behind_a_path_or_in_a_use() {
    let lines = [
        "pub(crate) use bus::{",
        "    Publish,",
        "};",
        "fn own(local: u8) -> x::Y {",
        "    local.call(..LIMIT, own)",
    ];
    let mut names: Vec<String> = named(&lines).into_iter().collect();
    names.retain(|name| !["pub", "crate", "use", "bus"].contains(&name.as_str()));
    assert_eq!(names, ["Publish", "Y", "call"]);
}

#[test]
fn macros_for_others_name_what_is_in_them() {
    let lines = [
        "#[macro_export]",
        "macro_rules! a {",
        "    b",
        "}",
        "fn c() {}",
    ];
    let names = in_macros(&lines);
    assert!(names.contains("b") && !names.contains("c"));
}

#[test]
fn public_items_are_told_from_fields_and_imports() {
    for (line, found) in [
        ("pub fn a() {", Some(("fn", "a"))),
        ("    pub const fn b(&self) {", Some(("fn", "b"))),
        ("pub async fn c<T>(", Some(("fn", "c"))),
        ("pub const D: fn (u8) = e;", Some(("const", "D"))),
        ("pub struct F<T>(T);", Some(("struct", "F"))),
        ("pub mod g;", Some(("mod", "g"))),
        ("    pub mode: Box<dyn Fn()>,", None),
        ("        pub struct $name(String);", None),
        ("pub(crate) fn h() {", None),
        ("pub use i::j;", None),
    ] {
        assert_eq!(public(line), found, "{line}");
    }
}

/// The names that the item of this name shows.
fn shown_by(name: &str, text: &str) -> Vec<String> {
    let shown = items(&code(text)).shown;
    let of_name = shown.into_iter().filter(|(of, _)| of == name);
    of_name.flat_map(|(_, shows)| shows).collect()
}

#[test]
fn an_item_shows_its_signature_and_no_more() {
    let text = "\
pub fn a(
    b: Given,
) -> Result<(), Broken>
where
    (): Bound,
{
    Inner::new()
}
pub const B: Kind = Value::X;
pub struct C {
    pub shown: Box<
        Shown,
    >,
    hidden: Hidden,
}
pub enum D {
    One(Part),
}
impl<T: Fn() -> Made> C {
    pub fn of(it: Other) -> Self {
        it.into()
    }
}
impl Iterator for D {
    type Item = Each;
}
pub use x::{y as E, z};
#[cfg(test)]
mod tests {
    pub fn f(of: Test) {}
}
";
    let a = ["Bound", "Broken", "Given", "Result"];
    assert_eq!(shown_by("a", text), a);
    assert_eq!(shown_by("B", text), ["B", "Kind"]);
    assert_eq!(
        shown_by("C", text),
        ["Box", "C", "Shown", "C", "Fn", "Made", "T"]
    );
    assert_eq!(shown_by("of", text), ["Other", "Self"]);
    assert_eq!(shown_by("D", text), ["D", "One", "Part", "Each", "Item"]);
    assert_eq!(shown_by("E", text), ["y"]);
    assert!(shown_by("f", text).is_empty());
}
