//! Defaults, ranges, profiles.

use super::super::*;
use crate::vcpu::Profile;
use taktos_time::Duration;

#[test]
fn the_defaults_are_those_of_the_spec() {
    let p = Parameters::DEFAULT;
    assert_eq!(p.ratelimit(), Duration::from_micros(1000));
    assert_eq!(p.slice_maximum(), Duration::from_millis(10));
    assert_eq!(SLICE_MINIMUM, Duration::from_micros(500));
    assert_eq!((CREDIT_INITIAL, CREDIT_FLOOR), (10_000_000, -10_000_000));
    assert_eq!((CREDIT_CEILING, CREDIT_IDLE), (10_500_000, -10_000_001));
    assert_eq!(MIGRATION_RESISTANCE, 500_000);
    assert_eq!(MIGRATION_COMPENSATION, 50_000);
    assert_eq!((p.window_bits, p.precision_bits), (30, 18));
    assert_eq!((p.tolerance(false), p.tolerance(true)), (1 << 18, 1 << 15));
    assert_eq!(CAP_PERIOD, Duration::from_millis(10));
    assert_eq!(Grouping::DEFAULT, Grouping::new(Scope::Socket, 16).unwrap());
    assert!(p.balancing && p.placement);
    assert_eq!(p.capacity, Capacity::MostDifferent);
}

#[test]
fn release_4_5() {
    let p = Parameters::of(Profile::Xen45);
    assert_eq!(p.ratelimit(), Duration::ZERO);
    assert_eq!(p.slice_maximum(), Duration::from_millis(2));
    assert!(p.with_ratelimit(Duration::from_millis(1)).is_err());
    assert!(p.with_ratelimit(Duration::ZERO).is_ok());
}

#[test]
fn ranges() {
    let p = Parameters::DEFAULT;
    let us = Duration::from_micros;
    for good in [0, 100, 500_000] {
        assert!(p.with_ratelimit(us(good)).is_ok());
    }
    for bad in [1, 99, 500_001] {
        assert!(p.with_ratelimit(us(bad)).is_err());
    }
    assert!(p.with_load_window(20).is_ok() && p.with_load_window(34).is_ok());
    assert!(p.with_load_window(19).is_err() && p.with_load_window(35).is_err());
    assert!(p.with_load_precision(8).is_ok() && p.with_load_precision(22).is_ok());
    assert!(p.with_load_precision(7).is_err() && p.with_load_precision(23).is_err());
    assert!(p.with_tolerances(8, -8).is_ok());
    assert!(p.with_tolerances(9, 0).is_err() && p.with_tolerances(0, -9).is_err());
    assert!(Grouping::new(Scope::All, 0).is_err() && Grouping::new(Scope::All, 65).is_err());
}

#[test]
fn what_cannot_be_changed_later() {
    let base = Parameters::DEFAULT;
    let xen45 = Parameters::of(Profile::Xen45);
    super::with(&super::flat(1), Grouping::DEFAULT, 0, base, |b| {
        let finer = base.with_load_precision(20).unwrap();
        assert!(b.policy.set_parameters(finer).is_err());
        assert_eq!(b.policy.set_parameters(xen45), Ok(()));
        assert_eq!(b.policy.parameters().profile(), Profile::Current);
        assert_eq!(b.policy.parameters().ratelimit(), Duration::ZERO);
    });
    super::with(&super::flat(1), Grouping::DEFAULT, 0, xen45, |b| {
        assert!(b.policy.set_parameters(base).is_err());
        assert_eq!(b.policy.parameters(), &xen45);
    });
}
