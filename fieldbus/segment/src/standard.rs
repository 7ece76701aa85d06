//! The segment of the experiments: a coupler, a digital and an analogue terminal, two drives.
//!
//! Owns: these models and their oscillators. Must never know: the experiments.
//!
//! The vendor number is not assigned; delays are of the size that such devices have. The EEPROM and
//! the applications answer sooner than most do, so that starting up does not hide the measured
//! effect.

use crate::clock::Oscillator;
use crate::device::Device;
use crate::model::{
    Access, Behaviour, Delays, Direction, Entry, Mailbox, Model, Object, Pdo, SyncManager,
    SyncManagerKind,
};
use crate::table::Table;

/// How many devices [`standard`] has.
pub const STANDARD_DEVICES: usize = 5;

const VENDOR: u32 = 0x0000_0A51;

const BOOLEAN: u16 = 0x0001;
const INTEGER8: u16 = 0x0002;
const INTEGER16: u16 = 0x0003;
const INTEGER32: u16 = 0x0004;
const UNSIGNED8: u16 = 0x0005;
const UNSIGNED16: u16 = 0x0006;
const UNSIGNED32: u16 = 0x0007;

/// Writes by the MainDevice, three buffers, with an interrupt and the watchdog; the same for reads.
const OUTPUTS: u8 = 0x64;
const INPUTS: u8 = 0x20;
const MAILBOX_OUT: u8 = 0x26;
const MAILBOX_IN: u8 = 0x22;
const ENABLE: u8 = 1;

const DELAYS: Delays = Delays {
    forward_ns: 480,
    back_ns: 360,
    sii_ns: 5_000,
    reaction_ns: 0,
};
const DELAYS_WITH_PROCESSOR: Delays = Delays {
    reaction_ns: 20_000,
    ..DELAYS
};

const MAILBOX: Mailbox = Mailbox {
    coe: true,
    complete_access: true,
    information: true,
    assignment: true,
    foe: false,
    bootstrap: false,
};

const fn manager(start: u16, length: u16, control: u8, kind: SyncManagerKind) -> SyncManager {
    SyncManager {
        start,
        length,
        control,
        enable: ENABLE,
        kind,
    }
}

const fn pdo(
    index: u16,
    direction: Direction,
    sync_manager: u8,
    entries: u8,
    name: &'static str,
) -> Pdo<'static> {
    Pdo {
        index,
        direction,
        sync_manager: Some(sync_manager),
        entries,
        name,
    }
}

const fn entry(
    index: u16,
    subindex: u8,
    bits: u8,
    data_type: u16,
    name: &'static str,
) -> Entry<'static> {
    Entry {
        index,
        subindex,
        bits,
        data_type,
        name,
    }
}

const fn object(
    index: u16,
    bits: u8,
    data_type: u16,
    access: Access,
    value: u32,
    name: &'static str,
) -> Object<'static> {
    Object {
        index,
        subindex: 0,
        bits,
        data_type,
        access,
        value,
        name,
    }
}

/// Bits of one object, subindexes 1 to 8.
const fn eight_bits(index: u16, name: &'static str) -> [Entry<'static>; 8] {
    let mut bits = [entry(index, 1, 1, BOOLEAN, name); 8];
    let mut place = 1;
    while place < bits.len() {
        bits[place].subindex = place as u8 + 1;
        place += 1;
    }
    bits
}

const fn join<const N: usize>(
    first: [Entry<'static>; 8],
    second: [Entry<'static>; 8],
) -> [Entry<'static>; N] {
    let mut all = [first[0]; N];
    let mut place = 0;
    while place < first.len() {
        all[place] = first[place];
        all[first.len() + place] = second[place];
        place += 1;
    }
    all
}

pub(crate) static COUPLER: Model<'static> = Model {
    vendor: VENDOR,
    product: 0x0001,
    revision: 1,
    serial: 0,
    alias: 0,
    name: "COUPLER",
    profile: 5001,
    sync_managers: Table::EMPTY,
    pdos: Table::EMPTY,
    entries: Table::EMPTY,
    objects: Table::EMPTY,
    mailbox: None,
    clock: false,
    behaviour: Behaviour::Passive,
    delays: DELAYS,
};

static DIGITAL_MANAGERS: [SyncManager; 2] = [
    manager(0x1100, 0, OUTPUTS, SyncManagerKind::Outputs),
    manager(0x1200, 0, INPUTS, SyncManagerKind::Inputs),
];
static DIGITAL_PDOS: [Pdo<'static>; 2] = [
    pdo(0x1600, Direction::Outputs, 0, 8, "Outputs"),
    pdo(0x1A00, Direction::Inputs, 1, 8, "Inputs"),
];
static DIGITAL_ENTRIES: [Entry<'static>; 16] =
    join(eight_bits(0x7000, "Output"), eight_bits(0x6000, "Input"));

pub(crate) static DIGITAL: Model<'static> = Model {
    product: 0x0002,
    name: "DIGITAL",
    sync_managers: Table::of(&DIGITAL_MANAGERS),
    pdos: Table::of(&DIGITAL_PDOS),
    entries: Table::of(&DIGITAL_ENTRIES),
    clock: true,
    behaviour: Behaviour::Digital,
    ..COUPLER
};

/// Mailboxes of 128 bytes and process data after them.
static MAILBOX_MANAGERS: [SyncManager; 4] = [
    manager(0x1000, 128, MAILBOX_OUT, SyncManagerKind::MailboxOut),
    manager(0x1080, 128, MAILBOX_IN, SyncManagerKind::MailboxIn),
    manager(0x1100, 0, OUTPUTS, SyncManagerKind::Outputs),
    manager(0x1200, 0, INPUTS, SyncManagerKind::Inputs),
];

static ANALOGUE_PDOS: [Pdo<'static>; 3] = [
    pdo(0x1600, Direction::Outputs, 2, 1, "Output"),
    pdo(0x1A00, Direction::Inputs, 3, 2, "Ramp"),
    pdo(0x1A01, Direction::Inputs, 3, 2, "Filtered output"),
];
static ANALOGUE_ENTRIES: [Entry<'static>; 5] = [
    entry(0x7000, 1, 16, INTEGER16, "Value"),
    entry(0x6000, 1, 16, UNSIGNED16, "Status"),
    entry(0x6000, 2, 16, INTEGER16, "Value"),
    entry(0x6010, 1, 16, UNSIGNED16, "Status"),
    entry(0x6010, 2, 16, INTEGER16, "Value"),
];

pub(crate) static ANALOGUE: Model<'static> = Model {
    product: 0x0003,
    name: "ANALOGUE",
    sync_managers: Table::of(&MAILBOX_MANAGERS),
    pdos: Table::of(&ANALOGUE_PDOS),
    entries: Table::of(&ANALOGUE_ENTRIES),
    mailbox: Some(MAILBOX),
    behaviour: Behaviour::Analogue,
    delays: DELAYS_WITH_PROCESSOR,
    ..DIGITAL
};

static DRIVE_PDOS: [Pdo<'static>; 2] = [
    pdo(0x1600, Direction::Outputs, 2, 2, "Command"),
    pdo(0x1A00, Direction::Inputs, 3, 2, "Feedback"),
];
static DRIVE_ENTRIES: [Entry<'static>; 4] = [
    entry(0x6040, 0, 16, UNSIGNED16, "Controlword"),
    entry(0x607A, 0, 32, INTEGER32, "Target position"),
    entry(0x6041, 0, 16, UNSIGNED16, "Statusword"),
    entry(0x6064, 0, 32, INTEGER32, "Position actual value"),
];
static DRIVE_OBJECTS: [Object<'static>; 5] = [
    object(0x603F, 16, UNSIGNED16, Access::ReadOnly, 0, "Error code"),
    object(
        0x6060,
        8,
        INTEGER8,
        Access::ReadWrite,
        8,
        "Modes of operation",
    ),
    object(
        0x6061,
        8,
        INTEGER8,
        Access::ReadOnly,
        8,
        "Modes of operation display",
    ),
    // Bit 7: cyclic synchronous position.
    object(
        0x6502,
        32,
        UNSIGNED32,
        Access::ReadOnly,
        1 << 7,
        "Supported drive modes",
    ),
    object(
        0x6007,
        8,
        UNSIGNED8,
        Access::ReadWrite,
        2,
        "Abort connection option code",
    ),
];

pub(crate) static DRIVE: Model<'static> = Model {
    product: 0x0004,
    name: "DRIVE",
    profile: 0x0002_0192,
    pdos: Table::of(&DRIVE_PDOS),
    entries: Table::of(&DRIVE_ENTRIES),
    objects: Table::of(&DRIVE_OBJECTS),
    mailbox: Some(Mailbox {
        foe: true,
        bootstrap: true,
        ..MAILBOX
    }),
    behaviour: Behaviour::Drive,
    ..ANALOGUE
};

/// A coupler, a digital terminal, an analogue terminal and two drives, all off. Their clocks are
/// off by 0, +3, -8, -20 and +40 parts per million and show different times, all `ahead_ns` later
/// than they would; the coupler has no distributed clock. The first of the others is the reference,
/// so that a MainDevice which follows it begins its cycles elsewhere.
pub const fn standard<'d>(ahead_ns: u64) -> [Device<'d>; STANDARD_DEVICES] {
    [
        device(&COUPLER, 0, ahead_ns),
        device(&DIGITAL, 3_000, 777_777_777 + ahead_ns),
        device(&ANALOGUE, -8_000, 31_415_926_535 + ahead_ns),
        device(&DRIVE, -20_000, 5_555 + ahead_ns),
        device(&DRIVE, 40_000, 123_456_789_012 + ahead_ns),
    ]
}

const fn device<'d>(model: &'static Model<'static>, drift_ppb: i32, start_ns: u64) -> Device<'d> {
    Device::new(
        model,
        Oscillator {
            drift_ppb,
            start_ns,
        },
    )
}
