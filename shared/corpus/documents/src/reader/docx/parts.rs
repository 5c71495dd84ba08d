//! The parts of an office document, and which of them a part refers to. What all of them unpack to is bounded.

use crate::reader::SkipReason;
use crate::reader::package::Package;
use crate::reader::xml::attribute;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeMap;

/// What a part counts for at least, so that the number of parts is bounded as well.
const PART_BYTES_MIN: u64 = 4 * 1024;
/// So many parts of the largest size may be read.
const LARGEST_PARTS: u64 = 2;

/// What a part refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::reader) struct Relation {
    /// The last word of its type: `header`, `chart`, `slide`.
    pub(in crate::reader) kind: String,
    /// The name of the part in the archive.
    pub(in crate::reader) part: String,
}

/// The relations of a part, by their ids.
pub(in crate::reader) type Relations = BTreeMap<String, Relation>;

/// The archive of a document.
pub(in crate::reader) struct Parts<'a> {
    package: Package<'a>,
    bytes_left: u64,
    bytes_max: u64,
}

impl<'a> Parts<'a> {
    pub(in crate::reader) fn open(
        bytes: &'a [u8],
        part_bytes_max: u64,
    ) -> Result<Parts<'a>, SkipReason> {
        if !bytes.starts_with(b"PK") {
            return Err(SkipReason::no_such(bytes));
        }
        let bytes_max = LARGEST_PARTS * part_bytes_max;
        Ok(Parts {
            package: Package::open(bytes, part_bytes_max)?,
            bytes_left: bytes_max,
            bytes_max,
        })
    }

    /// A part as text; `None` when there is none of that name.
    pub(in crate::reader) fn text(&mut self, name: &str) -> Result<Option<String>, SkipReason> {
        let text = self.package.text(name)?;
        let bytes = text.as_ref().map_or(0, String::len) as u64;
        match self.bytes_left.checked_sub(bytes.max(PART_BYTES_MIN)) {
            Some(left) => self.bytes_left = left,
            None => return Err(SkipReason::Inflates(self.bytes_max)),
        }
        Ok(text)
    }

    /// What a part refers to inside the archive; the archive itself is the part with the empty name.
    pub(in crate::reader) fn relations(&mut self, part: &str) -> Result<Relations, SkipReason> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let named = resolved(folder, &format!("_rels/{name}.rels"));
        let xml = self.text(&named)?.unwrap_or_default();
        let mut found = Relations::new();
        elements(&xml, |name, start| {
            let value = |name| attribute(start, name);
            let is_outside = value("TargetMode").is_some_and(|mode| mode == "External");
            if let (Some(id), Some(kind), Some(target)) =
                (value("Id"), value("Type"), value("Target"))
                && name == "Relationship"
                && !is_outside
            {
                let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
                let part = resolved(folder, &target);
                found.insert(id, Relation { kind, part });
            }
        });
        Ok(found)
    }

    /// The part that the document begins with.
    pub(in crate::reader) fn main(&mut self, usual: &str) -> Result<String, SkipReason> {
        let relations = self.relations("")?;
        let main = relations.into_values().find(|r| r.kind == "officeDocument");
        Ok(main.map_or_else(|| usual.to_owned(), |main| main.part))
    }
}

/// Calls with the name and start of each element, until the end or the first error.
pub(super) fn elements(xml: &str, mut each: impl FnMut(&str, &BytesStart<'_>)) {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => {
                each(start.local_name().into_inner(), &start);
            }
            Ok(Event::Eof) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

/// The name of a part that is named from a folder.
pub(in crate::reader) fn resolved(folder: &str, target: &str) -> String {
    let from = match target.starts_with('/') {
        true => "",
        false => folder,
    };
    let mut path: Vec<&str> = Vec::new();
    for step in from.split('/').chain(target.split('/')) {
        match step {
            "" | "." => {}
            ".." => drop(path.pop()),
            step => path.push(step),
        }
    }
    path.join("/")
}
