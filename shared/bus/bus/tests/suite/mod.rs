//! The conformance suite of the bus. Every implementation has to pass it, and the other crates rely on what it
//! checks.
//!
//! A bus runs the suite with `conformance!`: each case becomes a test of its own, on an empty bus that a function of the
//! test makes. `bus-nats` takes this folder into its own tests. The suite does *not* test three replicas: replicas
//! differ in how far they lag, not in what they guarantee.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a suite that cannot go on panics"
)]

pub(crate) mod consume;
pub(crate) mod core;
pub(crate) mod erase;
pub(crate) mod files;
pub(crate) mod place;
pub(crate) mod publish;
pub(crate) mod query;
pub(crate) mod queue;
pub(crate) mod timer;

pub(crate) use place::{Ground, TestPlace};

/// Makes a test of each case. `attribute` is the attribute of the tests, and `place` the function that makes the
/// bus: `fn(Topology) -> BoxFuture<'static, Ground>`.
macro_rules! conformance {
    (#[$($attribute:tt)+] $place:path) => {
        conformance_cases! {
            [$($attribute)+] $place;
        publish:
            created_once,
            one_step_per_hop_across_roles,
            map_steps_are_outside_the_hop_condition,
            racing_publishers_have_one_winner,
            a_full_stream_refuses,
            a_failed_condition_is_not_a_full_stream,
            the_oldest_are_dropped,
            the_newest_version_of_a_subject_stays,
            a_subject_without_a_stream_is_not_confirmed,
            headers_round_trip,
            ttl_expires_and_the_condition_holds_again,
            a_writer_finds_out_about_another;
        query:
            last_takes_wildcards,
            parts_are_counted,
            the_last_of_each_subject,
            read_what_is_stored_and_then_what_comes,
            what_matches_is_purged,
            the_first_from_a_sequence_on,
            positions_and_room;
        consume:
            a_consumer_takes_what_it_filters_in_order,
            redelivered_after_the_ack_wait,
            redelivered_after_the_delay_of_a_nak,
            a_message_in_progress_is_not_redelivered,
            an_acked_message_does_not_come_back,
            open_deliveries_are_bounded,
            delayed_naks_stay_open,
            two_pullers_share,
            no_more_than_the_free_slots,
            closing_gives_back_the_rest,
            a_dropped_pull_loses_nothing,
            an_expired_message_is_not_redelivered,
            a_missing_consumer_is_named,
            what_was_acked_leaves_a_queue,
            how_far_a_consumer_is;
        queue:
            a_queue_keeps_for_every_consumer,
            a_late_consumer_gets_what_waits_and_no_more,
            a_dropped_consumer_holds_nothing_back,
            what_nobody_takes_is_not_kept;
        files:
            a_file_is_kept_until_it_is_deleted,
            a_file_is_replaced,
            files_have_bounds,
            a_snapshot_is_kept_with_its_sequence,
            half_a_snapshot_is_none_and_takes_no_room;
        timer:
            a_schedule_fires_once_in_time,
            a_schedule_is_replaced,
            a_schedule_of_the_past_fires_at_once,
            what_a_schedule_fires_as_ages_out,
            a_stream_without_schedules_refuses_them;
        erase:
            a_message_is_read_and_erased_by_its_sequence;
        core:
            every_listener_hears_a_broadcast,
            a_queue_group_shares,
            a_question_is_answered,
            a_stored_message_is_heard_as_well;
        }
    };
}

/// The tests of some cases; see `conformance!`.
macro_rules! conformance_cases {
    ($attribute:tt $place:path; $($module:ident: $($case:ident),+;)+) => {
        $(conformance_cases!(@each $attribute $place, $module $(, $case)+);)+
    };
    (@each $attribute:tt $place:path, $module:ident $(, $case:ident)+) => {
        $(conformance_cases!(@test $attribute $place, $module, $case);)+
    };
    (@test [$($attribute:tt)+] $place:path, $module:ident, $case:ident) => {
        #[$($attribute)+]
        async fn $case() {
            crate::suite::$module::$case(crate::suite::TestPlace($place)).await;
        }
    };
}
