//! Tests of the fold, and of the turns of one conversation in any order.

use super::*;
use crate::admission::{Admission, AdmissionRefusal, AdmissionRequest, Limits};
use crate::ending::{Ending, next_to_begin};
use crate::test_log::{Log, asking, terminal, turn};
use envelope::Busy;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn a_turn_that_comes_to_nothing_leaves_the_clarification_open() {
    for outcome in [Outcome::Failed, Outcome::Expired, Outcome::Cancelled] {
        let mut log = Log::default();
        log.ask(asking(1, 900), 0);
        log.end(&terminal(1, Outcome::Clarification), 10);
        let pending = log.state().pending;
        assert_eq!(
            pending
                .as_ref()
                .map(|p| (&p.turn, p.place.ended, p.expires)),
            Some((&turn(1), 2, UnixMs(1_010)))
        );
        log.ask(asking(2, 900), 20);
        assert_eq!(
            (log.state().pending, log.state().open[0].answers.clone()),
            (None, pending.clone())
        );
        log.end(&terminal(2, outcome), 30);
        assert_eq!(log.state().pending, pending, "{outcome:?}");
    }
}

#[test]
fn a_newer_clarification_stands_for_the_older_one() {
    let mut log = Log::default();
    log.ask(asking(1, 900), 0);
    log.end(&terminal(1, Outcome::Clarification), 10);
    log.ask(asking(2, 900), 20);
    log.ask(asking(3, 900), 21);
    // The third was asked before the second ended: it answers nothing.
    log.end(&terminal(2, Outcome::Clarification), 30);
    assert_eq!(log.state().open[0].answers, None);
    log.end(&terminal(3, Outcome::Failed), 40);
    assert_eq!(log.state().pending.map(|p| p.turn), Some(turn(2)));
}

#[test]
fn only_so_many_exchanges_are_named() {
    let mut log = Log::default();
    for n in 1..=EXCHANGES_KEPT as u64 + 3 {
        log.ask(asking(n, 900), 0);
        log.end(&terminal(n, Outcome::Answered), 0);
    }
    let exchanges = log.state().exchanges;
    assert_eq!(exchanges.len(), EXCHANGES_KEPT);
    assert_eq!(
        exchanges[0],
        ExchangePlace {
            opened: 7,
            ended: 8
        }
    );
}

/// A release with a higher limit left more.
#[test]
fn more_exchanges_than_are_named_are_trimmed_at_once() {
    let place = |n| ExchangePlace {
        opened: n,
        ended: n + 1,
    };
    let mut state = State {
        exchanges: (0..EXCHANGES_KEPT as u64 + 5).map(place).collect(),
        ..State::default()
    };
    state.trim_exchanges();
    assert_eq!(state.exchanges.len(), EXCHANGES_KEPT - 1);
    assert_eq!(state.exchanges[0], place(6), "the newest stay");
}

#[test]
fn nothing_follows_an_erased_conversation() {
    let mut log = Log::default();
    log.ask(asking(1, 900), 0);
    let before = log.last();
    let erased = append(
        before.as_ref(),
        EventKind::Erased(Box::default()),
        UnixMs(5),
    )
    .unwrap();
    assert!(log.append(before.as_ref(), &erased));
    assert_eq!(
        log.state(),
        State {
            n: 2,
            is_erased: true,
            ..State::default()
        }
    );
    assert!(matches!(
        log.ask(asking(2, 900), 6),
        Admission::Refuse(AdmissionRefusal::Erased)
    ));
    assert_eq!(log.end(&terminal(1, Outcome::Answered), 7), Ending::Ended);
}

#[test]
fn forks_are_known_once_each_and_bounded() {
    let child = |n: usize| EventKind::Forked {
        child: ConversationId::new(format!("c{n}")).unwrap(),
        exchanges: 1,
    };
    let mut state = State::default();
    for n in (0..CHILDREN_MAX).chain([0]) {
        state = state.after(&child(n)).unwrap();
    }
    assert_eq!(state.children.len(), CHILDREN_MAX);
    assert_eq!(state.after(&child(CHILDREN_MAX)), Err(AppendError::Forks));
}

#[derive(Debug, Clone)]
enum Step {
    Ask {
        n: u64,
        deadline: u64,
        when_busy: Busy,
    },
    End {
        n: u64,
        outcome: Outcome,
    },
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let busy = prop::sample::select(&[Busy::Enqueue, Busy::Reject, Busy::Interrupt][..]);
    let outcome = prop::sample::select(&Outcome::ALL[..]);
    prop_oneof![
        4 => (0u64..30, 1u64..20_000, busy).prop_map(|(n, deadline, when_busy)| Step::Ask { n, deadline, when_busy }),
        4 => (0u64..30, outcome).prop_map(|(n, outcome)| Step::End { n, outcome }),
        1 => (0u64..8_000).prop_map(Step::Wait),
    ]
}

/// What the gateway would do, in one process: terminals are created once, and hop 0 when it may.
#[derive(Default)]
struct Fleet {
    log: Log,
    now: u64,
    terminals: BTreeMap<TurnId, Outcome>,
    opened: BTreeMap<TurnId, u64>,
    begun: Vec<TurnId>,
    ended: BTreeSet<TurnId>,
}

impl Fleet {
    fn end(&mut self, n: u64, outcome: Outcome) {
        let outcome = *self.terminals.entry(turn(n)).or_insert(outcome);
        let was_open = self.log.state().is_open(&turn(n));
        if let Ending::Append(_) = self.log.end(&terminal(n, outcome), self.now) {
            assert!(was_open && self.ended.insert(turn(n)), "ended twice");
        }
        if let Some(next) = next_to_begin(&self.log.state(), UnixMs(self.now)) {
            self.begin(next.turn);
        }
    }

    fn begin(&mut self, turn: TurnId) {
        if self.terminals.contains_key(&turn) || self.begun.contains(&turn) {
            return;
        }
        let open = self.log.state().open;
        assert_eq!(
            open.first().map(|open| &open.turn),
            Some(&turn),
            "begun before its time"
        );
        self.begun.push(turn);
    }

    fn ask(&mut self, n: u64, deadline: u64, when_busy: Busy) {
        // Under an id that was used the gateway answers from the terminal event.
        while !self.terminals.contains_key(&turn(n)) {
            let asking = AdmissionRequest {
                when_busy,
                ..asking(n, self.now + deadline)
            };
            let number = |turn: &TurnId| turn.as_str()[1..].parse::<u64>().unwrap();
            match self.log.ask(asking, self.now) {
                Admission::Open { begins, .. } => {
                    assert_eq!(
                        self.opened.insert(turn(n), self.log.state().n),
                        None,
                        "opened twice"
                    );
                    if begins {
                        self.begin(turn(n));
                    }
                    return;
                }
                Admission::IsOpen { begins } => {
                    if begins {
                        self.begin(turn(n));
                    }
                    return;
                }
                Admission::EndFirst(turns) => turns
                    .iter()
                    .for_each(|t| self.end(number(t), Outcome::Expired)),
                Admission::Interrupt(turns) => turns
                    .iter()
                    .for_each(|t| self.end(number(t), Outcome::Cancelled)),
                Admission::Refuse(_) => return,
            }
        }
    }
}

proptest! {
    // Each step folds the log anew.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn turns_begin_one_after_the_other_in_the_order_in_which_they_were_opened(
        steps in prop::collection::vec(step(), 1..80),
    ) {
        let mut fleet = Fleet::default();
        for step in steps {
            match step {
                Step::Ask { n, deadline, when_busy } => fleet.ask(n, deadline, when_busy),
                Step::End { n, outcome } if fleet.opened.contains_key(&turn(n)) => fleet.end(n, outcome),
                Step::End { .. } => {}
                Step::Wait(ms) => fleet.now += ms,
            }
            let state = fleet.log.state();
            prop_assert_eq!(&state, &fleet.log.folded(), "the state an event carries is not the fold");
            let open: BTreeSet<&TurnId> = state.open.iter().map(|open| &open.turn).collect();
            prop_assert_eq!(open.len(), state.open.len(), "open twice");
            prop_assert!(state.open.is_sorted_by_key(|open| open.opened), "out of order");
            prop_assert!(open.iter().all(|turn| !fleet.ended.contains(*turn)));
            prop_assert!(fleet.opened.keys().all(|turn| open.contains(turn) || fleet.ended.contains(turn)));
            prop_assert!(state.open.len() <= Limits::default().waiting_max + 1);
            if let Some(next) = next_to_begin(&state, UnixMs(fleet.now)) {
                prop_assert!(fleet.begun.contains(&next.turn), "nobody begins {}", next.turn);
            }
        }
        let order = |turn: &TurnId| fleet.opened[turn];
        prop_assert!(fleet.begun.is_sorted_by_key(order), "{:?}", fleet.begun);
    }
}
