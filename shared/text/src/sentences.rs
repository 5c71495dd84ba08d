//! Where sentences begin and end: one splitter for each use, side by side.
//!
//! They differ on purpose. The chunker's splitter is part of the version of the chunks, the reader's has weights
//! that were measured with it, and the splitter for citations may cut once too often. *Not* a grammar.

pub mod cited;
pub mod cut;
mod read;

pub use read::sentences as read;
