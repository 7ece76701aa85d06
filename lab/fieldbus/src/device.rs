//! One device of an ESI file (ETG.2000, "DeviceType").
//!
//! Owns: its fields, and the checks for contradictions among them. Must never know: the segment's
//! bytes.

use roxmltree::Node;
use taktos_segment::{Behaviour, Direction, Mailbox, SyncManager, SyncManagerKind};

use crate::dictionary::{Object, objects};
use crate::error::EsiError;
use crate::process_data::Pdo;
use crate::xml::{
    bounded, child, children, error, flag, name_of, need, number_in, number_of, text,
};

/// CiA 402, in the low half of a device type.
const PROFILE_DRIVE: u32 = 402;
/// A drive's control word.
const CONTROL_WORD: u16 = 0x6040;

/// A device as its maker describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// The maker's number.
    pub vendor: u32,
    /// The maker's number of the product.
    pub product: u32,
    /// Its revision.
    pub revision: u32,
    /// Its type, such as `EL2008`.
    pub type_name: String,
    /// Its name.
    pub name: String,
    /// Object 0x1000.
    pub profile: u32,
    /// SyncManagers, by number.
    pub sync_managers: Vec<SyncManager>,
    /// PDOs, those that the MainDevice writes first.
    pub pdos: Vec<Pdo>,
    /// The mailbox and what runs over it, if it has one.
    pub mailbox: Option<Mailbox>,
    /// Ways of being synchronised; none without distributed clocks.
    pub op_modes: Vec<OpMode>,
    /// Whether it has distributed clocks.
    pub clock: bool,
    /// Objects of its dictionary, of up to 32 bits.
    pub objects: Vec<Object>,
}

/// A way of being synchronised (ETG.2000, "OpMode").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpMode {
    /// Its name, such as `DC`.
    pub name: String,
    /// Value for the registers 0x0980 and 0x0981.
    pub assign_activate: u16,
}

impl Device {
    pub(crate) fn read(node: Node<'_, '_>, vendor: u32) -> Result<Self, EsiError> {
        let kind = need(node, "Type")?;
        let sync_managers = children(node, "Sm")
            .map(sync_manager)
            .collect::<Result<Vec<_>, _>>()?;
        if sync_managers.len() > 8 {
            return Err(error(
                node,
                "more than 8 SyncManagers",
                "no controller has more",
            ));
        }
        let clock = child(node, "Dc");
        let op_modes = clock
            .into_iter()
            .flat_map(|clock| children(clock, "OpMode"));
        let device = Self {
            vendor,
            product: crate::xml::attribute(kind, "ProductCode")?.unwrap_or(0),
            revision: crate::xml::attribute(kind, "RevisionNo")?.unwrap_or(0),
            type_name: text(kind).into(),
            name: name_of(node).into(),
            profile: profile(node)?,
            sync_managers,
            pdos: pdos(node)?,
            mailbox: mailbox(node),
            op_modes: op_modes.map(op_mode).collect::<Result<_, _>>()?,
            clock: clock.is_some(),
            objects: objects(node)?,
        };
        device.check(node)?;
        Ok(device)
    }

    /// Returns the assumed behaviour of its application: a drive of CiA 402 if the device says that
    /// it is one, inverted outputs if it has process data, and otherwise nothing.
    pub fn behaviour(&self) -> Behaviour {
        let has_control_word = (self.pdos.iter())
            .flat_map(|pdo| &pdo.entries)
            .any(|entry| entry.index == CONTROL_WORD);
        if self.profile & 0xFFFF == PROFILE_DRIVE && has_control_word {
            Behaviour::Drive
        } else if self.pdos.is_empty() {
            Behaviour::Passive
        } else {
            Behaviour::Digital
        }
    }

    /// A mailbox needs its SyncManagers, process data theirs.
    fn check(&self, node: Node<'_, '_>) -> Result<(), EsiError> {
        let has = |kind| {
            self.sync_managers
                .iter()
                .any(|manager| manager.kind == kind)
        };
        let mailboxes = has(SyncManagerKind::MailboxOut) && has(SyncManagerKind::MailboxIn);
        if self.mailbox.is_some() && !mailboxes {
            return Err(error(
                node,
                "a <Mailbox> without SyncManagers for it",
                "add <Sm> with MBoxOut and MBoxIn",
            ));
        }
        for pdo in &self.pdos {
            let Some(number) = pdo.sync_manager else {
                continue;
            };
            let (kind, name) = match pdo.direction {
                Direction::Outputs => (SyncManagerKind::Outputs, "Outputs"),
                Direction::Inputs => (SyncManagerKind::Inputs, "Inputs"),
            };
            let manager = self.sync_managers.get(usize::from(number));
            if manager.is_none_or(|manager| manager.kind != kind) {
                return Err(error(
                    node,
                    format!(
                        "PDO {:#06x} has Sm {number}, which is not for {name}",
                        pdo.index
                    ),
                    format!("give it the number of an <Sm> with {name}, counted from 0"),
                ));
            }
        }
        Ok(())
    }
}

fn sync_manager(node: Node<'_, '_>) -> Result<SyncManager, EsiError> {
    let kind = match text(node) {
        "MBoxOut" => SyncManagerKind::MailboxOut,
        "MBoxIn" => SyncManagerKind::MailboxIn,
        "Outputs" => SyncManagerKind::Outputs,
        "Inputs" => SyncManagerKind::Inputs,
        "" => SyncManagerKind::Unused,
        other => {
            return Err(error(
                node,
                format!("a SyncManager for `{other}`"),
                "it is for MBoxOut, MBoxIn, Outputs or Inputs",
            ));
        }
    };
    let is_mailbox = matches!(
        kind,
        SyncManagerKind::MailboxOut | SyncManagerKind::MailboxIn
    );
    let length = bounded(node, "DefaultSize", 0xFFFF)? as u16;
    Ok(SyncManager {
        start: bounded(node, "StartAddress", 0xFFFF)? as u16,
        // Process data are as long as their PDOs.
        length: if is_mailbox { length } else { 0 },
        control: bounded(node, "ControlByte", 0xFF)? as u8,
        enable: bounded(node, "Enable", 0xFF)? as u8,
        kind,
    })
}

fn pdos(node: Node<'_, '_>) -> Result<Vec<Pdo>, EsiError> {
    let of = |name, direction| children(node, name).map(move |pdo| Pdo::read(pdo, direction));
    of("RxPdo", Direction::Outputs)
        .chain(of("TxPdo", Direction::Inputs))
        .collect()
}

fn mailbox(node: Node<'_, '_>) -> Option<Mailbox> {
    let mailbox = child(node, "Mailbox")?;
    let coe = child(mailbox, "CoE");
    let can = |name| coe.is_some_and(|coe| flag(coe, name));
    let bootstrap = child(node, "Eeprom").and_then(|eeprom| child(eeprom, "BootStrap"));
    Some(Mailbox {
        coe: coe.is_some(),
        complete_access: can("CompleteAccess"),
        information: can("SdoInfo"),
        assignment: can("PdoAssign"),
        foe: child(mailbox, "FoE").is_some(),
        bootstrap: bootstrap.is_some(),
    })
}

fn op_mode(node: Node<'_, '_>) -> Result<OpMode, EsiError> {
    let assign = need(node, "AssignActivate")?;
    Ok(OpMode {
        name: name_of(node).into(),
        assign_activate: crate::xml::at_most(assign, number_of(assign)?, 0xFFFF)? as u16,
    })
}

/// Returns object 0x1000 from the profile's number and the fields next to it.
fn profile(node: Node<'_, '_>) -> Result<u32, EsiError> {
    let Some(profile) = child(node, "Profile") else {
        return Ok(0);
    };
    let number = number_in(profile, "ProfileNo")?.unwrap_or(0);
    let additional = number_in(profile, "AddInfo")?.unwrap_or(0);
    Ok(number & 0xFFFF | additional << 16)
}
