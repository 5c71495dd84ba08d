//! Decides which file format a document has, and whether the value of a field is written in its front matter, its
//! text, its path, or nowhere.

use crate::dice::Dice;
use crate::field::{Field, FileKind, Shelf, Stand};
use crate::record::Matter;
use crate::words::ShelfWords;

/// How many files of a hundred are Markdown, HTML, PDF, JSONL, CSV and scans.
const FILES: [usize; 6] = [38, 18, 20, 10, 4, 10];
/// How many of a thousand values stand in front matter, text, path and nowhere. The shares of front matter that PDF
/// and CSV cannot have are added to the other formats, so that the total is 400, 250, 250 and 100.
const WITH_FRONT: [usize; 4] = [514, 168, 206, 112];
const WITHOUT_FRONT: [usize; 4] = [0, 498, 390, 112];
/// The places of the field that says what a document is, which always stands somewhere; in turn, the other fields
/// stand nowhere a bit more often.
const NATURE: [[usize; 3]; 2] = [[525, 235, 240], [0, 545, 455]];

/// File formats, drawn as cards are: a hundred in a row hold exactly the right number of each.
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

/// The file format of a document.
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

/// The place of each value.
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
