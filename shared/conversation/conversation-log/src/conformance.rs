//! The conformance suite of stores. Every store has to pass it, and the other crates rely on what it checks.
//!
//! A store runs the suite with [`store_conformance!`](crate::store_conformance!): each case becomes a test of its
//! own, on an empty store that a function of the test makes. The suite does not cover damaged files; the store that
//! writes files has its own tests of them.
#![expect(
    clippy::unwrap_used,
    missing_docs,
    reason = "a suite that cannot go on panics, and its cases are named for what they promise"
)]

pub mod reading;
pub mod removing;
pub mod script;
pub mod taking;

pub use script::{Script, StoreGround, key};

/// Makes a test of each case. `attribute` is the attribute of the tests, and `place` the function that makes the
/// store: `fn() -> BoxFuture<'static, StoreGround>`.
#[macro_export]
macro_rules! store_conformance {
    (#[$($attribute:tt)+] $place:path) => {
        $crate::store_conformance! {
            @all [$($attribute)+] $place;
        taking:
            a_new_store_has_nothing,
            an_event_is_taken_once,
            a_batch_is_taken_whole_or_not_at_all,
            a_first_event_begins_a_conversation_anew,
            a_conversation_that_is_not_known_may_begin_anywhere,
            what_does_not_follow_is_refused,
            sequences_of_another_stream_are_refused,
            a_batch_out_of_order_is_refused,
            a_batch_of_nothing_moves_the_position;
        reading:
            what_was_taken_in_is_read,
            tenants_and_conversations_stand_apart,
            a_source_has_none_for_what_it_lacks,
            conversations_come_in_pages,
            events_come_in_pages,
            an_exchange_is_counted;
        removing:
            an_erased_conversation_leaves_its_mark,
            an_erasure_follows_on_anything,
            what_is_erased_without_a_mark_is_gone,
            old_events_are_dropped_from_the_old_end,
            a_reset_store_follows_another_stream,
            what_stays_outlasts_a_purge;
        }
    };
    (@all $attribute:tt $place:path; $($module:ident: $($case:ident),+;)+) => {
        $($crate::store_conformance!(@each $attribute $place, $module $(, $case)+);)+
    };
    (@each $attribute:tt $place:path, $module:ident $(, $case:ident)+) => {
        $($crate::store_conformance!(@test $attribute $place, $module, $case);)+
    };
    (@test [$($attribute:tt)+] $place:path, $module:ident, $case:ident) => {
        #[$($attribute)+]
        async fn $case() {
            $crate::conformance::$module::$case($place().await).await;
        }
    };
}
