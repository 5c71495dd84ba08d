//! Tests every way in which two processes can work on one message at the same time. Each is a named test that runs on
//! the memory bus (with a paused clock) and on a real nats-server of its own.
//!
//! Stages are scripted and crash at named points. The tests check what the streams contain afterwards: steps, parts,
//! answers, dead letters. They read no log output. Tests do not share a server: consumers are durable and named after
//! roles, so two fleets on one server would be one fleet.
//!
//! *Not* here: what real stages decide (tests of their crates), real processes (`pipeline`), random faults by seed
//! (`simulation`).
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on may panic, in its helpers too"
)]

mod between;
mod hand;
mod script;
mod talk;
mod world;

mod after;
mod batch;
mod broken;
mod clarified;
mod consumers;
mod conversation;
mod doors;
mod editions;
mod erased;
mod fanout;
mod hops;
mod inbox;
mod ingest;
mod kept;
mod leave;
mod quota;
mod refusals;
mod switch;
mod time;
mod unread;

macro_rules! races {
    ($($module:ident: $($case:ident),+;)+) => {
        mod memory {
            $($(
                #[tokio::test(start_paused = true)]
                async fn $case() {
                    crate::$module::$case(crate::world::On::Memory).await;
                }
            )+)+
        }
        mod nats {
            $($(
                #[tokio::test]
                async fn $case() {
                    crate::$module::$case(crate::world::On::Nats).await;
                }
            )+)+
        }
    };
}

races! {
    conversation:
        turns_run_in_the_order_of_the_log,
        two_gateways_write_to_one_log,
        a_gateway_dies_while_it_opens_a_turn,
        a_gateway_dies_while_it_ends_a_turn,
        an_append_that_is_not_confirmed_is_read_again,
        a_turn_is_cancelled_while_it_is_opened,
        a_waiting_turn_that_ends_leaves_the_others_their_order,
        what_an_older_gateway_left_open_is_ended,
        an_answer_is_not_held_back_by_its_log,
        a_log_that_refuses_for_good_holds_up_nobody,
        an_answer_is_not_held_back_by_the_next_turn,
        a_turn_whose_beginning_is_gone_fails_at_once,
        a_question_interrupts_those_before_it,
        a_busy_conversation_says_so,
        a_conversation_belongs_to_its_tenant,
        a_newer_log_is_not_appended_to,
        conversations_may_be_off;
    clarified:
        the_next_message_answers_a_question_back,
        a_question_back_is_answered_once,
        a_reply_without_a_conversation_names_what_it_answers;
    after:
        a_question_comes_after_the_one_that_it_names,
        what_never_comes_is_waited_for_until_the_deadline,
        a_thousand_questions_at_once_all_end,
        a_crowd_at_one_conversation_holds_up_no_other;
    erased:
        what_was_said_is_in_no_stream_any_more,
        turns_that_run_and_wait_are_cancelled,
        a_question_that_nobody_took_is_answered,
        whoever_stops_half_way_leaves_a_note_for_the_sweep,
        an_erasure_that_cannot_be_gone_on_with_is_counted,
        a_step_that_comes_after_the_erasure_is_swept,
        two_erase_while_a_question_is_opened,
        who_erase_at_once_leave_nothing,
        a_thousand_erasures_hold_up_no_turn,
        a_question_under_a_strangers_id_costs_him_nothing,
        a_fork_stays_and_has_an_erasure_of_its_own;
    hops:
        a_question_by_itself_pays_nothing_for_conversations,
        a_differently_minded_redelivery_changes_nothing,
        two_roles_that_race_for_a_hop_have_one_winner,
        a_late_clarification_loses_to_a_scatter,
        a_terminal_event_is_created_once,
        a_lost_ack_costs_one_delivery,
        an_answer_outlives_its_timer,
        a_claim_that_was_not_confirmed_is_the_first;
    refusals:
        a_conflict_in_flight_is_repeated,
        a_full_stream_is_not_taken_for_a_failed_condition;
    fanout:
        a_half_done_scatter_is_finished,
        uncounted_parts_are_joined,
        facts_that_are_enough_are_not_waited_with,
        what_a_fan_out_lacks_is_counted_once,
        the_same_numbers_everywhere,
        a_stricter_draft_reads_the_same_parts,
        a_second_round_is_finished_too;
    batch:
        a_search_of_few_passages_is_one_step,
        a_larger_search_has_a_step_for_each_passage,
        a_batch_without_its_timer_gets_one,
        a_half_done_batch_is_done_again,
        what_was_done_is_stored_when_a_call_is_slow,
        the_soft_deadline_takes_what_was_stored,
        enough_of_a_batch_is_not_waited_with,
        a_passage_that_fails_costs_the_others_nothing,
        a_second_round_reads_what_travelled,
        what_is_too_large_to_travel_is_stored,
        what_waits_for_a_call_is_not_delivered_again;
    doors:
        an_answer_names_the_file_that_was_made_with_it,
        a_store_that_fails_for_a_while_costs_no_second_run,
        a_store_that_refuses_for_good_is_not_waited_for_to_the_end,
        more_files_than_a_step_may_make_are_refused,
        what_a_stage_writes_is_heard_as_it_comes,
        a_draft_that_begins_anew_has_another_number,
        a_flood_of_text_is_dropped_and_not_waited_for,
        a_bus_that_tells_nobody_holds_nothing_up;
    inbox:
        a_gateway_dies_before_the_timer,
        a_gateway_dies_between_timer_and_first_step,
        a_gateway_dies_before_the_ack,
        a_used_id_is_refused_on_its_own_reply_subject,
        one_turn_with_three_listeners,
        a_strangers_deadline_is_not_the_turns,
        a_listener_that_comes_with_the_timer,
        an_unread_backlog_is_never_met_with_silence,
        a_full_inbox_is_ended_question_by_question,
        a_question_of_a_newer_version_is_refused,
        what_a_question_leaves_open_is_as_its_gateway_is_set,
        a_question_may_name_an_offered_model;
    kept:
        an_answer_says_what_is_no_longer_kept_of_its_conversation,
        a_log_that_ages_away_under_its_turn_holds_up_nobody,
        a_question_back_expires;
    quota:
        a_tenants_questions_wait_for_each_other_and_for_nobody_else,
        a_question_that_waits_outlives_its_gateway,
        conversations_in_one_place_outlive_their_gateway,
        who_has_spent_his_tokens_waits;
    ingest:
        two_versions_in_work_never_mix,
        an_indexer_that_died_between_two_chunks_is_made_good,
        what_an_interrupted_version_left_is_cleared,
        a_lost_confirmation_is_not_taken_for_a_stranger,
        what_is_there_already_is_left_alone,
        a_deletion_leaves_tombstones_only,
        what_cannot_be_indexed_says_why_and_the_rest_goes_on,
        a_document_without_a_dead_letter_is_not_let_go,
        a_large_document_comes_from_the_object_store;
    editions:
        a_document_is_indexed_for_both_editions,
        killed_indexers_lose_nothing_for_either,
        a_slow_edition_ends_with_the_newest_version,
        who_changes_the_record_at_the_same_time_finds_out,
        a_dropped_edition_leaves_nothing,
        an_object_stays_until_both_have_read_it;
    switch:
        every_search_is_over_one_edition;
    time:
        a_late_part_changes_nothing,
        a_late_part_counts_in_the_next_round,
        a_late_timer_changes_nothing,
        the_first_look_sets_the_soft_deadline,
        a_lost_timer_is_made_again,
        a_turn_without_a_timer_is_ended_by_the_sweep;
    broken:
        a_panic_is_given_up_at_once,
        a_worker_dies_while_it_gives_up,
        a_step_that_kills_its_workers_is_given_up,
        a_failure_is_repeated_to_the_limit,
        a_stage_that_hangs_is_stopped_and_repeated,
        a_reducer_without_a_model_leaves_the_facts,
        a_model_that_comes_back_too_late_is_not_waited_for,
        a_reducer_that_is_given_up_leaves_the_facts;
    unread:
        an_unreadable_map_step_is_an_error_part,
        any_other_unreadable_step_ends_the_turn,
        a_newer_step_waits_for_a_newer_worker;
    leave:
        stopping_finishes_what_was_begun,
        stopping_gives_back_the_rest,
        stopping_does_not_wait_for_a_server,
        a_cancelled_turn_stops_its_work,
        a_result_after_the_cancel_is_refused;
}
