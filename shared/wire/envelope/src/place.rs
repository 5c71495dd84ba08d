//! Where the text of a passage stands in its document: lines, and pages where the format has them.

use serde::{Deserialize, Serialize};

/// Where the text of a passage goes on in its document, from a byte on. Up to the next place, each line break of the
/// text is one of the document.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Byte of the text, from 0.
    pub at: u32,
    /// Line in the source, from 1.
    pub line: u32,
    /// Page, slide, sheet or chapter, from 1, where the format has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<u32>,
    /// How people name that page where it is not by its number: `iv`, `Budget 2025`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_name: Option<String>,
}

/// The place of byte `at` of `text`. The places are in their order; where there is none before it, line 0.
pub fn place_at(places: &[Place], text: &str, at: usize) -> Place {
    let before = places.partition_point(|place| place.at as usize <= at);
    let Some(place) = before.checked_sub(1).and_then(|last| places.get(last)) else {
        return Place::default();
    };
    let between = text.as_bytes().get(place.at as usize..at);
    let breaks = between.map_or(0, |bytes| bytes.iter().filter(|&&b| b == b'\n').count());
    Place {
        at: u32::try_from(at).unwrap_or(u32::MAX),
        line: place
            .line
            .saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX)),
        ..place.clone()
    }
}

/// Places without those that the one before foretells.
pub fn told_places(places: impl IntoIterator<Item = Place>, text: &str) -> Vec<Place> {
    let mut told: Vec<Place> = Vec::new();
    for place in places {
        if told.is_empty() || place_at(&told, text, place.at as usize) != place {
            told.push(place);
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn place(at: u32, line: u32, page: u32) -> Place {
        Place {
            at,
            line,
            page: Some(page),
            page_name: None,
        }
    }

    #[test]
    fn lines_are_counted_from_the_place_before() {
        let text = "a\nb c\n\nd";
        let places = [place(0, 7, 1), place(4, 20, 2)];
        for (at, line, page) in [(0, 7, 1), (2, 8, 1), (4, 20, 2), (7, 22, 2), (99, 20, 2)] {
            assert_eq!(place_at(&places, text, at), place(at as u32, line, page));
        }
        assert_eq!(place_at(&[], text, 3).line, 0);
        assert_eq!(place_at(&places[1..], text, 3).line, 0);
        assert_eq!(place_at(&places, "ä", 1).line, 7, "inside a character");
    }

    proptest! {
        #[test]
        fn what_is_not_told_can_be_counted(text in "[a\n ]{1,40}", marks in prop::collection::vec((0usize..40, 1u32..4, 1u32..3), 0..9)) {
            let mut marks: Vec<Place> = marks.into_iter().map(|(at, line, page)| place((at % text.len()) as u32, line, page)).collect();
            marks.sort_by_key(|mark| mark.at);
            marks.dedup_by_key(|mark| mark.at);
            let told = told_places(marks.clone(), &text);
            for mark in marks {
                prop_assert_eq!(place_at(&told, &text, mark.at as usize), mark);
            }
        }
    }
}
