//! Tests commands on many dead letters at once: a letter that fails does not affect the others.

use super::*;
use bus::Publish;
use bus::memory::MemoryBus;
use bus::topology::Topology;
use bytes::Bytes;
use std::sync::Arc;

/// A bus with dead letters from number 1 on, all of which are to be worked on.
async fn todo(letters: u64) -> (Arc<MemoryBus>, Todo) {
    let bus = MemoryBus::new(&Topology::default());
    for n in 1..=letters {
        let letter = Publish::new(format!("argosy.dead.planner.old{n}.0"), Bytes::new());
        bus.publish(letter).await.unwrap();
    }
    let (numbers, older) = ((1..=letters).collect(), 0);
    (bus, Todo { numbers, older })
}

fn done(letter: &Letter) -> Row {
    Row::new(letter, None, "deleted", true)
}

fn rows(came: &Came) -> Vec<(u64, bool)> {
    came.rows.iter().map(|row| (row.number, row.ok)).collect()
}

#[tokio::test]
async fn a_letter_that_fails_holds_up_no_other() {
    let (bus, todo) = todo(3).await;
    let came = each(&*bus, &todo, async |letter, _| match letter.number {
        2 => Err(CliError::not_found("its fan-out has aged out")),
        _ => Ok(done(letter)),
    });
    let came = came.await;
    assert_eq!(rows(&came), [(1, true), (2, false), (3, true)]);
    assert_eq!(came.rows[1].what, "failed: its fan-out has aged out");
    assert!(came.stopped.is_none());
    let fail = ends(&came, true, "cannot be retried").unwrap_err();
    let said = (fail.exit, fail.code, fail.message.as_str());
    assert_eq!(said, (1, "not_done", "1 of 3 cannot be retried"));
}

#[tokio::test]
async fn what_was_done_before_the_server_went_is_reported() {
    let away = CliError::from(bus::BusError::Away("gone".into()));
    let (bus, todo) = todo(5).await;
    let full = CliError {
        code: FULL,
        ..CliError::negative("the stream is full")
    };
    for fail in [away, full] {
        let came = each(&*bus, &todo, async |letter, _| match letter.number {
            ..3 => Ok(done(letter)),
            3 => Err(fail.clone()),
            _ => panic!("nobody is there to do it"),
        });
        let came = came.await;
        assert_eq!(rows(&came), [(1, true), (2, true), (3, false)]);
        assert_eq!(came.stopped, Some((fail.clone(), 2)));
        assert_eq!(ends(&came, true, "were not deleted"), Err(fail));
    }
}

#[tokio::test]
async fn nothing_is_done_before_it_is_confirmed() {
    let (bus, mut todo) = todo(1).await;
    let came = each(&*bus, &todo, async |letter, _| Ok(done(letter)));
    let fail = ends(&came.await, false, "were not deleted").unwrap_err();
    assert_eq!((fail.exit, fail.code), (7, "not_confirmed"));
    todo.numbers.clear();
    let none = each(&*bus, &todo, async |letter, _| Ok(done(letter)));
    assert_eq!(ends(&none.await, false, "were not deleted"), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn numbers_are_taken_in_order_and_a_mistyped_one_stops_all() {
    let (bus, _) = todo(3).await;
    let named = |numbers: &[u64]| ChosenDeadArgs {
        numbers: numbers.to_vec(),
        which: DeadFilterArgs::default(),
        all: false,
        yes: true,
        server: cli::ServerArgs::default(),
    };
    let todo = chosen(&*bus, &named(&[3, 1, 3])).await.unwrap();
    assert_eq!(todo.numbers, [1, 3]);
    let mistyped = chosen(&*bus, &named(&[1, 9])).await.unwrap_err();
    assert_eq!(mistyped.exit, 3);
    let many: Vec<u64> = (1..=CHOSEN_MAX as u64 + 1).collect();
    let many = chosen(&*bus, &named(&many)).await.unwrap_err();
    assert_eq!(many.exit, 2);
    // One that went after it was chosen.
    bus.erase(Stream::Dead, 1).await.unwrap();
    let came = each(&*bus, &todo, async |letter, _| Ok(done(letter))).await;
    assert_eq!(came.rows[0].what, "was gone already");
    assert_eq!(rows(&came), [(1, true), (3, true)]);
}

#[test]
fn an_empty_list_says_whether_a_filter_made_it_so() {
    assert_eq!(
        none_of(&DeadFilterArgs::default()),
        "there are no dead letters"
    );
    let of_role = DeadFilterArgs {
        role: Some(envelope::Role::Mapper),
        ..DeadFilterArgs::default()
    };
    assert_eq!(none_of(&of_role), "there is no dead letter like that");
}
