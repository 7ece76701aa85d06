//! The object dictionary of a device: the objects that follow from the device's model (ETG.1000.6,
//! 5.6.7), its own objects, its process data.
//!
//! Owns: the set of objects, their values, the rights to write them. Must never know: the requests
//! for them.

use crate::application::Application;
use crate::bytes::bits;
use crate::model::{Access, Direction, Model, Pdo};
use crate::state::State;

/// SDO abort codes (ETG.1000.6, table 41).
pub(crate) mod abort {
    pub(crate) const TOGGLE: u32 = 0x0503_0000;
    pub(crate) const COMMAND: u32 = 0x0504_0001;
    pub(crate) const MEMORY: u32 = 0x0504_0005;
    pub(crate) const UNSUPPORTED_ACCESS: u32 = 0x0601_0000;
    pub(crate) const READ_ONLY: u32 = 0x0601_0002;
    pub(crate) const SUBINDEX_NOT_ZERO: u32 = 0x0601_0003;
    pub(crate) const NO_COMPLETE_ACCESS: u32 = 0x0601_0004;
    pub(crate) const NO_OBJECT: u32 = 0x0602_0000;
    pub(crate) const NOT_MAPPABLE: u32 = 0x0604_0041;
    pub(crate) const LENGTH: u32 = 0x0607_0010;
    pub(crate) const NO_SUBINDEX: u32 = 0x0609_0011;
    pub(crate) const TOO_MANY: u32 = 0x0604_0042;
    pub(crate) const STATE: u32 = 0x0800_0022;
}

/// CoE's numbers of data types (ETG.1000.6, table 64).
pub(crate) mod data_type {
    pub(crate) const UNSIGNED8: u16 = 0x0005;
    pub(crate) const UNSIGNED16: u16 = 0x0006;
    pub(crate) const UNSIGNED32: u16 = 0x0007;
    pub(crate) const VISIBLE_STRING: u16 = 0x0009;
}

/// Version in the objects 0x1009 and 0x100A.
const VERSION: &str = "1.0";
/// Objects that every device with CoE has.
const DEVICE_TYPE: u16 = 0x1000;
const DEVICE_NAME: u16 = 0x1008;
const HARDWARE_VERSION: u16 = 0x1009;
const SOFTWARE_VERSION: u16 = 0x100A;
const IDENTITY: u16 = 0x1018;
const SYNC_MANAGER_TYPES: u16 = 0x1C00;
const FIXED: [u16; 6] = [
    DEVICE_TYPE,
    DEVICE_NAME,
    HARDWARE_VERSION,
    SOFTWARE_VERSION,
    IDENTITY,
    SYNC_MANAGER_TYPES,
];
/// Index, plus n, of the object with the assignment of SyncManager n.
const ASSIGNMENTS: u16 = 0x1C10;

/// A value of the dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item<'m> {
    pub(crate) data_type: u16,
    pub(crate) bits: usize,
    pub(crate) value: Value<'m>,
    pub(crate) access: Access,
    /// Whether it is process data, and of which direction.
    pub(crate) mapped: Option<Direction>,
    pub(crate) name: &'m str,
    target: Target,
}

/// The value of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'m> {
    Number(u32),
    Text(&'m str),
}

/// Where a write goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Nowhere,
    Parameter(usize),
    Assigned(Direction, usize),
    AssignedCount(Direction),
}

impl<'m> Item<'m> {
    fn number(data_type: u16, bits: usize, value: u32, name: &'m str) -> Self {
        Self {
            data_type,
            bits,
            value: Value::Number(value),
            access: Access::ReadOnly,
            mapped: None,
            name,
            target: Target::Nowhere,
        }
    }

    fn byte(value: usize, name: &'m str) -> Self {
        Self::number(data_type::UNSIGNED8, 8, value as u32, name)
    }

    fn text(text: &'m str, name: &'m str) -> Self {
        Self {
            bits: text.len() * 8,
            value: Value::Text(text),
            ..Self::number(data_type::VISIBLE_STRING, 0, 0, name)
        }
    }

    fn writable(self, target: Target) -> Self {
        Self {
            access: Access::ReadWrite,
            target,
            ..self
        }
    }

    /// Bytes that it takes.
    pub(crate) fn length(&self) -> usize {
        self.bits.div_ceil(8)
    }
}

pub(crate) struct Dictionary<'a> {
    pub(crate) model: &'a Model<'a>,
    pub(crate) application: &'a mut Application,
    pub(crate) state: State,
}

impl Dictionary<'_> {
    /// The value at an index and a subindex.
    ///
    /// # Errors
    /// An abort code, where there is no such object, or no such subindex of it.
    pub(crate) fn item(&self, index: u16, subindex: u8) -> Result<Item<'_>, u32> {
        let item = match index {
            DEVICE_TYPE | DEVICE_NAME | HARDWARE_VERSION | SOFTWARE_VERSION => {
                (subindex == 0).then(|| self.head(index))
            }
            IDENTITY => self.identity(subindex),
            SYNC_MANAGER_TYPES => self.sync_manager_type(subindex),
            _ => self
                .assigned(index, subindex)
                .or_else(|| self.mapping(index, subindex))
                .or_else(|| self.own(index, subindex))
                .or_else(|| self.process_datum(index, subindex)),
        };
        item.or_else(|| self.count_of(index, subindex))
            .ok_or_else(|| {
                if self.has(index) {
                    abort::NO_SUBINDEX
                } else {
                    abort::NO_OBJECT
                }
            })
    }

    /// Writes the value at an index and a subindex.
    ///
    /// # Errors
    /// An abort code, where that is not possible: nothing is changed then.
    pub(crate) fn write(&mut self, index: u16, subindex: u8, value: &[u8]) -> Result<(), u32> {
        let item = self.item(index, subindex)?;
        let (target, bits) = (item.target, item.bits);
        if item.access == Access::ReadOnly {
            return Err(abort::READ_ONLY);
        }
        if value.len() != item.length() {
            return Err(abort::LENGTH);
        }
        let number = crate::bytes::bits(value, 0, bits);
        self.store(target, number)
    }

    fn store(&mut self, target: Target, number: u32) -> Result<(), u32> {
        match target {
            Target::Nowhere => Err(abort::READ_ONLY),
            Target::Parameter(place) => {
                let parameter = self.application.parameters.get_mut(place);
                let parameter = parameter.ok_or(abort::READ_ONLY)?;
                *parameter = number;
                Ok(())
            }
            Target::Assigned(direction, place) => self.assign(direction, place, number),
            Target::AssignedCount(direction) => self.assign_count(direction, number),
        }
    }

    fn assign(&mut self, direction: Direction, place: usize, pdo: u32) -> Result<(), u32> {
        let is_known = |candidate: &Pdo<'_>| {
            u32::from(candidate.index) == pdo && candidate.direction == direction
        };
        if !self.model.pdos.iter().any(|candidate| is_known(&candidate)) {
            return Err(abort::NOT_MAPPABLE);
        }
        let assignment = self.changeable(direction)?;
        if assignment.count != 0 {
            return Err(abort::SUBINDEX_NOT_ZERO);
        }
        if assignment.set(place, pdo as u16) {
            Ok(())
        } else {
            Err(abort::TOO_MANY)
        }
    }

    fn assign_count(&mut self, direction: Direction, count: u32) -> Result<(), u32> {
        let assignment = self.changeable(direction)?;
        if assignment.set_count(count as usize) {
            Ok(())
        } else {
            Err(abort::TOO_MANY)
        }
    }

    /// PDOs are assigned in PREOP only.
    fn changeable(
        &mut self,
        direction: Direction,
    ) -> Result<&mut crate::application::Assignment, u32> {
        if self.state != State::PreOp {
            return Err(abort::STATE);
        }
        Ok(self.application.assignment_mut(direction))
    }

    /// The index that follows `after`, of all objects.
    pub(crate) fn next_index(&self, after: Option<u16>) -> Option<u16> {
        self.indexes()
            .filter(|index| after.is_none_or(|after| *index > after))
            .min()
    }

    /// Returns how many objects there are for which `wanted` holds.
    pub(crate) fn count(&self, wanted: impl Fn(u16) -> bool) -> usize {
        let all =
            core::iter::successors(self.next_index(None), |after| self.next_index(Some(*after)));
        all.filter(|index| wanted(*index)).count()
    }

    /// The largest subindex of an object.
    pub(crate) fn last_subindex(&self, index: u16) -> u8 {
        match index {
            IDENTITY => 4,
            SYNC_MANAGER_TYPES => self.model.sync_managers.len() as u8,
            _ => self
                .assignment_of(index)
                .map(|direction| self.application.assignment(direction).count as u8)
                .or_else(|| self.pdo(index).map(|pdo| pdo.entries))
                .or_else(|| self.last_described(index))
                .unwrap_or(0),
        }
    }

    /// Returns whether something of an object can be written.
    pub(crate) fn is_writable(&self, index: u16) -> bool {
        let is_own = (self.model.objects.iter())
            .any(|object| object.index == index && object.access == Access::ReadWrite);
        is_own || self.assignment_of(index).is_some() && self.can_assign()
    }

    /// Returns whether an object is exchanged as process data of a direction.
    pub(crate) fn is_mapped(&self, index: u16, direction: Direction) -> bool {
        self.model
            .pdos
            .iter()
            .filter(|pdo| pdo.direction == direction)
            .flat_map(|pdo| self.model.entries_of(pdo.index))
            .any(|entry| entry.index == index)
    }

    /// Returns whether an object is there.
    pub(crate) fn has(&self, index: u16) -> bool {
        self.indexes().any(|candidate| candidate == index)
    }

    /// The name of an object: its maker's, or the standard's.
    pub(crate) fn name(&self, index: u16) -> &str {
        match index {
            DEVICE_TYPE => "Device type",
            DEVICE_NAME => "Device name",
            HARDWARE_VERSION => "Hardware version",
            SOFTWARE_VERSION => "Software version",
            IDENTITY => "Identity",
            SYNC_MANAGER_TYPES => "Sync manager type",
            _ => self.own_name(index),
        }
    }

    fn own_name(&self, index: u16) -> &str {
        if let Some(pdo) = self.pdo(index) {
            return pdo.name;
        }
        let own = self
            .model
            .objects
            .iter()
            .find(|object| object.index == index);
        if let Some(object) = own {
            return object.name;
        }
        let entry = self.model.entries.iter().find(|entry| entry.index == index);
        entry.map_or("PDO assignment", |entry| entry.name)
    }

    /// All indexes, in no order, some more than once.
    fn indexes(&self) -> impl Iterator<Item = u16> + '_ {
        let assignments = [Direction::Outputs, Direction::Inputs]
            .into_iter()
            .filter_map(|direction| self.assignment_index(direction));
        let entries = self.model.entries.iter().map(|entry| entry.index);
        FIXED
            .into_iter()
            .chain(assignments)
            .chain(self.model.pdos.iter().map(|pdo| pdo.index))
            .chain(self.model.objects.iter().map(|object| object.index))
            .chain(entries.filter(|index| *index != 0))
    }

    fn assignment_index(&self, direction: Direction) -> Option<u16> {
        let number = self.model.sync_manager(direction.kind())?;
        Some(ASSIGNMENTS + number as u16)
    }

    /// Returns the direction of the PDOs that an object assigns.
    fn assignment_of(&self, index: u16) -> Option<Direction> {
        [Direction::Outputs, Direction::Inputs]
            .into_iter()
            .find(|direction| self.assignment_index(*direction) == Some(index))
    }

    fn can_assign(&self) -> bool {
        self.model.mailbox.is_some_and(|mailbox| mailbox.assignment)
    }

    fn pdo(&self, index: u16) -> Option<Pdo<'_>> {
        self.model.pdos.iter().find(|pdo| pdo.index == index)
    }

    fn head(&self, index: u16) -> Item<'_> {
        let name = self.name(index);
        match index {
            DEVICE_TYPE => Item::number(data_type::UNSIGNED32, 32, self.model.profile, name),
            DEVICE_NAME => Item::text(self.model.name, name),
            _ => Item::text(VERSION, name),
        }
    }

    fn identity(&self, subindex: u8) -> Option<Item<'_>> {
        let model = self.model;
        let (value, name) = match subindex {
            0 => return Some(Item::byte(4, "Identity")),
            1 => (model.vendor, "Vendor ID"),
            2 => (model.product, "Product code"),
            3 => (model.revision, "Revision"),
            4 => (model.serial, "Serial number"),
            _ => return None,
        };
        Some(Item::number(data_type::UNSIGNED32, 32, value, name))
    }

    fn sync_manager_type(&self, subindex: u8) -> Option<Item<'_>> {
        let managers = &self.model.sync_managers;
        let Some(place) = subindex.checked_sub(1) else {
            return Some(Item::byte(managers.len(), "Sync manager type"));
        };
        let manager = managers.get(usize::from(place))?;
        Some(Item::byte(manager.kind as usize, "Type"))
    }

    /// 0x1C12 and 0x1C13, where the SyncManagers 2 and 3 carry the process data.
    fn assigned(&self, index: u16, subindex: u8) -> Option<Item<'_>> {
        let direction = self.assignment_of(index)?;
        let assignment = self.application.assignment(direction);
        let (item, target) = match subindex.checked_sub(1).map(usize::from) {
            None => (
                Item::byte(assignment.count, "PDO assignment"),
                Target::AssignedCount(direction),
            ),
            Some(place) => {
                // While nothing counts, each place may be written.
                if place >= assignment.count && assignment.count != 0 {
                    return None;
                }
                let pdo = assignment.get(place)?;
                let number = u32::from(pdo);
                let item = Item::number(data_type::UNSIGNED16, 16, number, "PDO");
                (item, Target::Assigned(direction, place))
            }
        };
        Some(if self.can_assign() {
            item.writable(target)
        } else {
            item
        })
    }

    /// 0x1600 and following, 0x1A00 and following: what a PDO consists of.
    fn mapping(&self, index: u16, subindex: u8) -> Option<Item<'_>> {
        let pdo = self.pdo(index)?;
        let Some(place) = subindex.checked_sub(1) else {
            return Some(Item::byte(usize::from(pdo.entries), pdo.name));
        };
        let entry = self.model.entries_of(index).nth(usize::from(place))?;
        let mapped =
            u32::from(entry.index) << 16 | u32::from(entry.subindex) << 8 | u32::from(entry.bits);
        let name = entry.name;
        Some(Item::number(data_type::UNSIGNED32, 32, mapped, name))
    }

    /// Returns an object that the maker put into the dictionary.
    fn own(&self, index: u16, subindex: u8) -> Option<Item<'_>> {
        let mut objects = self.model.objects.iter().enumerate();
        let (place, object) =
            objects.find(|(_, object)| object.index == index && object.subindex == subindex)?;
        let value = self.application.parameters.get(place);
        let item = Item::number(
            object.data_type,
            usize::from(object.bits),
            value.copied().unwrap_or(object.value),
            object.name,
        );
        Some(match object.access {
            Access::ReadOnly => item,
            Access::ReadWrite => item.writable(Target::Parameter(place)),
        })
    }

    /// Returns an item of the process data, which can be read, too; 0 if it is in no PDO that is
    /// assigned.
    fn process_datum(&self, index: u16, subindex: u8) -> Option<Item<'_>> {
        let is_it = |entry: &crate::model::Entry<'_>| {
            entry.index == index && entry.subindex == subindex && index != 0
        };
        let entry = self.model.entries.iter().find(is_it)?;
        let direction = if self.is_mapped(index, Direction::Outputs) {
            Direction::Outputs
        } else {
            Direction::Inputs
        };
        let image = match direction {
            Direction::Outputs => &self.application.outputs,
            Direction::Inputs => &self.application.inputs,
        };
        let assignment = self.application.assignment(direction);
        let mut places = assignment.entries(self.model, direction);
        let place = places.find(|(candidate, _, _)| is_it(candidate));
        let size = usize::from(entry.bits);
        let value = place.map_or(0, |(_, _, at)| bits(image, at, size));
        Some(Item {
            mapped: Some(direction),
            ..Item::number(entry.data_type, size.min(32), value, entry.name)
        })
    }

    /// Returns subindex 0 of an object with subindexes that has no description: how many there are.
    fn count_of(&self, index: u16, subindex: u8) -> Option<Item<'_>> {
        let last = self.last_described(index)?;
        (subindex == 0).then(|| Item::byte(usize::from(last), self.name(index)))
    }

    /// The largest subindex of what the maker described and of what is exchanged.
    fn last_described(&self, index: u16) -> Option<u8> {
        let own = (self.model.objects.iter())
            .filter(|object| object.index == index)
            .map(|object| object.subindex);
        let entries = (self.model.entries.iter())
            .filter(|entry| entry.index == index && index != 0)
            .map(|entry| entry.subindex);
        own.chain(entries).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standard::{ANALOGUE, DRIVE};

    fn with<R>(model: &Model<'_>, state: State, test: impl Fn(&mut Dictionary<'_>) -> R) -> R {
        let mut application = Application::new();
        application.power_on(model);
        test(&mut Dictionary {
            model,
            application: &mut application,
            state,
        })
    }

    fn number(dictionary: &Dictionary<'_>, index: u16, subindex: u8) -> Result<u32, u32> {
        match dictionary.item(index, subindex)?.value {
            Value::Number(number) => Ok(number),
            Value::Text(text) => panic!("{text}"),
        }
    }

    #[test]
    fn the_standards_objects_follow_from_the_model() {
        with(&DRIVE, State::PreOp, |dictionary| {
            let get = |index, subindex| number(dictionary, index, subindex);
            assert_eq!(get(0x1000, 0), Ok(DRIVE.profile));
            assert_eq!(get(0x1018, 2), Ok(DRIVE.product));
            assert_eq!(get(0x1018, 5), Err(abort::NO_SUBINDEX));
            assert_eq!(get(0x1C00, 0), Ok(4));
            assert_eq!(get(0x1C12, 1), Ok(0x1600));
            assert_eq!(get(0x1600, 2), Ok(0x607A_0020));
            assert_eq!(get(0x1A00, 0), Ok(2));
            assert_eq!(get(0x2FFF, 0), Err(abort::NO_OBJECT));
            let name = dictionary.item(0x1008, 0).unwrap();
            assert_eq!(name.value, Value::Text(DRIVE.name));
            for (place, manager) in DRIVE.sync_managers.iter().enumerate() {
                assert_eq!(get(0x1C00, place as u8 + 1), Ok(manager.kind as u32));
            }
        });
    }

    #[test]
    fn pdos_are_assigned_in_preop_from_nothing_up() {
        with(&ANALOGUE, State::PreOp, |dictionary| {
            let write = |dictionary: &mut Dictionary<'_>, subindex, value: &[u8]| {
                dictionary.write(0x1C13, subindex, value)
            };
            let is = number(dictionary, 0x1C13, 1).unwrap();
            let bytes = (is as u16).to_le_bytes();
            assert_eq!(write(dictionary, 1, &bytes), Err(abort::SUBINDEX_NOT_ZERO));
            assert_eq!(write(dictionary, 0, &[0]), Ok(()));
            assert_eq!(
                write(dictionary, 1, &[0xFF, 0x1A]),
                Err(abort::NOT_MAPPABLE)
            );
            assert_eq!(write(dictionary, 1, &bytes), Ok(()));
            assert_eq!(write(dictionary, 0, &[1]), Ok(()));
            assert_eq!(write(dictionary, 0, &[1, 0]), Err(abort::LENGTH));
            assert_eq!(write(dictionary, 0, &[99]), Err(abort::TOO_MANY));
            assert_eq!(number(dictionary, 0x1C13, 1), Ok(is));
        });
        with(&ANALOGUE, State::SafeOp, |dictionary| {
            assert_eq!(dictionary.write(0x1C13, 0, &[0]), Err(abort::STATE));
        });
    }

    #[test]
    fn parameters_keep_what_is_written_and_others_do_not() {
        with(&DRIVE, State::PreOp, |dictionary| {
            assert_eq!(dictionary.write(0x6060, 0, &[8]), Ok(()));
            assert_eq!(number(dictionary, 0x6060, 0), Ok(8));
            assert_eq!(dictionary.write(0x1018, 1, &[0; 4]), Err(abort::READ_ONLY));
            assert_eq!(dictionary.write(0x6041, 0, &[0; 2]), Err(abort::READ_ONLY));
        });
    }

    #[test]
    fn indexes_are_listed_in_order_and_once() {
        with(&DRIVE, State::PreOp, |dictionary| {
            let mut at = None;
            let mut seen = Vec::new();
            while let Some(index) = dictionary.next_index(at) {
                seen.push(index);
                at = Some(index);
            }
            assert_eq!(seen[..3], [0x1000, 0x1008, 0x1009]);
            assert!(seen.is_sorted_by(|one, other| one < other));
            assert_eq!(dictionary.count(|_| true), seen.len());
            assert!(seen.contains(&0x6064));
            assert_eq!(dictionary.last_subindex(0x1018), 4);
        });
    }
}
