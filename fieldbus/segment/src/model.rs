//! A kind of SubDevice: identity, SyncManagers, process data, mailbox, clock, behaviour.
//!
//! Owns: the description, and the facts that follow from it alone. Must never know: the state of a
//! device.

use crate::table::Table;

/// A kind of SubDevice, as its maker describes it.
#[derive(Clone, Copy, Debug)]
pub struct Model<'d> {
    /// The maker's number (ETG vendor ID).
    pub vendor: u32,
    /// The maker's number of the product.
    pub product: u32,
    /// Revision of the product.
    pub revision: u32,
    /// Serial number.
    pub serial: u32,
    /// Second address of the station (register 0x0012), from the SII.
    pub alias: u16,
    /// The product's name; at most 255 bytes reach the SII.
    pub name: &'d str,
    /// Object 0x1000: profile in the low half, e.g. 402 for a drive.
    pub profile: u32,
    /// SyncManagers, by number.
    pub sync_managers: Table<'d, SyncManager>,
    /// PDOs: those that the MainDevice writes and those that it reads.
    pub pdos: Table<'d, Pdo<'d>>,
    /// The entries of all PDOs, in the order of [`Model::pdos`].
    pub entries: Table<'d, Entry<'d>>,
    /// Objects of the dictionary besides those that follow from the rest; at most
    /// [`Model::PARAMETERS`] keep what is written.
    pub objects: Table<'d, Object<'d>>,
    /// The mailbox, if it has one.
    pub mailbox: Option<Mailbox>,
    /// Whether it has distributed clocks.
    pub clock: bool,
    /// Behaviour of its application.
    pub behaviour: Behaviour,
    /// How long a frame takes through it.
    pub delays: Delays,
}

impl Model<'_> {
    /// How many of [`Model::objects`], from the first on, keep what is written to them.
    pub const PARAMETERS: usize = 64;

    /// The most bytes of process data in one direction.
    pub const PROCESS_DATA: usize = 512;

    /// The number of the SyncManager of this kind.
    pub(crate) fn sync_manager(&self, kind: SyncManagerKind) -> Option<usize> {
        self.sync_managers
            .iter()
            .position(|manager| manager.kind == kind)
    }

    /// The numbers of all SyncManagers of this kind, and what they are.
    pub(crate) fn managers_for(
        &self,
        kind: SyncManagerKind,
    ) -> impl Iterator<Item = (usize, SyncManager)> {
        let all = self.sync_managers.iter().enumerate();
        all.filter(move |(_, manager)| manager.kind == kind)
    }

    /// The entries of the PDO with this index, in order.
    pub(crate) fn entries_of(&self, pdo: u16) -> impl Iterator<Item = Entry<'_>> {
        let mut first = 0;
        let mut count = 0;
        for candidate in self.pdos.iter() {
            if candidate.index == pdo {
                count = usize::from(candidate.entries);
                break;
            }
            first += usize::from(candidate.entries);
        }
        (first..first + count).filter_map(|index| self.entries.get(index))
    }
}

/// Use of the process data by the application of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// Nothing: a coupler, or a device of which only the exchange matters.
    Passive,
    /// Inputs are the inverted outputs, bit by bit; bits without an output show a counter of the
    /// exchanges.
    Digital,
    /// Entries in pairs of status and value (objects 0x6000 and following): the first value is a
    /// ramp, the others are the outputs after a low-pass filter.
    Analogue,
    /// CiA 402's state machine, with the mode cyclic synchronous position.
    Drive,
}

/// How long the first bit of a frame takes, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delays {
    /// From the device before, or the MainDevice, to where this one processes the frame: cable and
    /// controller.
    pub forward_ns: u32,
    /// Back, past this device to the one before.
    pub back_ns: u32,
    /// From a command to the SII's interface until the data are there.
    pub sii_ns: u32,
    /// From a request, of a state or in the mailbox, until the application answers.
    pub reaction_ns: u32,
}

/// The mailbox and what runs over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mailbox {
    /// CANopen over EtherCAT: the object dictionary, and access to it.
    pub coe: bool,
    /// CoE: whole objects at once ("complete access").
    pub complete_access: bool,
    /// CoE: the dictionary can be listed ("SDO information").
    pub information: bool,
    /// CoE: PDOs can be assigned by 0x1C12 and 0x1C13.
    pub assignment: bool,
    /// File access over EtherCAT, with one small file.
    pub foe: bool,
    /// The state Bootstrap, with the same mailbox.
    pub bootstrap: bool,
}

/// Purpose of a SyncManager (ETG.1000.6, object 0x1C00).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncManagerKind {
    /// Not used.
    Unused = 0,
    /// Mailbox, MainDevice to SubDevice.
    MailboxOut = 1,
    /// Mailbox, SubDevice to MainDevice.
    MailboxIn = 2,
    /// Process data, MainDevice to SubDevice.
    Outputs = 3,
    /// Process data, SubDevice to MainDevice.
    Inputs = 4,
}

/// The settings of a SyncManager that the SII proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncManager {
    /// Where its memory begins.
    pub start: u16,
    /// Bytes of its memory; 0: as many as the process data are.
    pub length: u16,
    /// The control byte (register 0x0804): mode, direction, interrupts, watchdog.
    pub control: u8,
    /// The SII's enable byte.
    pub enable: u8,
    /// Purpose of the SyncManager.
    pub kind: SyncManagerKind,
}

/// Which way process data go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the MainDevice: RxPDO.
    Outputs,
    /// To the MainDevice: TxPDO.
    Inputs,
}

/// A process data object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pdo<'d> {
    /// Index of its mapping: 0x1600 to 0x17FF for outputs, 0x1A00 to 0x1BFF for inputs.
    pub index: u16,
    /// Its direction.
    pub direction: Direction,
    /// The number of the SyncManager that carries it. `None`: it is not exchanged unless the
    /// MainDevice assigns it, and then by the first of its direction.
    pub sync_manager: Option<u8>,
    /// How many of [`Model::entries`] are its own.
    pub entries: u8,
    /// Its name.
    pub name: &'d str,
}

/// One value of a process data object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'d> {
    /// Index of its object; 0 for a gap.
    pub index: u16,
    /// Its subindex.
    pub subindex: u8,
    /// Its size in bits, 1 to 255.
    pub bits: u8,
    /// CoE's number of the data type (ETG.1000.6, table 64).
    pub data_type: u16,
    /// Its name.
    pub name: &'d str,
}

/// The MainDevice's rights to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The MainDevice reads it.
    ReadOnly,
    /// The MainDevice reads and writes it.
    ReadWrite,
}

/// A value of the object dictionary of up to 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object<'d> {
    /// Its index.
    pub index: u16,
    /// Its subindex.
    pub subindex: u8,
    /// Its size in bits: 1 to 32.
    pub bits: u8,
    /// CoE's number of the data type.
    pub data_type: u16,
    /// The MainDevice's rights to the object.
    pub access: Access,
    /// Initial value.
    pub value: u32,
    /// Its name.
    pub name: &'d str,
}
