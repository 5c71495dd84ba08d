//! Splits texts into sentences: there is one splitter for each use.
//!
//! The splitters differ on purpose. The chunker's splitter belongs to the version of the chunks, the offline reader has
//! weights that were measured with its splitter, and the splitter for citations may cut once too often. *Not* a
//! grammar.

pub mod cited;
pub mod cut;
mod read;

pub use read::sentences as read;
