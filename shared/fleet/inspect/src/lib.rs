//! Collects the state of a fleet as data: its processes, their backlogs, where a turn waits, how a turn went, and dead
//! letters.
//!
//! Everything is read from the bus and from the processes themselves. *Not* here: a command line, colours and exit
//! codes; advice about what to do, which `argosy doctor` gives; and the replies of a process about itself.
//!
//! | module | what |
//! |---|---|
//! | [`status`] | the whole fleet at a glance |
//! | [`processes`] | what processes report about themselves |
//! | [`disk`] | how much room a disk has |
//! | [`position`] | where a turn waits |
//! | [`trace`] | how a turn went, as a tree |
//! | [`dead_letters`] | what was given up, and retrying it |

pub mod dead_letters;
pub mod disk;
pub mod position;
pub mod processes;
pub mod status;
pub mod trace;
