//! Tests of terminal events: what a turn used, and what its steps said.

use super::*;

fn entry(hop: u16) -> TrailEntry {
    TrailEntry {
        role: Role::Reducer,
        hop,
        round: 0,
        index: None,
        attempt: 1,
        queued_ms: 0,
        worked_ms: 0,
        model: Some(format!("at {hop}")),
        usage: Usage {
            calls: 1,
            tokens_in: 10,
            tokens_out: 2,
            ..Usage::default()
        },
        decided: String::new(),
        fallbacks: Vec::new(),
        prompts: Default::default(),
        remarks: Default::default(),
        conditions: None,
    }
}

#[test]
fn what_the_parent_did_was_spent_by_the_parent() {
    let turn = TurnId::again("x");
    let tenant = TenantId::default_tenant();
    let mut terminal = Terminal::bare(turn, tenant, Outcome::Answered, UnixMs(9));
    let trail: Vec<_> = [0, 3, 4].map(entry).into();
    let all = terminal.clone().with_trail(trail.clone());
    assert_eq!((all.usage.calls, all.usage.tokens_in), (3, 30));
    terminal.first_hop = 4;
    let own = terminal.with_trail(trail);
    assert_eq!((own.usage.calls, own.usage.tokens_in), (1, 10));
    assert_eq!((own.trail.len(), own.model.as_deref()), (3, Some("at 4")));
}

#[test]
fn what_a_draft_says_beside_its_answer_goes_into_the_event() {
    let told = |text: &str| Remark {
        text: text.into(),
        chunks: vec!["a.0".into(), "b.1".into()],
    };
    let mut trail: Vec<_> = [3, 7].map(entry).into();
    trail[0].remarks.contradictions = vec![told("of the first draft")];
    trail[1].remarks.contradictions = vec![told("of the last one")];
    trail[1].remarks.action_items = vec![told("an item")];
    let turn = TurnId::again("x");
    let mut terminal = Terminal::bare(
        turn,
        TenantId::default_tenant(),
        Outcome::Answered,
        UnixMs(9),
    );
    let unanswered = terminal.clone().with_trail(trail.clone());
    assert!(unanswered.contradictions.is_empty() && unanswered.action_items.is_empty());
    terminal.answer = Some("It is 5.".into());
    let answered = terminal.with_trail(trail);
    assert_eq!(answered.contradictions, [told("of the last one")]);
    assert_eq!(answered.action_items, [told("an item")]);
    assert!(answered.trail[1].remarks.is_empty(), "told once");
}
