//! The binary: command line, configuration, roles to running processes.
//!
//! Everything is composed here and nothing is decided here. It is a library so that the fleet tests
//! run what the binary runs.
//!
//! | module | what |
//! |---|---|
//! | [`cli`] | the command line |
//! | [`command`] | one module per command |
//! | [`mod@bench`] | measuring the fleet against bare JetStream |
//! | [`eval`] | measuring against known answers |
//! | [`config`] | the options of every crate under one roof |
//! | [`roles`] | stages and their collaborators, as running workers |
//! | [`fleet`] | a fleet of processes on this machine |
//! | [`local`] | the whole fleet in one process |
//! | [`lookup`] | looking into the corpus by request and reply |
//! | [`corpus`] | a folder into the corpus, by way of indexers |
//! | [`editions`] | the indexes of a retriever, and which of them is searched |
//! | [`census`] | what the corpus holds of each edition |
//! | [`view`] | the corpus stream into an index |
//! | [`snapshot`] | snapshots of an index, written and begun with |
//! | [`qdrant_view`] | the corpus stream into a Qdrant server |
//! | [`search`] | which embedder, vectors and reranker a search has |
//! | [`client`] | asking, as any client does |
//! | [`model`], [`nodes`] | which model answers; what processes know of its nodes |
//! | [`standing`], [`disk`] | how a process stands; room on its disk |
//! | [`doctor`] | what may be wrong with a fleet, looked for |
//! | [`offline_model`] | the offline reader behind HTTP |
//! | [`models`] | the files of local models |
//! | [`render`] | how results look |
//! | [`fail`] | how commands fail |
//! | [`stub`], [`fault`] | a stubbed model, and crashes at named points: for measuring and tests |

pub mod bench;
pub mod census;
pub mod cli;
pub mod client;
pub mod command;
pub mod config;
pub mod corpus;
pub mod disk;
pub mod doctor;
pub mod editions;
pub mod eval;
pub mod fail;
pub mod fault;
pub mod fleet;
pub mod local;
pub mod lookup;
pub mod model;
pub mod models;
pub mod nodes;
pub mod offline_model;
pub mod qdrant_view;
pub mod render;
pub mod roles;
pub mod search;
pub mod signal;
pub mod snapshot;
pub mod standing;
pub mod stub;
pub mod view;
