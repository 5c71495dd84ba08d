//! Reads a PPTX into lines, slide by slide as they are shown: titles as `##` lines, list items as `-` lines or with
//! their numbers, tables as rows `| a | b |`, charts as tables, the speaker's notes behind their slide.
//!
//! The page of a line is the number of its slide. It does *not* read hidden slides, comments, pictures, and what
//! stands on the master.

use super::docx::{Around, Parts, Relations, numbered, properties, read};
use super::package::XML_BYTES_MAX;
use super::tree::Tree;
use super::{Parsed, SkipReason, front_matter};
use crate::document::NumberedLine;
use std::collections::HashSet;

/// The title that the program gives to a presentation without one begins so in many languages.
const NO_TITLE: &str = "PowerPoint";

/// Parses a presentation.
pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, SkipReason> {
    let mut parts = Parts::open(bytes, XML_BYTES_MAX)?;
    let main = parts.main("ppt/presentation.xml")?;
    let Some(presentation) = parts.text(&main)? else {
        return Err(SkipReason::Broken("no presentation in its archive".into()));
    };
    let slides = slides(&presentation, parts.relations(&main)?)?;
    let mut shown = Slides::default();
    for (part, page) in slides.iter().zip(1..) {
        shown.read(&mut parts, part, page)?;
    }
    let core = parts.text("docProps/core.xml")?.unwrap_or_default();
    let (title, metadata) = properties(&core);
    let hidden = (shown.hidden > 0).then(|| {
        SkipReason::Partial(format!(
            "hidden slides left out: {}; show them to have them read",
            shown.hidden
        ))
    });
    Ok(Parsed {
        title: title
            .filter(|title| !title.starts_with(NO_TITLE))
            .or(shown.title),
        metadata: front_matter::collect(metadata),
        lines: numbered(shown.lines.into_iter()),
        left_out: SkipReason::both(hidden, shown.around.left_out),
        ..Parsed::default()
    })
}

/// The parts of the slides, in the order in which they are shown.
fn slides(presentation: &str, mut relations: Relations) -> Result<Vec<String>, SkipReason> {
    let tree = Tree::parse(presentation)?;
    let slides = tree
        .nodes()
        .filter(|node| node.name() == "sldId")
        .filter_map(|slide| {
            // It has two ids, and one of them is that of a relation.
            let mut ids = slide.attributes().map(|(_, id)| id);
            ids.find_map(|id| relations.remove(&id))
        });
    Ok(slides.map(|slide| slide.part).collect())
}

#[derive(Default)]
struct Slides {
    around: Around,
    lines: Vec<NumberedLine>,
    /// The first title.
    title: Option<String>,
    /// What stood at the edge of a slide.
    edges: HashSet<String>,
    hidden: usize,
}

impl Slides {
    fn read(&mut self, parts: &mut Parts<'_>, part: &str, page: u32) -> Result<(), SkipReason> {
        let relations = parts.relations(part)?;
        self.around.draw_from(parts, &relations)?;
        let Some(xml) = parts.text(part)? else {
            return Ok(());
        };
        let found = read(&xml, &mut self.around, Some(page));
        let slide = self.around.or_left_out("a slide", found)?;
        if slide.is_hidden {
            self.hidden += 1;
            return Ok(());
        }
        let notes = self.notes(parts, &relations, page)?;
        let edges = slide
            .edges
            .into_iter()
            .filter(|edge| self.edges.insert(edge.clone()));
        let edges: Vec<String> = edges.collect();
        let title = slide.title.trim();
        if title.is_empty() && slide.lines.is_empty() && notes.is_empty() && edges.is_empty() {
            return Ok(());
        }
        let heading = match title {
            "" => format!("## Slide {page}"),
            title if slide.is_title_of_all => format!("# {title}"),
            title => format!("## {title}"),
        };
        if !title.is_empty() {
            self.title.get_or_insert_with(|| title.to_owned());
        }
        let line = |text: String| NumberedLine::new(0, Some(page), text);
        let before = [heading, String::new()].map(line);
        let behind = edges
            .into_iter()
            .flat_map(|edge| [line(edge), line(String::new())]);
        self.lines.extend(
            before
                .into_iter()
                .chain(slide.lines)
                .chain([line(String::new())])
                .chain(notes)
                .chain(behind),
        );
        Ok(())
    }

    /// What the speaker noted.
    fn notes(
        &mut self,
        parts: &mut Parts<'_>,
        relations: &Relations,
        page: u32,
    ) -> Result<Vec<NumberedLine>, SkipReason> {
        let Some(notes) = relations
            .values()
            .find(|relation| relation.kind == "notesSlide")
        else {
            return Ok(Vec::new());
        };
        let xml = parts.text(&notes.part)?.unwrap_or_default();
        self.around.is_aside = true;
        let found = read(&xml, &mut self.around, Some(page));
        self.around.is_aside = false;
        let mut lines = self
            .around
            .or_left_out("the notes of a slide", found)?
            .lines;
        if let Some(first) = lines.iter_mut().find(|line| !line.text.is_empty()) {
            first.text.insert_str(0, "Notes: ");
        }
        Ok(lines)
    }
}

#[cfg(test)]
#[path = "pptx_tests.rs"]
mod tests;
