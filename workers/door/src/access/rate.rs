//! How many questions a login may ask in a minute, counted by each door for itself.
//!
//! Pure: a login has saved up at most a minute's worth, and each question spends one. *Not* here: what the turns of a
//! tenant may cost, which the gateways count (`gateway.tenant_turns`, `gateway.tenant_tokens_per_minute`).

use std::collections::HashMap;
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// When each login has its whole minute's worth again, by its name.
#[derive(Debug, Default)]
pub(super) struct Rates {
    whole_again: HashMap<String, Instant>,
}

impl Rates {
    /// Spends a question of `login`, which has `per_minute` of them; else says after what time there is one.
    pub(super) fn spend(
        &mut self,
        login: &str,
        per_minute: u32,
        now: Instant,
    ) -> Result<(), Duration> {
        let each = MINUTE / per_minute.max(1);
        let whole = self.whole_again.get(login).copied();
        let spent = whole.unwrap_or(now).max(now) + each;
        let owed = spent.saturating_duration_since(now);
        if owed > MINUTE {
            return Err(owed - MINUTE);
        }
        self.whole_again.insert(login.to_owned(), spent);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minutes_worth_at_once_and_then_one_by_one() {
        let mut rates = Rates::default();
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
}
