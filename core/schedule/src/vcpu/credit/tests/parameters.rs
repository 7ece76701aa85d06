//! Defaults, ranges, profiles.

use super::super::Kick;
use super::*;
use crate::vcpu::{Error, Profile};
use std::string::ToString;
use taktos_time::Duration;

#[test]
fn the_defaults_are_those_of_the_spec() {
    let p = Parameters::DEFAULT;
    assert_eq!(p.slice(), Duration::from_millis(30));
    assert_eq!(p.tick(), Duration::from_millis(10));
    assert_eq!(p.ratelimit(), Duration::from_micros(1000));
    assert_eq!(p.slice_credits(), 300);
    assert_eq!(p.migration_delay, Duration::ZERO);
    assert_eq!(p.balance_ratelimit, Duration::from_millis(1));
    assert!(p.stealing && p.placement && p.tickle_one_idler && !p.power_saving);
    assert_eq!(p.kick, Kick::PreemptedUnit);
    let old = Parameters::of(Profile::Xen45);
    assert_eq!(old.balance_ratelimit, Duration::ZERO);
    assert_eq!(old.ratelimit(), p.ratelimit());
}

#[test]
fn ranges() {
    let p = Parameters::DEFAULT;
    let (ms, us) = (Duration::from_millis, Duration::from_micros);
    assert!(p.with_slice(ms(1)).is_ok() && p.with_slice(ms(1000)).is_ok());
    assert!(p.with_slice(ms(0)).is_err() && p.with_slice(ms(1001)).is_err());
    assert!(p.with_slice(us(1500)).is_err());
    assert!(p.with_ratelimit(us(0)).is_ok() && p.with_ratelimit(us(100)).is_ok());
    assert!(p.with_ratelimit(us(99)).is_err());
    let long = p.with_slice(ms(1000)).unwrap();
    assert!(long.with_ratelimit(us(500_000)).is_ok());
    assert!(long.with_ratelimit(us(500_001)).is_err());
    // Neither may pass the other.
    assert!(p.with_ratelimit(us(30_001)).is_err());
    let limited = p.with_ratelimit(us(20_000)).unwrap();
    assert!(limited.with_slice(ms(19)).is_err());
    assert!(p.with_migration_delay(ms(100)).is_ok());
    assert!(p.with_migration_delay(us(100_001)).is_err());
    assert!(p.with_balance_ratelimit(ms(1000)).is_ok());
    assert!(p.with_balance_ratelimit(us(1_000_001)).is_err());
}

#[test]
fn a_short_slice_has_one_tick() {
    let p = Parameters::DEFAULT;
    let ticks = [2, 3, 6].map(|ms| p.with_slice(Duration::from_millis(ms)).unwrap().tick());
    assert_eq!(ticks, [2, 1, 2].map(Duration::from_millis));
}

#[test]
fn weights_and_caps_are_checked() {
    with(&flat(1), 1, Parameters::DEFAULT, |b| {
        let domain = Domain::new(0);
        assert_eq!(b.policy.weight(domain), Some(256));
        assert_eq!(b.policy.cap(domain), Some(0));
        let refused = b.policy.set_weight(domain, 0).unwrap_err();
        assert_eq!(refused.to_string(), "weight is 0: give 1 to 65535");
        assert!(b.policy.set_weight(domain, 65_536).is_err());
        assert!(b.policy.set_weight(domain, 65_535).is_ok());
        assert!(b.policy.set_cap(domain, 6_401).is_err());
        assert!(b.policy.set_cap(domain, 6_400).is_ok());
        let none = Domain::new(1);
        assert_eq!(b.policy.set_cap(none, 1), Err(Error::NoDomain(none)));
    });
}
