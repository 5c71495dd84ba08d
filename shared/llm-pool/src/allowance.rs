//! Tokens that a tenant may spend in a minute: a bucket each, which fills steadily. Pure.
//!
//! A call is taken off by estimate when it begins and put right when it is over, so a bucket may go
//! below zero; then its tenant waits until it is filled again.

use envelope::TenantId;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::Instant;

/// Buckets that are full are forgotten when there are more than this.
const BUCKETS_MAX: usize = 1_024;

/// The buckets of all tenants.
#[derive(Debug)]
pub(crate) struct Allowance {
    /// Tokens a minute; 0 for no limit.
    rate: u64,
    buckets: HashMap<TenantId, (f64, Instant)>,
}

impl Allowance {
    pub(crate) fn new(tokens_per_minute: u64) -> Allowance {
        Allowance {
            rate: tokens_per_minute,
            buckets: HashMap::new(),
        }
    }

    /// How long a tenant has to wait; `None` when he may ask.
    pub(crate) fn wait(&self, tenant: &TenantId, now: Instant) -> Option<Duration> {
        let left = self.left(tenant, now);
        let per_second = self.rate as f64 / 60.0;
        (self.rate > 0 && left < 0.0).then(|| Duration::from_secs_f64(-left / per_second))
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
                .retain(|_, (left, at)| filled(*left, *at, rate, now) < rate);
        }
        self.buckets.insert(tenant.clone(), (left, now));
    }

    fn left(&self, tenant: &TenantId, now: Instant) -> f64 {
        let rate = self.rate as f64;
        let bucket = self.buckets.get(tenant);
        bucket.map_or(rate, |(left, at)| filled(*left, *at, rate, now))
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
        assert_eq!(allowance.wait(&one, now), None);
        allowance.spend(&one, 400, now);
        assert_eq!(allowance.wait(&one, now), Some(Duration::from_secs(30)));
        assert_eq!(allowance.wait(&other, now), None);
        assert_eq!(allowance.wait(&one, now + Duration::from_secs(30)), None);
        let mut free = Allowance::new(0);
        free.spend(&one, i64::MAX, now);
        assert_eq!(free.wait(&one, now), None);
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
