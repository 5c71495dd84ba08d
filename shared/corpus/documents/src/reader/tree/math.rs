//! Writes formulas as LaTeX: MathML, and the OMML of office documents. Letters and signs stay what they are: `π`, not
//! `\pi`, is what people look for.

use super::nodes::Node;
use text::one_line;

/// Functions that LaTeX knows by name.
const FUNCTIONS: &str =
    "arccos arcsin arctan cos cosh cot det exp gcd lim ln log max min sin sinh tan tanh";
/// Signs of operators and accents, each with its name.
const OPERATORS: &str =
    "∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint ⋃ bigcup ⋂ bigcap ⋁ bigvee ⋀ bigwedge";
const ACCENTS: &str = "◌̂ hat ◌̃ tilde ◌̄ bar ◌̅ bar ‾ bar ◌̇ dot ◌̈ ddot ◌̌ check ◌⃗ vec";

/// The formula in an element; empty when it has none.
pub(in crate::reader) fn latex(math: Node<'_>) -> String {
    one_line(&written(math))
}

fn written(node: Node<'_>) -> String {
    let parts: Vec<Node<'_>> = node.children().filter(|child| !child.is_text()).collect();
    let named = |name: &str| match parts.iter().find(|part| part.name() == name) {
        Some(part) => latex(*part),
        None => String::new(),
    };
    let property = |name: &str| {
        let properties = parts.iter().find(|part| part.name().ends_with("Pr"))?;
        properties.find(name)?.attribute("val")
    };
    let at = |at: usize| parts.get(at).map(|part| latex(*part)).unwrap_or_default();
    // Braces where it would not be clear what belongs to a script.
    let group = |index: usize| match at(index) {
        text if text.chars().count() == 1 || paired_name(OPERATORS, &text).is_some() => text,
        text => format!("{{{text}}}"),
    };
    let base = |text: String| match text.chars().all(char::is_alphanumeric)
        || text.starts_with(['(', '['])
    {
        true => text,
        false => format!("{{{text}}}"),
    };
    let script = |sign: char, text: String| match text.as_str() {
        "" => text,
        _ => format!("{sign}{{{text}}}"),
    };
    let scripts = || script('_', named("sub")) + &script('^', named("sup"));
    let is_on_top = property("pos").as_deref() == Some("top");
    let over = |top: &str, bottom: &str| {
        format!(
            "\\{}{{{}}}",
            if is_on_top { top } else { bottom },
            named("e")
        )
    };
    let matrix = |rows: String| format!("\\begin{{matrix}} {rows} \\end{{matrix}}");
    match node.name() {
        "t" => node.text(),
        "mi" | "mo" | "mn" | "ms" | "mtext" => sign(node.text().trim()),
        "mspace" => " ".to_owned(),
        // What the formula was written in, how it looks elsewhere, and what was deleted.
        "annotation" | "annotation-xml" | "mphantom" | "none" | "mprescripts" | "del" => {
            String::new()
        }
        name if name.ends_with("Pr") => String::new(),
        "mfrac" => format!("\\frac{{{}}}{{{}}}", at(0), at(1)),
        "msup" | "mover" => format!("{}^{}", group(0), group(1)),
        "msub" | "munder" => format!("{}_{}", group(0), group(1)),
        "msubsup" | "munderover" => format!("{}_{}^{}", group(0), group(1), group(2)),
        "msqrt" => format!("\\sqrt{{{}}}", one_line(&joined(&parts, " "))),
        "mroot" => format!("\\sqrt[{}]{{{}}}", at(1), at(0)),
        "mtr" | "mlabeledtr" | "mr" => joined(&parts, " & "),
        "mtable" | "m" => matrix(joined(&parts, " \\\\ ")),
        "mfenced" => {
            let sign = |name, usual: &str| node.attribute(name).unwrap_or_else(|| usual.to_owned());
            let inside = joined(&parts, &sign("separators", ","));
            format!("{}{inside}{}", sign("open", "("), sign("close", ")"))
        }
        "f" => match property("type").as_deref() {
            Some("noBar") => format!("\\binom{{{}}}{{{}}}", named("num"), named("den")),
            Some("lin" | "skw") => format!("{}/{}", base(named("num")), base(named("den"))),
            _ => format!("\\frac{{{}}}{{{}}}", named("num"), named("den")),
        },
        "sSup" | "sSub" | "sSubSup" => base(named("e")) + &scripts(),
        "sPre" => format!("{{}}{}{}", scripts(), base(named("e"))),
        "rad" => match named("deg").as_str() {
            "" => format!("\\sqrt{{{}}}", named("e")),
            degree => format!("\\sqrt[{degree}]{{{}}}", named("e")),
        },
        "nary" => {
            let operator = sign(property("chr").as_deref().unwrap_or("∫"));
            spaced(operator + &scripts(), &named("e"))
        }
        "d" => {
            let sign =
                |name, usual: &str| sign(&property(name).unwrap_or_else(|| usual.to_owned()));
            let inside = joined(&parts, &sign("sepChr", "|"));
            fenced(&sign("begChr", "("), &inside, &sign("endChr", ")"))
        }
        "func" => spaced(function(named("fName")), &named("e")),
        "limLow" => function(named("e")) + &script('_', named("lim")),
        "limUpp" => function(named("e")) + &script('^', named("lim")),
        "acc" => {
            let sign = property("chr").unwrap_or_else(|| "\u{302}".to_owned());
            format!(
                "\\{}{{{}}}",
                paired_name(ACCENTS, &sign).unwrap_or("hat"),
                named("e")
            )
        }
        "bar" => over("overline", "underline"),
        "groupChr" => over("overbrace", "underbrace"),
        "eqArr" if parts.iter().filter(|part| part.name() == "e").count() > 1 => {
            format!(
                "\\begin{{aligned}} {} \\end{{aligned}}",
                joined(&parts, " \\\\ ")
            )
        }
        name => {
            let between = if is_mathml(name) { " " } else { "" };
            let parts = parts
                .iter()
                .map(|part| written(*part))
                .filter(|text| !text.is_empty());
            parts
                .reduce(|text, next| spaced(text + between, &next))
                .unwrap_or_default()
        }
    }
}

/// Whether a formula stands in brackets that grow with it.
fn fenced(open: &str, inside: &str, close: &str) -> String {
    if !inside.contains('\\') {
        return format!("{open}{inside}{close}");
    }
    let grown = |sign: &str| {
        if sign.is_empty() {
            ".".to_owned()
        } else {
            sign.to_owned()
        }
    };
    format!("\\left{} {inside} \\right{}", grown(open), grown(close))
}

fn is_mathml(name: &str) -> bool {
    name.starts_with('m') || name == "semantics"
}

fn joined(parts: &[Node<'_>], between: &str) -> String {
    let parts = parts
        .iter()
        .map(|part| latex(*part))
        .filter(|text| !text.is_empty());
    parts.collect::<Vec<_>>().join(between)
}

/// Two pieces one after the other; a command does not run into the letter behind it.
fn spaced(mut text: String, next: &str) -> String {
    let command = text
        .rsplit_once('\\')
        .is_some_and(|(_, name)| name.chars().all(char::is_alphabetic));
    if command && next.starts_with(char::is_alphanumeric) {
        text.push(' ');
    }
    text + next
}

fn function(name: String) -> String {
    match FUNCTIONS.split(' ').any(|known| known == name) {
        true => format!("\\{name}"),
        false => name,
    }
}

/// The name of a sign, if it is one of these or such a name.
fn paired_name(pairs: &'static str, text: &str) -> Option<&'static str> {
    let words: Vec<&str> = pairs.split(' ').collect();
    let name = text.trim_start_matches('\\');
    let mut pairs = words.chunks(2).filter(|_| !text.is_empty());
    let pair = pairs.find(|pair| pair[0].ends_with(text) || pair[1] == name)?;
    Some(pair[1])
}

/// A sign or a name; those that say how a formula is put together are no text.
fn sign(text: &str) -> String {
    match text {
        "\u{2061}" | "\u{2062}" | "\u{2063}" | "\u{2064}" => String::new(),
        "{" | "}" => format!("\\{text}"),
        other => match paired_name(OPERATORS, other) {
            Some(name) if !other.is_ascii() => format!("\\{name}"),
            _ => other.to_owned(),
        },
    }
}
