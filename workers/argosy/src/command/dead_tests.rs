//! Many letters at once: what one comes to is no matter of another.

use super::*;

fn todo(numbers: std::ops::RangeInclusive<u64>) -> Todo {
    let stored = |number| Stored {
        subject: format!("argosy.dead.planner.old{number}.0"),
        headers: harness::bus::Headers::default(),
        body: Default::default(),
        sequence: number,
        stored_at: UnixMs(0),
    };
    let letter = |number| {
        let stored = stored(number);
        (Letter::of(&stored).unwrap(), stored)
    };
    Todo {
        letters: numbers.map(letter).collect(),
        older: 0,
    }
}

fn done(letter: &Letter) -> Row {
    Row::new(letter, None, "deleted", true)
}

fn rows(came: &Came) -> Vec<(u64, bool)> {
    came.rows.iter().map(|row| (row.number, row.ok)).collect()
}

#[tokio::test]
async fn a_letter_that_fails_holds_up_no_other() {
    let came = each(&todo(1..=3), async |letter, _| match letter.number {
        2 => Err(Fail::not_found("its fan-out has aged out")),
        _ => Ok(done(letter)),
    });
    let came = came.await;
    assert_eq!(rows(&came), [(1, true), (2, false), (3, true)]);
    assert_eq!(came.rows[1].what, "failed: its fan-out has aged out");
    assert!(came.stopped.is_none());
    let fail = ends(came, true, "cannot be retried").unwrap_err();
    let said = (fail.exit, fail.code, fail.message.as_str());
    assert_eq!(said, (1, "not_done", "1 of 3 cannot be retried"));
}

#[tokio::test]
async fn what_was_done_before_the_server_went_is_reported() {
    let away = Fail::from(harness::bus::BusError::Away("gone".into()));
    let full = Fail {
        code: FULL,
        ..Fail::negative("the stream is full")
    };
    for fail in [away, full] {
        let came = each(&todo(1..=5), async |letter, _| match letter.number {
            ..3 => Ok(done(letter)),
            3 => Err(fail.clone()),
            _ => panic!("nobody is there to do it"),
        });
        let came = came.await;
        assert_eq!(rows(&came), [(1, true), (2, true), (3, false)]);
        assert_eq!(came.stopped, Some((fail.clone(), 2)));
        assert_eq!(ends(came, true, "were not deleted"), Err(fail));
    }
}

#[tokio::test]
async fn nothing_is_done_before_it_is_confirmed() {
    let came = each(&todo(1..=1), async |letter, _| Ok(done(letter)));
    let fail = ends(came.await, false, "were not deleted").unwrap_err();
    assert_eq!((fail.exit, fail.code), (7, "not_confirmed"));
    let none = each(&todo(2..=1), async |letter, _| Ok(done(letter)));
    assert_eq!(ends(none.await, false, "were not deleted"), Ok(()));
}
