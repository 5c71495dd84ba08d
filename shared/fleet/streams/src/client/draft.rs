//! Puts the draft of an answer together from the live messages that a client receives while the answer is written.
//!
//! Pure. A draft is *not* the answer: it is unchecked, and the client has to replace it by the terminal event.

use crate::client::News;
use envelope::live::LiveText;

/// The most bytes of a draft that are kept, counted from its end: a longer draft does not fit on a screen.
const KEPT_MAX: usize = 16 * 1024;
/// Where something is missing.
const GAP: char = '…';

/// The draft as far as it has arrived. It is empty when there is no draft, or no draft that may still be shown.
#[derive(Debug, Default)]
pub struct DraftText {
    text: String,
    /// Hop and delivery of the step that writes it, and which of its drafts this is.
    of: Option<(u16, u16, u16)>,
    /// Number of the piece that comes next.
    next: u32,
    /// No draft of a step before this hop is worth showing.
    since: u16,
}

impl DraftText {
    /// Takes in a live message; returns whether the draft has changed.
    pub fn hear(&mut self, news: &News<'_>) -> bool {
        match news {
            News::Text(piece) => self.piece(piece),
            // The step after it is done: the draft was judged.
            News::Stage(entry) if entry.hop > self.since => {
                self.since = entry.hop;
                let is_over = self.of.is_some_and(|(hop, ..)| hop < entry.hop);
                is_over && self.take_back()
            }
            News::Stage(_) | News::Expected(_) | News::Waiting { .. } => false,
        }
    }

    /// The draft.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn take_back(&mut self) -> bool {
        let was_shown = !self.text.is_empty();
        self.text.clear();
        was_shown
    }

    fn piece(&mut self, piece: &LiveText) -> bool {
        let of = (piece.hop, piece.attempt, piece.draft);
        if piece.hop < self.since || self.of.is_some_and(|known| of < known) {
            return false;
        }
        let is_same_delivery = |known: (u16, u16, u16)| (known.0, known.1) == (of.0, of.1);
        let expected = match self.of.is_some_and(is_same_delivery) {
            true => self.next,
            false => 0,
        };
        if piece.n < expected {
            return false;
        }
        let mut is_other = self.of != Some(of) && self.take_back();
        (self.of, self.next) = (Some(of), piece.n.saturating_add(1));
        if !piece.text.is_empty() {
            if piece.n > expected {
                self.text.push(GAP);
            }
            self.text.push_str(&piece.text);
            is_other = true;
        }
        let over = self.text.len().saturating_sub(KEPT_MAX);
        self.text.drain(..self.text.ceil_char_boundary(over));
        is_other
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use envelope::{Header, Role, TrailEntry, TurnId, UnixMs};

    fn piece(of: (u16, u16, u16), n: u32, text: &str) -> LiveText {
        LiveText {
            role: Role::Reducer,
            hop: of.0,
            attempt: of.1,
            draft: of.2,
            n,
            text: text.into(),
        }
    }

    /// What is shown after each of these.
    fn shown(pieces: &[((u16, u16, u16), u32, &str)]) -> Vec<String> {
        let mut draft = DraftText::default();
        let mut after = |(of, n, text): &(_, u32, &str)| {
            draft.hear(&News::Text(&piece(*of, *n, text)));
            draft.text().to_owned()
        };
        pieces.iter().map(&mut after).collect()
    }

    /// What a stage says at its end.
    pub(crate) fn entry(role: Role, hop: u16) -> TrailEntry {
        let turn = TurnId::again("draft");
        TrailEntry {
            attempt: 1,
            ..TrailEntry::of(&Header::of(turn, role, hop, UnixMs(0)), "")
        }
    }

    fn done(draft: &mut DraftText, role: Role, hop: u16) -> bool {
        draft.hear(&News::Stage(&entry(role, hop)))
    }

    #[test]
    fn pieces_are_joined_and_a_gap_is_seen() {
        let of = (4, 1, 0);
        let pieces = [(of, 0, "It "), (of, 1, "ends "), (of, 3, "May.")];
        assert_eq!(shown(&pieces), ["It ", "It ends ", "It ends …May."]);
        assert_eq!(shown(&[(of, 2, "May.")]), ["…May."]);
        assert_eq!(shown(&[(of, 0, "It "), (of, 0, "It ")]), ["It ", "It "]);
    }

    #[test]
    fn another_draft_delivery_or_step_begins_anew_and_older_ones_are_not_heard_any_more() {
        let pieces = [
            ((4, 1, 0), 0, "June"),
            ((4, 1, 1), 1, ""),
            ((4, 1, 1), 2, "May"),
            ((4, 1, 0), 3, "late"),
            ((4, 2, 0), 0, "April"),
            ((4, 1, 2), 4, "late"),
            ((6, 1, 0), 0, "March"),
        ];
        let wanted = ["June", "", "May", "May", "April", "April", "March"];
        assert_eq!(shown(&pieces), wanted);
        let lost = [((4, 1, 0), 0, "June"), ((4, 1, 1), 3, "May")];
        assert_eq!(shown(&lost), ["June", "…May"]);
    }

    #[test]
    fn what_was_judged_is_no_draft_any_more() {
        let mut draft = DraftText::default();
        assert!(draft.hear(&News::Text(&piece((4, 1, 0), 0, "June"))));
        assert!(!done(&mut draft, Role::Mapper, 3));
        assert!(!done(&mut draft, Role::Reducer, 4));
        assert_eq!(draft.text(), "June");
        assert!(done(&mut draft, Role::Validator, 5));
        assert_eq!(draft.text(), "");
        assert!(!draft.hear(&News::Text(&piece((4, 1, 0), 1, " late"))));
        assert!(draft.hear(&News::Text(&piece((6, 1, 0), 0, "May"))));
        assert_eq!(draft.text(), "May");
    }

    #[test]
    fn of_a_draft_without_end_the_end_is_kept() {
        let mut draft = DraftText::default();
        for n in 0..9 {
            let long = "ä".repeat(KEPT_MAX / 4);
            draft.hear(&News::Text(&piece((4, 1, 0), n, &long)));
        }
        assert_eq!(draft.text().len(), KEPT_MAX);
    }
}
