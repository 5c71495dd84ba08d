//! What can be found out about a fleet, as data: who is there, what waits, where a turn is, how one went, what was given up.
//!
//! Everything is asked of the bus and of the processes themselves. *Not* here: a command line, colours and exit codes; what
//! should be done about it, which a doctor says; and answering for a process, which each does for itself.
//!
//! | module | what |
//! |---|---|
//! | [`status`] | the whole fleet at a glance |
//! | [`processes`] | what processes tell of themselves |
//! | [`disk`] | how much room a disk has |
//! | [`position`] | where a turn waits |
//! | [`trace`] | how a turn went, as a tree |
//! | [`dead_letters`] | what was given up, and trying it again |

pub mod dead_letters;
pub mod disk;
pub mod position;
pub mod processes;
pub mod status;
pub mod trace;
