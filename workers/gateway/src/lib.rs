//! The gateway: the edge between publishers and the fleet.
//!
//! The gateway turns questions into first steps, ends turns whose time is up, and delivers terminal events. *Not*
//! here: any thinking, and any state that another gateway would miss. Any number of gateways may run, because every
//! decision is a create-once message.
//!
//! | module | what |
//! |---|---|
//! | [`Gateway`] | the consumers and watchers of one process |
//! | `inbox` | a question: accepted, joined by a second listener, or refused |
//! | `timers` | what falls due: soft deadlines, the ends of turns, the sweep |
//! | `answers` | delivers terminal events to the askers |
//! | `ask` | request and reply |
//! | `auto_mode` | the mode of a question that leaves it open |
//! | `sweep` | finds turns that nothing else will end |
//! | `watch` | watching how full the streams are |
//! | `clarified` | replies to a question back, outside of conversations |
//! | `conversations` | turns of conversations: admitted, begun, ended in their log |
//! | `quota` | how many turns of one tenant run, and what they may spend |
//! | `ended_turns` | hearing which turns have ended, for the quota |
//! | `backlog` | reading what waits for each role, for the gauges |
//! | `turnstile` | questions of one conversation, in the order of the inbox |
//! | `turns` | beginning and ending turns: what the consumers have in common |

mod answers;
mod ask;
mod auto_mode;
mod backlog;
mod capacity;
mod clarified;
mod conversations;
mod ended_turns;
mod gateway;
mod inbox;
mod metrics;
mod options;
mod quota;
mod sweep;
mod timers;
mod trace;
mod turns;
mod turnstile;
mod watch;

pub use gateway::Gateway;
pub use metrics::Metrics;
pub use options::{InvalidOption, Options};
pub use watch::WATCHED;
