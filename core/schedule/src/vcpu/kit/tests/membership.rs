//! Owns: the refusals that are the same for every scheduler.
//! Must never know: its rules.

use super::{Bench, cpu, vcpu};
use crate::vcpu::{Admission, Domain, Error, Policy};

/// Checks each refusal on a pool with the processors 0 and 1 and the units 0 and 1, which sleep and
/// have no other records beside them.
pub(crate) fn check_refusals<P: Policy>(b: &mut Bench<P>) {
    let admission = Admission::anywhere(Domain::new(0));
    assert_eq!(b.try_insert(0, admission), Err(Error::Present(vcpu(0))));
    assert_eq!(b.try_insert(2, admission), Err(Error::NoRecord(vcpu(2))));
    assert_eq!(b.remove(1), Ok(()));
    assert_eq!(b.remove(1), Err(Error::Absent(vcpu(1))));
    b.wake(0);
    assert_eq!(b.remove(0), Err(Error::Busy(vcpu(0))));
    assert_eq!(b.add_cpu(1), Err(Error::CpuPresent(cpu(1))));
    assert_eq!(b.remove_cpu(1), Ok(()));
    assert_eq!(b.remove_cpu(1), Err(Error::CpuAbsent(cpu(1))));
    assert_eq!(b.remove_cpu(0), Err(Error::LastCpu(cpu(0))));
}
