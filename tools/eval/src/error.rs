//! The reasons why a measurement could not be made.

use argosy::cli_error::CliError;
use argosy::local;
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
    /// The folder of MultiHop-RAG lacks the sentences that were made of its facts.
    #[error("`{}` has no `mutations.jsonl`", .0.display())]
    NoMutations(PathBuf),
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
    Fleet(#[from] local::Error),
    /// A question got no terminal event.
    #[error("question `{id}`: {error}")]
    Turn {
        /// Which.
        id: String,
        /// Why.
        error: Box<streams::client::Error>,
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

impl From<Error> for CliError {
    fn from(error: Error) -> Self {
        let text = error.to_string();
        match error {
            Error::NoMethod { known, .. } => {
                CliError::usage(text).hint(format!("the methods are {known}"))
            }
            Error::Options(_) => CliError::usage(text),
            Error::Search(error) => error.into(),
            Error::Fleet(error) => error.into(),
            Error::NoFolder(_) => {
                CliError::not_found(text).hint("name the folder of the data set with --path")
            }
            Error::NoFile { .. } => {
                CliError::not_found(text).hint("--dataset and --path have to go together")
            }
            Error::NoLabelledSet(_) => CliError::not_found(text)
                .hint("name the folder that holds the folders of the data sets with --path"),
            Error::NoMutations(folder) => CliError::not_found(text).hint(format!(
                "python3 tools/mutations/generate.py multihop_rag {} makes it",
                folder.display()
            )),
            Error::NoQuestion => {
                CliError::negative(text).hint("take another --split or a larger --limit")
            }
            Error::NoCorpus(folder) => CliError::not_found(text).hint(format!(
                "python3 tools/conditions/generate.py dev {} --documents 5000 makes one",
                folder.display()
            )),
            Error::NoCase => CliError::not_found(text)
                .hint("without a name all of them are run; --path names a folder of others"),
            Error::Case { .. } => {
                CliError::usage(text).hint("docs/retrieval.md says how a trajectory is written")
            }
            Error::File { .. }
            | Error::Line { .. }
            | Error::Schema(_)
            | Error::BadDay(_)
            | Error::Question { .. }
            | Error::Turn { .. }
            | Error::Index { .. }
            | Error::Embed(_)
            | Error::Io(_) => CliError::negative(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(error: Error) -> (u8, Option<String>) {
        let told = CliError::from(error);
        (told.exit, told.hint)
    }

    #[test]
    fn an_error_says_what_to_do() {
        let path = || PathBuf::from("x");
        let error = || io::Error::from(io::ErrorKind::NotFound);
        let (missing, unread) = (
            Error::NoFile {
                path: path(),
                error: error(),
            },
            Error::File {
                path: path(),
                error: error(),
            },
        );
        assert_eq!(told(missing).0, 3, "not found");
        assert_eq!(told(unread).0, 1);
        assert_eq!(told(Error::NoFolder(path())).0, 3);
        assert_eq!(told(Error::NoLabelledSet(path())).0, 3);
        assert_eq!(told(Error::NoMutations(path())).0, 3);
        let methods = Error::NoMethod {
            name: "x".into(),
            known: "a, b".into(),
        };
        assert_eq!(told(methods).1.unwrap(), "the methods are a, b");
    }
}
