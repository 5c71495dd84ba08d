//! What commands of LaTeX mean: signs, and what is done with what stands in their braces.

pub(super) const WORDS: char = 'w';
pub(super) const SILENT: char = 's';
pub(super) const TITLE: char = 't';
pub(super) const AUTHOR: char = 'a';
pub(super) const NOTE: char = 'n';
pub(super) const CAPTION: char = 'c';
/// How many columns the cell behind it has.
pub(super) const COLUMNS: char = 'x';
pub(super) const CELLS: char = 'y';

/// Commands whose braces are more than words, and a sign for each pair of braces: one of those above, or the level of a
/// heading.
pub(super) const COMMANDS: [(&str, &str); 14] = [
    ("part", "1"),
    ("chapter", "2"),
    ("section", "3"),
    ("subsection", "4"),
    ("subsubsection", "5"),
    ("paragraph subparagraph", "6"),
    ("title", "t"),
    ("author", "a"),
    ("footnote thanks footnotetext", "n"),
    ("caption captionof", "c"),
    ("multicolumn", "xsy"),
    ("multirow fcolorbox resizebox", "ssw"),
    (
        "textcolor colorbox href raisebox parbox scalebox rotatebox",
        "sw",
    ),
    (
        "addbibresource addcontentsline addtocounter addtolength bibliography bibliographystyle \
         captionsetup color definecolor documentclass fancyfoot fancyhead fontsize geometry \
         graphicspath hspace hypersetup includegraphics includepdf index label lstset \
         newcolumntype newcounter newlength newtheorem nocite pagenumbering pagestyle pgfplotsset \
         rule selectfont setcounter setlength setlist theoremstyle thispagestyle tikzset \
         usepackage usetikzlibrary vspace cmidrule cline vskip hskip date lhead rhead \
         bibitemdeclare pdfoutput DeclareMathOperator newenvironment",
        "ssssss",
    ),
];

/// Commands for signs that are set over or under the letter behind them, and those signs, each over a circle.
pub(super) const ACCENTS: &str = "\" ◌̈ ' ◌́ ` ◌̀ ^ ◌̂ ~ ◌̃ = ◌̄ . ◌̇ c ◌̧ v ◌̌ H ◌̋ u ◌̆ r ◌̊ k ◌̨";
/// Commands that stand for other signs than themselves, and these signs.
pub(super) const SIGNS: &str = "i i j j ss ß o ø O Ø ae æ AE Æ oe œ OE Œ aa å AA Å l ł L Ł ldots … dots … S § \
    textbackslash \\ LaTeX LaTeX TeX TeX textasciitilde ~ pounds £ euro € textdegree °";
/// Commands that stand for a blank.
pub(super) const BLANKS: &str = ", ; : quad qquad par newline linebreak and";

/// What stands behind a word in a list of pairs.
pub(super) fn paired(pairs: &'static str, word: &str) -> Option<&'static str> {
    let mut words = pairs.split(' ');
    words.by_ref().step_by(2).position(|known| known == word)?;
    words.next()
}
