//! Tokens that a tenant may spend in a minute: a bucket each, which fills steadily. Pure.
//!
//! A call is taken off by estimate when it begins and put right when it is over, so a bucket may go
//! below zero; then its tenant waits until it is filled again. Who is turned away is given a time of his
//! own, so that a question with many calls does not come back as one.

use envelope::TenantId;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// Buckets that are full are forgotten when there are more than this.
const BUCKETS_MAX: usize = 1_024;
/// Furthest that a call is put off: no question lives longer.
const BEHIND_MAX: Duration = Duration::from_secs(3_600);

/// The buckets of all tenants.
#[derive(Debug)]
pub(crate) struct Allowance {
    /// Tokens a minute; 0 for no limit.
    rate: u64,
    buckets: HashMap<TenantId, Bucket>,
}

/// What one tenant has left.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    /// Tokens, at that time.
    left: f64,
    at: Instant,
    /// When the next one who is turned away is due.
    due: Instant,
}

impl Allowance {
    pub(crate) fn new(tokens_per_minute: u64) -> Allowance {
        Allowance {
            rate: tokens_per_minute,
            buckets: HashMap::new(),
        }
    }

    /// How long a call of so many tokens has to wait, which is then due at that time; `None` when it may
    /// be made.
    pub(crate) fn wait(
        &mut self,
        tenant: &TenantId,
        tokens: u64,
        now: Instant,
    ) -> Option<Duration> {
        let rate = self.rate as f64;
        let bucket = self.buckets.get_mut(tenant)?;
        let left = filled(bucket.left, bucket.at, rate, now);
        if left >= 0.0 {
            return None;
        }
        let takes = |tokens: f64| Duration::from_secs_f64(tokens * 60.0 / rate).min(BEHIND_MAX);
        let due = bucket.due.max(now + takes(-left));
        let most = now + BEHIND_MAX;
        bucket.due = (due + takes(tokens as f64)).min(most);
        Some(due - now)
    }

    /// A tenant spends so many tokens; fewer than none are given back.
    pub(crate) fn spend(&mut self, tenant: &TenantId, tokens: i64, now: Instant) {
        if self.rate == 0 {
            return;
        }
        let left = self.left(tenant, now) - tokens as f64;
        if self.buckets.len() >= BUCKETS_MAX {
            let rate = self.rate as f64;
            self.buckets
                .retain(|_, bucket| filled(bucket.left, bucket.at, rate, now) < rate);
        }
        let due = self.buckets.get(tenant).map_or(now, |bucket| bucket.due);
        let (tenant, at) = (tenant.clone(), now);
        self.buckets.insert(tenant, Bucket { left, at, due });
    }

    fn left(&self, tenant: &TenantId, now: Instant) -> f64 {
        let rate = self.rate as f64;
        let bucket = self.buckets.get(tenant);
        bucket.map_or(rate, |bucket| filled(bucket.left, bucket.at, rate, now))
    }
}

fn filled(left: f64, at: Instant, rate: f64, now: Instant) -> f64 {
    (left + (now - at).as_secs_f64() * rate / 60.0).min(rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_spent_his_minute_waits_and_nobody_else() {
        let now = Instant::now();
        let (one, other) = (TenantId::new("one").unwrap(), TenantId::new("two").unwrap());
        let mut allowance = Allowance::new(600);
        allowance.spend(&one, 500, now);
        assert_eq!(allowance.wait(&one, 0, now), None);
        allowance.spend(&one, 400, now);
        assert_eq!(allowance.wait(&one, 0, now), Some(Duration::from_secs(30)));
        assert_eq!(allowance.wait(&other, 0, now), None);
        assert_eq!(allowance.wait(&one, 0, now + Duration::from_secs(30)), None);
        let mut free = Allowance::new(0);
        free.spend(&one, i64::MAX, now);
        assert_eq!(free.wait(&one, 0, now), None);
    }

    #[test]
    fn who_is_turned_away_has_a_time_of_his_own_and_is_not_turned_away_then() {
        let now = Instant::now();
        let one = TenantId::new("one").unwrap();
        let mut allowance = Allowance::new(600);
        allowance.spend(&one, 610, now);
        let waits: Vec<_> = (0..5)
            .filter_map(|_| allowance.wait(&one, 20, now))
            .map(|wait| wait.as_secs())
            .collect();
        assert_eq!(waits, [1, 3, 5, 7, 9]);
        for wait in waits {
            let then = now + Duration::from_secs(wait);
            assert_eq!(allowance.wait(&one, 20, then), None, "after {wait} s");
            allowance.spend(&one, 20, then);
        }
        // What was promised is over: the next ones begin anew.
        let later = now + Duration::from_secs(60);
        allowance.spend(&one, 2_000, later);
        let first = allowance.wait(&one, 20, later).unwrap();
        assert!(first > Duration::from_secs(60), "{first:?}");
        for _ in 0..100_000 {
            let wait = allowance.wait(&one, 1_000, later).unwrap();
            assert!(wait <= Duration::from_secs(3_600), "{wait:?}");
        }
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let now = Instant::now();
        let mut allowance = Allowance::new(60);
        for n in 0..5_000u64 {
            let tenant = TenantId::new(format!("t-{n}")).unwrap();
            allowance.spend(&tenant, 10, now + Duration::from_secs(n));
        }
        assert!(allowance.buckets.len() <= BUCKETS_MAX);
    }
}
