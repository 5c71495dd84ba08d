//! How much a login may take in some time, counted by each door for itself.
//!
//! Pure: a login has saved up at most the worth of one period, and what it takes is taken from that. *Not* here: what the
//! turns of a tenant may cost, which the gateways count (`gateway.tenant_turns`, `gateway.tenant_tokens_per_minute`).

use envelope::TurnId;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// Logins beyond which those are forgotten that have all of theirs again.
const LOGINS_MAX: usize = 10_000;
/// Turns of a login that are remembered.
const RECENT_MAX: usize = 1_024;
/// For how long: longer than a turn takes, and not as long as a gateway knows its id.
const RECENT_AGE: Duration = Duration::from_secs(2 * 3_600);

/// When each login has its whole period's worth again, by its id.
#[derive(Debug)]
pub(super) struct Rates {
    period: Duration,
    whole_again: HashMap<String, Instant>,
}

impl Rates {
    /// Nobody has taken anything.
    pub(super) fn of(period: Duration) -> Rates {
        Rates {
            period,
            whole_again: HashMap::new(),
        }
    }

    /// Spends one of `most`; else says after what time there is one.
    pub(super) fn spend(&mut self, login: &str, most: u64, now: Instant) -> Result<(), Duration> {
        self.look(login, most, 1, now)?;
        self.charge(login, most, 1, now);
        Ok(())
    }

    /// Whether `login`, which has `most` in a period, has `wanted` left; else says after what time.
    pub(super) fn look(
        &self,
        login: &str,
        most: u64,
        wanted: u64,
        now: Instant,
    ) -> Result<(), Duration> {
        let whole = self.whole_again.get(login).copied();
        let owed = whole.unwrap_or(now).saturating_duration_since(now) + self.worth(most, wanted);
        match owed > self.period {
            true => Err(owed - self.period),
            false => Ok(()),
        }
    }

    /// Takes `taken`, even if so much is not left.
    pub(super) fn charge(&mut self, login: &str, most: u64, taken: u64, now: Instant) {
        let worth = self.worth(most, taken);
        if self.whole_again.len() >= LOGINS_MAX {
            self.whole_again.retain(|_, whole| *whole > now);
        }
        let whole = self.whole_again.entry(login.to_owned()).or_insert(now);
        *whole = (*whole).max(now) + worth;
    }

    /// The time in which a login with `most` in a period gets so many.
    fn worth(&self, most: u64, many: u64) -> Duration {
        let nanos = self.period.as_nanos() * u128::from(many) / u128::from(most.max(1));
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// The turns that each login asked last under a key of its own, by the login's id.
#[derive(Debug, Default)]
pub(super) struct Recent(HashMap<String, VecDeque<Asked>>);

/// A turn that was asked.
#[derive(Debug)]
struct Asked {
    turn: TurnId,
    at: Instant,
    again: u32,
    is_charged: bool,
}

impl Recent {
    /// Counts another try of a turn, and says whether its tokens were charged; `None` where none is known.
    pub(super) fn again(
        &mut self,
        login: &str,
        turn: &TurnId,
        now: Instant,
    ) -> Option<(u32, bool)> {
        let asked = self.find(login, turn)?;
        if now.saturating_duration_since(asked.at) > RECENT_AGE {
            return None;
        }
        asked.again = asked.again.saturating_add(1);
        Some((asked.again, asked.is_charged))
    }

    /// Forgets a turn, unless it was charged: that one has an end, which gateways keep.
    pub(super) fn forget(&mut self, login: &str, turn: &TurnId) {
        if let Some(turns) = self.0.get_mut(login) {
            turns.retain(|asked| asked.turn != *turn || asked.is_charged);
        }
    }

    pub(super) fn add(&mut self, login: &str, turn: &TurnId, now: Instant) {
        let is_old = |asked: &Asked| now.saturating_duration_since(asked.at) > RECENT_AGE;
        if self.0.len() >= LOGINS_MAX {
            let is_kept = |turns: &VecDeque<Asked>| turns.back().is_some_and(|last| !is_old(last));
            self.0.retain(|_, turns| is_kept(turns));
        }
        let turns = self.0.entry(login.to_owned()).or_default();
        while turns.len() >= RECENT_MAX || turns.front().is_some_and(is_old) {
            turns.pop_front();
        }
        turns.push_back(Asked {
            turn: turn.clone(),
            at: now,
            again: 0,
            is_charged: false,
        });
    }

    /// Whether the tokens of a turn are still to be charged, as they now are.
    pub(super) fn charge(&mut self, login: &str, turn: &TurnId) -> bool {
        let asked = self.find(login, turn);
        asked.is_none_or(|asked| !std::mem::replace(&mut asked.is_charged, true))
    }

    fn find(&mut self, login: &str, turn: &TurnId) -> Option<&mut Asked> {
        let turns = self.0.get_mut(login)?;
        turns.iter_mut().find(|asked| asked.turn == *turn)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minutes_worth_at_once_and_then_one_by_one() {
        let mut rates = Rates::of(Duration::from_secs(60));
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        for _ in 0..6 {
            assert_eq!(rates.spend("a", 6, at(0)), Ok(()));
        }
        assert_eq!(rates.spend("a", 6, at(0)), Err(Duration::from_secs(10)));
        assert_eq!(rates.spend("a", 6, at(4)), Err(Duration::from_secs(6)));
        assert_eq!(rates.spend("a", 6, at(10)), Ok(()));
        assert_eq!(rates.spend("a", 6, at(10)), Err(Duration::from_secs(10)));
        assert_eq!(rates.spend("b", 6, at(10)), Ok(()));
        assert_eq!(rates.spend("a", 6, at(1_000)), Ok(()));
    }

    #[test]
    fn what_was_taken_beyond_a_periods_worth_is_owed() {
        let hour = Duration::from_secs(3_600);
        let mut rates = Rates::of(hour);
        let now = Instant::now();
        assert_eq!(rates.look("a", 3_600, 1, now), Ok(()));
        rates.charge("a", 3_600, 9_000, now);
        let wait = rates.look("a", 3_600, 1, now).expect_err("spent");
        assert_eq!(wait, Duration::from_secs(5_401));
        assert_eq!(rates.look("a", 3_600, 1, now + wait), Ok(()));
        assert_eq!(rates.look("b", 3_600, 3_600, now), Ok(()));
        // A mistake of a model server is no overflow.
        rates.charge("b", 1, u64::MAX, now);
        assert!(rates.look("b", 1, 1, now).is_err());
    }

    #[test]
    fn only_the_last_turns_of_each_login_are_remembered_and_for_some_time() {
        let mut recent = Recent::default();
        let turn = |n: usize| TurnId::new(format!("t-{n}")).expect("an id");
        let now = Instant::now();
        recent.add("b", &turn(0), now);
        (0..=RECENT_MAX).for_each(|n| recent.add("a", &turn(n), now));
        let again = [0, 1, 1, RECENT_MAX].map(|n| recent.again("a", &turn(n), now));
        let times = again.map(|again| again.map(|(times, _)| times));
        assert_eq!(times, [None, Some(1), Some(2), Some(1)]);
        // Who asks much pushes out nobody else's.
        assert_eq!(recent.again("b", &turn(0), now), Some((1, false)));
        let later = now + RECENT_AGE + Duration::from_secs(1);
        assert_eq!(recent.again("b", &turn(0), later), None);
        recent.add("a", &turn(0), later);
        assert_eq!(recent.0["a"].len(), 1);
        // What was charged so long ago is charged again.
        let much_later = later + RECENT_AGE + Duration::from_secs(1);
        assert!(recent.charge("a", &turn(0)));
        assert_eq!(recent.again("a", &turn(0), much_later), None);
        recent.add("a", &turn(0), much_later);
        assert!(recent.charge("a", &turn(0)));
    }

    #[test]
    fn a_turn_is_charged_once_unless_it_is_not_known() {
        let mut recent = Recent::default();
        let turn = TurnId::new("t").expect("an id");
        let now = Instant::now();
        recent.add("a", &turn, now);
        assert!(recent.charge("a", &turn) && !recent.charge("a", &turn));
        assert_eq!(recent.again("a", &turn, now), Some((1, true)));
        // Another question under its id was refused.
        recent.forget("a", &turn);
        assert!(!recent.charge("a", &turn));
        let other = TurnId::new("u").expect("an id");
        recent.add("a", &other, now);
        recent.forget("a", &other);
        assert_eq!(recent.again("a", &other, now), None);
        assert!(recent.charge("a", &other) && recent.charge("b", &turn));
    }
}
