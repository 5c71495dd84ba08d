//! Tests that the wire format of version 1 stays the same, with golden files that are kept for ever.
//!
//! Each file of `golden/v1` must parse, and serialize to the very same bytes. A new optional field may be added to
//! the types without changing a file. A change that requires editing a file breaks the wire format for workers that
//! are running: docs/wire.md says how such a change is made. A file with what is no longer written must parse.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on may panic, in its helpers too"
)]

use argosy_envelope::lookup::{CountReply, DocumentReply, Reply, SearchReply};
use argosy_envelope::{
    Doubt, Draft, Envelope, MapTask, Part, PlanTask, ReduceTask, Scatter, Search, Terminal, decode,
    encode,
};
use serde::{Serialize, de::DeserializeOwned};

fn golden(name: &str) -> String {
    let path = format!("{}/tests/golden/v1/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.strip_suffix('\n').unwrap_or(&text).to_owned()
}

/// The message of a golden file, written again.
fn rewritten<T: Serialize + DeserializeOwned>(name: &str) -> String {
    let message: T =
        decode(golden(name).as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
    String::from_utf8(encode(&message).unwrap().to_vec()).unwrap()
}

fn same<T: Serialize + DeserializeOwned>(name: &str) {
    let (wanted, written) = (golden(name), rewritten::<T>(name));
    assert_eq!(
        wanted, written,
        "{name} does not write back to its own bytes"
    );
}

/// Plans had `constraints` before the retriever alone read the conditions of a question, and their trails two kinds of
/// fallbacks, of which only the number is kept.
#[test]
fn what_is_no_longer_written_is_still_read() {
    let written = rewritten::<Envelope<Search>>("retrieve_meaning");
    let unknown = r#"{"kind":"unknown"}"#;
    assert_eq!(written.matches(unknown).count(), 2);
    let without = written.replace(&format!(",{unknown}"), "");
    assert_eq!(without, golden("retrieve_plan"));
}

#[test]
fn golden_bytes_of_steps() {
    same::<Envelope<PlanTask>>("plan_first");
    same::<Envelope<PlanTask>>("plan_follow_up");
    same::<Envelope<PlanTask>>("plan_judged");
    same::<Envelope<PlanTask>>("plan_refine");
    same::<Envelope<PlanTask>>("plan_read_on");
    same::<Envelope<PlanTask>>("plan_review");
    same::<Envelope<PlanTask>>("plan_act");
    same::<Envelope<Search>>("retrieve");
    same::<Envelope<Search>>("retrieve_not_in");
    same::<Envelope<Search>>("retrieve_plan");
    same::<Envelope<Search>>("retrieve_sub_queries");
    same::<Envelope<Search>>("retrieve_generate");
    same::<Envelope<Search>>("retrieve_auto");
    same::<Envelope<Search>>("retrieve_known");
    same::<Envelope<Scatter>>("scatter");
    same::<Envelope<Scatter>>("scatter_found_by");
    same::<Envelope<Scatter>>("scatter_generate");
    same::<Envelope<MapTask>>("map");
    same::<Envelope<ReduceTask>>("reduce_gather");
    same::<Envelope<ReduceTask>>("reduce_two_rounds");
    same::<Envelope<ReduceTask>>("reduce_generate");
    same::<Envelope<ReduceTask>>("reduce_again");
    same::<Envelope<ReduceTask>>("reduce_stitch");
    same::<Envelope<ReduceTask>>("reduce_table");
    same::<Envelope<Draft>>("validate");
    same::<Envelope<Draft>>("validate_carried");
    same::<Envelope<Draft>>("validate_kept");
    same::<Envelope<Draft>>("validate_stitched");
    same::<Envelope<Draft>>("validate_table");
    same::<Envelope<Doubt>>("clarify");
    same::<Envelope<Doubt>>("clarify_unclear");
    same::<Envelope<Doubt>>("clarify_ungrounded");
    same::<Envelope<Doubt>>("clarify_too_many");
    same::<Envelope<Doubt>>("clarify_ambiguous");
    same::<Envelope<Doubt>>("clarify_not_in_documents");
}

#[test]
fn golden_bytes_of_parts() {
    same::<Part>("part_findings");
    same::<Part>("part_graded");
    same::<Part>("part_error");
}

#[test]
fn golden_bytes_of_lookup_replies() {
    same::<Reply<SearchReply>>("search_reply");
    same::<Reply<SearchReply>>("search_reply_empty");
    same::<Reply<SearchReply>>("search_reply_conditions");
    same::<Reply<CountReply>>("count_reply");
    same::<Reply<DocumentReply>>("metadata_reply");
    same::<Reply<DocumentReply>>("lookup_error");
}

#[test]
fn golden_bytes_of_terminal_events() {
    for name in [
        "answered",
        "answered_table",
        "answered_remarks",
        "answered_judged",
        "answered_auto",
        "clarification",
        "refused",
        "expired",
        "expired_again",
    ] {
        same::<Terminal>(name);
    }
}

#[test]
fn the_smallest_messages_of_version_1_still_read() {
    // Only what never had a default: a field that becomes required would break running workers.
    let header = r#"{"turn":"t1-a","tenant":"default","shard":0,"hop":0,"round":0,"role":"planner","asked_at":1,"created_at":1,"deadline":2,"question_hash":""}"#;
    let case = r#"{"question":{"original":"q"},"budget":{"rounds":3,"searches":4,"llm_calls":40,"tokens":200000}}"#;
    let step = format!(r#"{{"v":1,"header":{header},"case":{case},"payload":{{"kind":"first"}}}}"#);
    decode::<Envelope<PlanTask>>(step.as_bytes()).unwrap();
    decode::<Part>(br#"{"v":1,"index":0,"result":{"findings":{"relevant":true}}}"#).unwrap();
    let ended = br#"{"v":1,"turn":"t1-a","tenant":"default","outcome":"expired","ended_at":3}"#;
    decode::<Terminal>(ended).unwrap();
}
