//! Where each value stands, and what sort of file a document is.

use crate::dice::Dice;
use crate::field::{Field, FileKind, Shelf, Stand};
use crate::record::Matter;
use crate::words::ShelfWords;

/// Files of a hundred: Markdown, HTML, PDF, JSONL, CSV, scans.
const FILES: [usize; 6] = [38, 18, 20, 10, 4, 10];
/// Of a thousand values: front matter, text, path, nowhere. What a PDF and a CSV cannot have in front matter, the
/// others have more of, so that together it is 400, 250, 250 and 100.
const WITH_FRONT: [usize; 4] = [514, 168, 206, 112];
const WITHOUT_FRONT: [usize; 4] = [0, 498, 390, 112];
/// What a document is, it says somewhere; the other fields stand nowhere a bit more often in turn.
const NATURE: [[usize; 3]; 2] = [[525, 235, 240], [0, 545, 455]];

/// Sorts of files, drawn as cards are: of a hundred in a row there are as many of each as there should be.
#[derive(Debug, Default)]
pub(crate) struct FileDeck(Vec<FileKind>);

impl FileDeck {
    fn draw(&mut self, dice: &mut Dice) -> FileKind {
        if self.0.is_empty() {
            let cards = FileKind::ALL.into_iter().zip(FILES);
            self.0 = cards
                .flat_map(|(file, count)| std::iter::repeat_n(file, count))
                .collect();
            dice.shuffle(&mut self.0);
        }
        self.0.pop().expect("it was just filled")
    }
}

/// What sort of file a document becomes.
pub(crate) fn file(
    matter: &Matter,
    words: &ShelfWords,
    second_scan: &str,
    deck: &mut FileDeck,
    dice: &mut Dice,
) -> FileKind {
    if matches!(matter, Matter::Invoice(one) if one.nature == second_scan) {
        return FileKind::Scan;
    }
    match deck.draw(dice) {
        // The title of a CSV is the name of the file: without a schema nothing would tell what is in it.
        FileKind::Csv if !words.has_schema => FileKind::Markdown,
        file => file,
    }
}

/// Where each value stands.
pub(crate) fn stands(shelf: Shelf, file: FileKind, dice: &mut Dice) -> [Stand; Field::COUNT] {
    let mut stands = [Stand::Nowhere; Field::COUNT];
    for field in shelf.fields() {
        let without = usize::from(!file.has_front());
        let at = match field.is_always_said() {
            true => dice.weighted(&NATURE[without]),
            false => dice.weighted(&[WITH_FRONT, WITHOUT_FRONT][without]),
        };
        stands[*field as usize] = Stand::ALL[at];
    }
    stands
}
