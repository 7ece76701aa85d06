//! Owns: which processor, set of processors and name of the kernel one of a script is.
//! Must never know: what is done there.

use taktos_kernel::{Cpu, CpuSet};

/// The number of the kernel's processor.
pub fn number_of(cpu: Cpu) -> usize {
    cpu.index() + 1
}

/// The kernel's processor; none where there is no such number.
pub fn to_cpu(index: usize) -> Option<Cpu> {
    Cpu::new(index.checked_add(1)?)
}

/// The script's processor; none for the operator's.
pub fn from_cpu(cpu: Cpu) -> Option<Cpu> {
    Cpu::new(cpu.index().checked_sub(1)?)
}

/// Returns the same processors with the kernel's numbers.
pub fn to_kernel_plainly(set: CpuSet) -> CpuSet {
    CpuSet::from_bits(set.bits() << 1)
}

/// Where a thread may run: all of the script's are all that there are.
pub fn to_kernel(set: CpuSet, online: CpuSet) -> CpuSet {
    if set.covers(online) {
        CpuSet::ALL
    } else {
        to_kernel_plainly(set)
    }
}

/// Returns the same processors with the script's numbers; the operator's is left out.
pub fn from_kernel(set: CpuSet) -> CpuSet {
    CpuSet::from_bits(set.bits() >> 1)
}

/// A name in the form in which instances are looked up: filled with spaces, cut at four bytes.
pub fn four_letters(name: &str) -> [u8; 4] {
    let mut letters = [b' '; 4];
    for (place, letter) in letters.iter_mut().zip(name.bytes()) {
        *place = letter;
    }
    letters
}
