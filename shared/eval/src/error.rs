//! The reasons why a measurement could not be made.

use crate::fleet::FleetError;
use index_host::search_factory;
use settings::InvalidOption;
use std::io;
use std::path::PathBuf;

/// Why a measurement could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No search method has this name.
    #[error("there is no method `{name}`")]
    NoMethod {
        /// What was named.
        name: String,
        /// Those that there are.
        known: String,
    },
    /// The options of the search do not go together.
    #[error("in section `retrieval`: {0}")]
    Options(InvalidOption),
    /// The configured search is not possible.
    #[error(transparent)]
    Search(#[from] search_factory::Error),
    /// The data set has no folder.
    #[error("`{}` is not a folder", .0.display())]
    NoFolder(PathBuf),
    /// The folder lacks a file of the data set.
    #[error("`{}`: {error}", .path.display())]
    NoFile {
        /// Which.
        path: PathBuf,
        /// As the system says it.
        error: io::Error,
    },
    /// A file cannot be read or written.
    #[error("`{}`: {error}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A line of a file does not have the format of the data set.
    #[error("`{}` line {line}: {what}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        what: String,
    },
    /// The folder has none of the data sets.
    #[error("`{}` has no folder `ragtruth_test`, `scifact` or `multihop_rag`", .0.display())]
    NoLabelledSet(PathBuf),
    /// The split or the limit leaves no question.
    #[error("there is no question to ask")]
    NoQuestion,
    /// The folder has no generated corpus.
    #[error("`{}` has no `questions.jsonl`, and so no generated corpus", .0.display())]
    NoCorpus(PathBuf),
    /// The schema of the corpus is invalid.
    #[error(transparent)]
    Schema(#[from] indexer::schema::SchemaError),
    /// The day on which a question is asked is invalid.
    #[error("`{0}` is no day")]
    BadDay(String),
    /// The fleet in this process does not run, or has failed to index.
    #[error(transparent)]
    Fleet(FleetError),
    /// A question got no terminal event.
    #[error("question `{id}`: {error}")]
    Turn {
        /// Which.
        id: String,
        /// Why.
        error: Box<client::Error>,
    },
    /// The file of a trajectory, or its settings, are invalid.
    #[error("trajectory `{name}`: {what}")]
    Case {
        /// Which.
        name: String,
        /// What is wrong.
        what: String,
    },
    /// No trajectory has that name, or there are no trajectories.
    #[error("there is no such trajectory")]
    NoCase,
    /// A search failed.
    #[error("question `{id}`: {error}")]
    Question {
        /// Of which question.
        id: String,
        /// Why.
        error: search::Error,
    },
    /// The index failed.
    #[error("the index in `{}`: {error}", .dir.display())]
    Index {
        /// Where it is.
        dir: PathBuf,
        /// Why.
        error: index::Error,
    },
    /// A vector was not made.
    #[error(transparent)]
    Embed(#[from] llm::embed::Error),
    /// A temporary folder, or the file of vectors, failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}
