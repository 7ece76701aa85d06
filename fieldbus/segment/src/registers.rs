//! Where the registers of a SubDevice controller are (datasheet, section II, table 1; ETG.1000.4,
//! section 6), and which of them the MainDevice may write.
//!
//! Owns: addresses. Must never know: the effects of a write.

use core::ops::Range;

/// Where memory begins: digital outputs, and the user's bytes after them.
pub(crate) const RAM: usize = 0x0F00;
/// Where the memory for mailboxes and buffers of process data begins.
pub(crate) const PROCESS_RAM: usize = 0x1000;
/// 8 KiB of it, as the ET1100 has.
pub(crate) const SIZE: usize = 0x3000;
/// FMMUs and SyncManagers, as the ET1100 has.
pub(crate) const UNITS: usize = 8;

pub(crate) const RAM_KIB: u8 = ((SIZE - PROCESS_RAM) / 1024) as u8;

pub(crate) const TYPE: usize = 0x0000;
pub(crate) const STATION_ADDRESS: usize = 0x0010;
pub(crate) const STATION_ALIAS: usize = 0x0012;
pub(crate) const DL_CONTROL: usize = 0x0100;
pub(crate) const DL_STATUS: usize = 0x0110;
pub(crate) const AL_CONTROL: usize = 0x0120;
pub(crate) const AL_STATUS: usize = 0x0130;
pub(crate) const AL_STATUS_CODE: usize = 0x0134;
pub(crate) const LOST_LINK: usize = 0x0310;
pub(crate) const WATCHDOG_DIVIDER: usize = 0x0400;
pub(crate) const WATCHDOG_PDI: usize = 0x0410;
pub(crate) const WATCHDOG_PROCESS_DATA: usize = 0x0420;
pub(crate) const WATCHDOG_STATUS: usize = 0x0440;
pub(crate) const WATCHDOG_COUNTER: usize = 0x0442;
pub(crate) const SII_CONFIGURATION: usize = 0x0500;
pub(crate) const SII_CONTROL: usize = 0x0502;
pub(crate) const SII_ADDRESS: usize = 0x0504;
pub(crate) const SII_DATA: usize = 0x0508;
pub(crate) const FMMU: usize = 0x0600;
pub(crate) const FMMU_LENGTH: usize = 16;
pub(crate) const SYNC_MANAGER: usize = 0x0800;
pub(crate) const SYNC_MANAGER_LENGTH: usize = 8;
pub(crate) const RECEIVE_TIMES: usize = 0x0900;
pub(crate) const SYSTEM_TIME: usize = 0x0910;
pub(crate) const RECEIVE_TIME_UNIT: usize = 0x0918;
pub(crate) const SYSTEM_TIME_OFFSET: usize = 0x0920;
pub(crate) const SYSTEM_TIME_DELAY: usize = 0x0928;
pub(crate) const SYSTEM_TIME_DIFFERENCE: usize = 0x092C;
pub(crate) const SPEED_COUNTER_START: usize = 0x0930;
pub(crate) const SPEED_COUNTER_DIFFERENCE: usize = 0x0932;
pub(crate) const DIFFERENCE_FILTER: usize = 0x0934;
pub(crate) const SPEED_COUNTER_FILTER: usize = 0x0935;
pub(crate) const SYNC_ACTIVATION: usize = 0x0981;
pub(crate) const SYNC_PULSE_LENGTH: usize = 0x0982;
pub(crate) const SYNC_ACTIVATION_STATUS: usize = 0x0984;
pub(crate) const SYNC_START_TIME: usize = 0x0990;
pub(crate) const SYNC1_NEXT: usize = 0x0998;
pub(crate) const SYNC0_CYCLE: usize = 0x09A0;
pub(crate) const SYNC1_CYCLE: usize = 0x09A4;

/// The registers of distributed clocks but for the receive times, which every controller has, so
/// that delays can be measured past it. One without clocks has none of these: not even a read of
/// them counts.
pub(crate) const CLOCK: Range<usize> = 0x0910..0x0A00;
/// Counters that any write clears: errors of the ports, lost links, expired watchdogs.
pub(crate) const COUNTERS: [Range<usize>; 2] = [0x0300..0x0314, 0x0442..0x0444];

const SYNC_MANAGERS: Range<usize> = SYNC_MANAGER..SYNC_MANAGER + UNITS * SYNC_MANAGER_LENGTH;

/// Registers that the MainDevice may write; in [`SYNC_MANAGERS`] the status and the PDI's control
/// are left out.
const WRITABLE: [Range<usize>; 13] = [
    STATION_ADDRESS..STATION_ADDRESS + 2,
    DL_CONTROL..DL_CONTROL + 4,
    AL_CONTROL..AL_CONTROL + 2,
    0x0200..0x0202,
    WATCHDOG_DIVIDER..WATCHDOG_DIVIDER + 2,
    WATCHDOG_PDI..WATCHDOG_PDI + 2,
    WATCHDOG_PROCESS_DATA..WATCHDOG_PROCESS_DATA + 2,
    SII_CONFIGURATION..SII_CONFIGURATION + 1,
    SII_CONTROL..SII_DATA + 8,
    FMMU..FMMU + UNITS * FMMU_LENGTH,
    SYNC_MANAGERS,
    SYSTEM_TIME_OFFSET..SYSTEM_TIME_DIFFERENCE,
    SPEED_COUNTER_START..SPEED_COUNTER_START + 2,
];

/// Further registers that the MainDevice may write in a controller with distributed clocks.
const WRITABLE_CLOCK: [Range<usize>; 4] = [
    DIFFERENCE_FILTER..DIFFERENCE_FILTER + 2,
    0x0980..0x0982,
    SYNC_START_TIME..SYNC_START_TIME + 8,
    SYNC0_CYCLE..SYNC1_CYCLE + 4,
];

/// Returns whether the MainDevice may write the byte at `at`.
pub(crate) fn is_writable(at: usize) -> bool {
    if SYNC_MANAGERS.contains(&at) {
        return !matches!(at % SYNC_MANAGER_LENGTH, 5 | 7);
    }
    WRITABLE
        .iter()
        .chain(&WRITABLE_CLOCK)
        .any(|range| range.contains(&at))
}

/// Returns whether an access to `at..end` touches the `length` bytes at `register`.
pub(crate) fn touches(at: usize, end: usize, register: usize, length: usize) -> bool {
    at < register + length && end > register
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_is_the_controllers() {
        for at in [
            TYPE,
            DL_STATUS,
            AL_STATUS,
            AL_STATUS_CODE,
            0x0805,
            0x083F,
            SYSTEM_TIME_DIFFERENCE,
        ] {
            assert!(!is_writable(at), "{at:#06x}");
        }
        for at in [
            STATION_ADDRESS,
            AL_CONTROL,
            0x0806,
            0x0838,
            SYSTEM_TIME_DELAY,
            SYNC_ACTIVATION,
        ] {
            assert!(is_writable(at), "{at:#06x}");
        }
    }
}
