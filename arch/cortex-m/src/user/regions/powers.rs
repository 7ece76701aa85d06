//! Owns: how the unit of Armv7-M says what a region is. Registers: Armv7-M manual, B3.5.
//! Must never know: partitions.

use super::{MOST, code};
use cortex_m::peripheral::MPU;
use taktos_machine::{Access, Region, RegionRules};

/// The first region of a partition; the port's own have higher numbers, and so precedence.
const FIRST: usize = 1;
/// Below these the region that contains all code.
const CODE: u32 = 0;

/// Requirements of the unit.
pub const RULES: RegionRules = RegionRules {
    most: MOST,
    smallest: 32,
    powers_of_two: true,
};

/// The bit of a base that says that it names the region itself.
const NAMES_REGION: u32 = 1 << 4;
const ENABLE: u32 = 1;
const BUFFERABLE: u32 = 1 << 16;
const CACHEABLE: u32 = 1 << 17;
/// Privileged code may do all, the others nothing but read, or all; or both nothing but read.
const READS: u32 = 0b010 << 24;
const ALL: u32 = 0b011 << 24;
const ALL_READ: u32 = 0b110 << 24;
const NO_EXECUTE: u32 = 1 << 28;

/// The size, a power of two from 32 on, as attributes have it.
const fn size(bytes: usize) -> u32 {
    (bytes.ilog2() - 1) << 1
}

/// The pair of a base and attributes that makes `region` the one of this number of a partition.
pub fn pair(number: usize, region: Option<&Region>) -> [u32; 2] {
    let place = NAMES_REGION | (FIRST + number) as u32;
    match region {
        Some(region) => [region.base.addr() as u32 | place, attributes(region)],
        None => [place, 0],
    }
}

/// Regions may lie over each other: the one with the higher number counts.
pub fn are_taken(_pairs: &[[u32; 2]; MOST]) -> bool {
    true
}

fn attributes(region: &Region) -> u32 {
    let kind = match region.access {
        Access::Read => READS | CACHEABLE | BUFFERABLE,
        Access::Write => ALL | CACHEABLE | BUFFERABLE,
        Access::Device => ALL | BUFFERABLE,
        Access::Execute => READS | CACHEABLE | BUFFERABLE,
    };
    let execution = match region.access {
        Access::Execute => 0,
        _ => NO_EXECUTE,
    };
    kind | execution | size(region.size) | ENABLE
}

/// Lets all threads execute code and read constants: one region for the whole, which is larger if
/// the position of the code requires it.
pub fn enable_code() {
    let [begin, end] = code();
    let mut bytes = 32;
    while (begin & !(bytes - 1)) + bytes < end {
        bytes *= 2;
    }
    // SAFETY: the unit belongs to this port; the region is one that it leaves free, and adds to
    // what threads without privilege may do alone.
    unsafe {
        let mpu = &*MPU::PTR;
        mpu.rbar
            .write((begin & !(bytes - 1)) as u32 | NAMES_REGION | CODE);
        mpu.rasr.write(ALL_READ | CACHEABLE | size(bytes) | ENABLE);
    }
}
