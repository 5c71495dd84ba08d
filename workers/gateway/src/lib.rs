//! The gateway: the edge between publishers and the fleet.
//!
//! The gateway turns questions into first steps, ends turns whose time is up, and delivers terminal events. It has
//! *no* answering logic and no state that another gateway would need. Any number of gateways may run, because every
//! decision is a create-once message.
//!
//! | module | what |
//! |---|---|
//! | [`Gateway`] | the consumers and watchers of one process |
//! | `inbox` | takes questions: accepts, joins or refuses each |
//! | `timers` | handles timers: soft deadlines, the ends of turns, the sweep |
//! | `answers` | delivers terminal events to the askers |
//! | `ask` | request and reply |
//! | `auto_mode` | decides the mode of a question that names none |
//! | `sweep` | finds turns that nothing else will end |
//! | `watch` | watches how full the streams are |
//! | `clarified` | replies to a question back, outside of conversations |
//! | `conversations` | turns of conversations: admitted, begun, ended in their log |
//! | `quota` | limits the turns of a tenant that run, and the tokens that they spend |
//! | `ended_turns` | receives the terminal events of all turns, for the quota |
//! | `backlog` | counts the messages that wait for each role, for the gauges |
//! | `turnstile` | questions of one conversation, in the order of the inbox |
//! | `turns` | begins and ends turns; shared by the consumers |

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
pub use options::Options;
pub use watch::WATCHED;
