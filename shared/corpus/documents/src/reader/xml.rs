//! What the readers of XML share: names without prefixes, attributes, entities, and a limit of depth.

use super::SkipReason;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Deepest nesting of elements.
pub(super) const DEPTH_MAX: usize = 256;

/// What reads a document of XML, element by element.
pub(super) trait Events {
    /// An element begins.
    fn start(&mut self, start: &BytesStart<'_>);
    /// An element ends.
    fn end(&mut self, name: &str);
    /// A piece of text, its entities as signs.
    fn text(&mut self, text: &str);
    /// Whether an element of this name is taken as a whole.
    fn is_whole(&self, _name: &str) -> bool {
        false
    }
    /// What is inside of such an element.
    fn whole(&mut self, _xml: &str) {}
    /// Looked at after each event: whether there is room for more.
    fn has_room(&self) -> Result<(), SkipReason> {
        Ok(())
    }
}

/// Reads a document to its end.
pub(super) fn walk(xml: &str, events: &mut impl Events) -> Result<(), SkipReason> {
    let mut reader = Reader::from_str(xml);
    let mut depth: usize = 0;
    loop {
        match reader.read_event().map_err(bad_xml)? {
            Event::Start(start) if events.is_whole(start.local_name().into_inner()) => {
                let inside = reader.read_text(start.name()).map_err(bad_xml)?;
                events.whole(&inside);
            }
            Event::Start(start) => {
                depth += 1;
                if depth > DEPTH_MAX {
                    return Err(bad_xml("nested too deep"));
                }
                events.start(&start);
            }
            Event::Empty(start) => {
                events.start(&start);
                events.end(&local(&start));
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                events.end(end.local_name().into_inner());
            }
            Event::Text(text) => events.text(&text.xml10_content()),
            Event::CData(text) => events.text(&text.xml10_content()),
            Event::GeneralRef(name) => {
                let sign = entity(&name.xml10_content());
                sign.into_iter()
                    .for_each(|sign| events.text(sign.encode_utf8(&mut [0; 4])));
            }
            Event::Eof if depth > 0 => return Err(bad_xml("it ends too early")),
            Event::Eof => return Ok(()),
            _ => {}
        }
        events.has_room()?;
    }
}

/// The reason for XML that cannot be followed.
pub(super) fn bad_xml(error: impl std::fmt::Display) -> SkipReason {
    SkipReason::Broken(format!("bad XML: {error}"))
}

/// The name of an element, without its prefix.
pub(super) fn local(start: &BytesStart<'_>) -> String {
    start.local_name().into_inner().to_owned()
}

/// An attribute, by its name without a prefix; an entity that has no character stays as it is written.
pub(super) fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let found = attributes
        .with_checks(false)
        .flatten()
        .find(|a| a.key.local_name().into_inner() == name)?;
    Some(unescaped(&found.value))
}

/// The text of a value; an entity that has no character stays as it is written.
pub(super) fn unescaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for (at, part) in value.split('&').enumerate() {
        let sign = part
            .split_once(';')
            .and_then(|(name, rest)| Some((entity(name)?, rest)));
        match sign {
            Some((sign, rest)) if at > 0 => {
                text.push(sign);
                text.push_str(rest);
            }
            _ => {
                text.push_str(if at > 0 { "&" } else { "" });
                text.push_str(part);
            }
        }
    }
    text
}

/// The character of `&amp;` or `&#8364;`.
pub(super) fn entity(name: &str) -> Option<char> {
    let code = |digits: &str, radix| char::from_u32(u32::from_str_radix(digits, radix).ok()?);
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => match name.strip_prefix("#x") {
            Some(digits) => code(digits, 16),
            None => code(name.strip_prefix('#')?, 10),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn entities_of_attributes_are_signs() {
        for (written, read) in [
            ("Yard &amp; shed", "Yard & shed"),
            ("&lt;&#8364;&#x41;&gt;", "<€A>"),
            ("a & b; &none; &", "a & b; &none; &"),
            ("a;b", "a;b"),
            ("&amp;amp;", "&amp;"),
        ] {
            assert_eq!(unescaped(written), read);
        }
    }
}
