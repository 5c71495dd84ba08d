//! Places: how many requests of a kind a door works on at a time, and how many of these one login may have.
//!
//! Who opens many streams, or reads slowly, keeps places. A login gets a quarter of them, and two at least, so that it
//! alone cannot take all. Several logins together can: two take all of four places, four all of any other number. Where
//! nobody has to log in, all of them are of one login, which no share limits. *Not* here: connections, whose login is not
//! known yet (`accept`).

use crate::access::{Login, Proof};
use crate::problem::Problem;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One login may have one place of so many.
const SHARE: usize = 4;
/// It may have so many in any case, if there are as many: programs send two documents at a time.
const SHARE_MIN: usize = 2;

/// The places for requests of a kind.
pub(crate) struct Places {
    /// What takes one, for people.
    what: &'static str,
    most: usize,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: usize,
    /// Those of each login that has any, by its id.
    of: HashMap<String, usize>,
}

/// A place, until it is dropped.
pub(crate) struct Place {
    places: Arc<Places>,
    /// The login whose share it counts against.
    of: Option<String>,
}

impl Places {
    /// So many places for what is called `what`.
    pub(crate) fn new(what: &'static str, most: usize) -> Arc<Places> {
        let taken = Mutex::default();
        Arc::new(Places { what, most, taken })
    }

    /// Takes a place for a login; with 429 where it has its share already, with 503 where there is none.
    pub(crate) fn take(self: &Arc<Places>, login: &Login) -> Result<Place, Problem> {
        let (what, most) = (self.what, self.most);
        let share = most.div_ceil(SHARE).max(SHARE_MIN.min(most));
        let of = (login.proof != Proof::None).then(|| login.id.clone());
        let mut taken = self.taken();
        let has = of.as_ref().and_then(|of| taken.of.get(of)).copied();
        if has.is_some_and(|has| has >= share) {
            let detail = format!("this login has {share} {what} at a time already; let one end");
            return Err(Problem::limited(detail));
        }
        if taken.all >= most {
            return Err(Problem::busy(format!(
                "there are {most} {what} here already"
            )));
        }
        taken.all += 1;
        if let Some(of) = &of {
            *taken.of.entry(of.clone()).or_default() += 1;
        }
        let places = self.clone();
        Ok(Place { places, of })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.all -= 1;
        let Some(of) = &self.of else { return };
        match taken.of.get_mut(of) {
            Some(has) if *has > 1 => *has -= 1,
            _ => {
                taken.of.remove(of);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(id: &str) -> Login {
        Login {
            id: id.into(),
            proof: Proof::Key(id.into()),
            ..Login::local()
        }
    }

    #[test]
    fn one_login_takes_a_quarter_and_all_together_take_all() {
        let places = Places::new("streams", 8);
        let of = |id: &str| places.take(&login(id));
        let code = |id: &str| of(id).err().map(|no| (no.status.as_u16(), no.code));
        let mut held = vec![of("a").expect("one"), of("a").expect("two")];
        assert_eq!(code("a"), Some((429, "rate_limited".into())));
        held.extend(["b", "b", "c", "c", "d"].map(|id| of(id).expect("a place")));
        // A place that is free again is free for its login as well.
        held.remove(0);
        held.push(of("a").expect("free again"));
        held.push(of("d").expect("the last"));
        assert_eq!(code("e"), Some((503, "busy".into())));
        assert_eq!(code("a"), Some((429, "rate_limited".into())));
        held.clear();
        assert!(places.taken().all == 0 && places.taken().of.is_empty());
    }

    #[test]
    fn where_nobody_logs_in_all_places_are_anybodys() {
        let places = Places::new("streams", 3);
        let held: Vec<_> = (0..3).map(|_| places.take(&Login::local())).collect();
        assert!(held.iter().all(Result::is_ok));
        let none = places.take(&Login::local()).err().expect("none");
        assert_eq!(none.status.as_u16(), 503);
    }

    #[test]
    fn of_few_places_a_login_has_two() {
        let places = Places::new("documents", 4);
        let [one, two, none] = [(); 3].map(|()| places.take(&login("a")));
        assert!(one.is_ok() && two.is_ok());
        assert_eq!(none.err().expect("none").status.as_u16(), 429);
    }
}
