//! The application of a device: its process data, and what it makes of them.
//!
//! Owns: the process images, which PDOs are assigned, the parameters, the behaviours. Must never
//! know: frames or registers.

use crate::bytes::{put, word};
use crate::drive::Drive;
use crate::model::{Behaviour, Direction, Entry, Model, SyncManagerKind};

/// PDOs that may be assigned in one direction.
const MOST_PDOS: usize = 16;
/// Bytes of an analogue channel: status and value; and of an analogue output.
const ANALOGUE_INPUT: usize = 4;
const ANALOGUE_OUTPUT: usize = 2;
/// The analogue status' bit that toggles with each new value.
const TOGGLE: u16 = 1 << 15;
/// Rise of the ramp at each step.
const RAMP: i16 = 16;

impl Direction {
    /// The SyncManager that carries it.
    pub(crate) fn kind(self) -> SyncManagerKind {
        match self {
            Self::Outputs => SyncManagerKind::Outputs,
            Self::Inputs => SyncManagerKind::Inputs,
        }
    }
}

/// The PDOs that are exchanged in one direction.
#[derive(Clone, Copy)]
pub(crate) struct Assignment {
    pdos: [u16; MOST_PDOS],
    pub(crate) count: usize,
}

impl Assignment {
    const NONE: Self = Self {
        pdos: [0; MOST_PDOS],
        count: 0,
    };

    fn of(model: &Model<'_>, direction: Direction) -> Self {
        let mut assignment = Self::NONE;
        let chosen = (model.pdos.iter())
            .filter(|pdo| pdo.sync_manager.is_some() && pdo.direction == direction);
        for pdo in chosen.take(MOST_PDOS) {
            assignment.pdos[assignment.count] = pdo.index;
            assignment.count += 1;
        }
        assignment
    }

    /// The PDO at `place`, whether it counts or not.
    pub(crate) fn get(&self, place: usize) -> Option<u16> {
        self.pdos.get(place).copied()
    }

    /// Sets the PDO at `place`; false if there is no space.
    pub(crate) fn set(&mut self, place: usize, pdo: u16) -> bool {
        let slot = self.pdos.get_mut(place);
        slot.map(|slot| *slot = pdo).is_some()
    }

    /// Sets how many count; false if there is no space.
    pub(crate) fn set_count(&mut self, count: usize) -> bool {
        let fits = count <= MOST_PDOS;
        if fits {
            self.count = count;
        }
        fits
    }

    /// The entries that are exchanged in this direction, each with its SyncManager and the bit of
    /// the image at which it begins: what one SyncManager carries begins with a byte.
    pub(crate) fn entries<'m>(
        &'m self,
        model: &'m Model<'_>,
        direction: Direction,
    ) -> impl Iterator<Item = (Entry<'m>, usize, usize)> {
        let managers = model.managers_for(direction.kind());
        let entries = managers.flat_map(move |(manager, _)| {
            let pdos = self.pdos[..self.count].iter();
            pdos.filter(move |pdo| carrier(model, **pdo, direction) == Some(manager))
                .flat_map(move |pdo| model.entries_of(*pdo))
                .map(move |entry| (entry, manager))
        });
        entries.scan((0, 0), |(last, next), (entry, manager)| {
            if *last != manager {
                *next = usize::div_ceil(*next, 8) * 8;
                *last = manager;
            }
            let at = *next;
            *next += usize::from(entry.bits);
            Some((entry, manager, at))
        })
    }
}

/// The number of the SyncManager that carries a PDO.
fn carrier(model: &Model<'_>, index: u16, direction: Direction) -> Option<usize> {
    let pdo = (model.pdos.iter()).find(|pdo| pdo.index == index && pdo.direction == direction)?;
    pdo.sync_manager
        .map(usize::from)
        .or_else(|| model.sync_manager(direction.kind()))
}

pub(crate) struct Application {
    pub(crate) outputs: [u8; Model::PROCESS_DATA],
    pub(crate) inputs: [u8; Model::PROCESS_DATA],
    output_bytes: usize,
    input_bytes: usize,
    assignments: [Assignment; 2],
    pub(crate) parameters: [u32; Model::PARAMETERS],
    pub(crate) drive: Drive,
    /// Outputs have come since SYNC0 was last there.
    pub(crate) has_new_outputs: bool,
    steps: u32,
}

impl Application {
    pub(crate) const fn new() -> Self {
        Self {
            outputs: [0; Model::PROCESS_DATA],
            inputs: [0; Model::PROCESS_DATA],
            output_bytes: 0,
            input_bytes: 0,
            assignments: [Assignment::NONE; 2],
            parameters: [0; Model::PARAMETERS],
            drive: Drive::new(),
            has_new_outputs: false,
            steps: 0,
        }
    }

    pub(crate) fn power_on(&mut self, model: &Model<'_>) {
        *self = Self::new();
        for direction in [Direction::Outputs, Direction::Inputs] {
            self.assignments[direction as usize] = Assignment::of(model, direction);
        }
        for (parameter, object) in self.parameters.iter_mut().zip(model.objects.iter()) {
            *parameter = object.value;
        }
    }

    pub(crate) fn assignment(&self, direction: Direction) -> &Assignment {
        &self.assignments[direction as usize]
    }

    pub(crate) fn assignment_mut(&mut self, direction: Direction) -> &mut Assignment {
        &mut self.assignments[direction as usize]
    }

    /// Bytes of process data in one direction; `None` where a PDO is unknown, or there are more
    /// than a model may have.
    pub(crate) fn length(&self, model: &Model<'_>, direction: Direction) -> Option<usize> {
        let assignment = self.assignment(direction);
        let is_known = |index: &u16| {
            (model.pdos.iter()).any(|pdo| pdo.index == *index && pdo.direction == direction)
        };
        if !assignment.pdos[..assignment.count].iter().all(is_known) {
            return None;
        }
        let managers = model.managers_for(direction.kind());
        let bytes = managers
            .map(|(manager, _)| self.carried(model, direction, manager))
            .sum();
        (bytes <= Model::PROCESS_DATA).then_some(bytes)
    }

    /// Bytes of process data that one SyncManager carries.
    pub(crate) fn carried(&self, model: &Model<'_>, direction: Direction, manager: usize) -> usize {
        let entries = self.assignment(direction).entries(model, direction);
        let bits: usize = entries
            .filter(|(_, carrier, _)| *carrier == manager)
            .map(|(entry, _, _)| usize::from(entry.bits))
            .sum();
        bits.div_ceil(8)
    }

    /// Process data begin to flow.
    pub(crate) fn start(&mut self, model: &Model<'_>) {
        self.output_bytes = self.length(model, Direction::Outputs).unwrap_or(0);
        self.input_bytes = self.length(model, Direction::Inputs).unwrap_or(0);
        self.outputs = [0; Model::PROCESS_DATA];
        self.inputs = [0; Model::PROCESS_DATA];
        self.has_new_outputs = false;
        if model.behaviour == Behaviour::Drive {
            self.drive.locate(model, &self.assignments);
        }
        self.step(model.behaviour);
    }

    /// OP is left: outputs are safe.
    pub(crate) fn stop(&mut self) {
        self.outputs = [0; Model::PROCESS_DATA];
        self.drive.stop();
    }

    /// Outputs that count have come, for the image from byte `at` on.
    pub(crate) fn take_outputs(&mut self, at: usize, outputs: &[u8]) {
        let end = self.output_bytes.min(at + outputs.len());
        if let Some(image) = self.outputs.get_mut(at..end) {
            image.copy_from_slice(&outputs[..end - at]);
        }
    }

    pub(crate) fn has_outputs(&self) -> bool {
        self.output_bytes != 0
    }

    /// The inputs, as they are now.
    pub(crate) fn inputs(&self) -> &[u8] {
        &self.inputs[..self.input_bytes]
    }

    /// One cycle of the application: outputs are taken, inputs made.
    pub(crate) fn step(&mut self, behaviour: Behaviour) {
        self.steps = self.steps.wrapping_add(1);
        match behaviour {
            Behaviour::Passive => {}
            Behaviour::Digital => self.invert(),
            Behaviour::Analogue => self.filter(),
            Behaviour::Drive => self.drive.step(&self.outputs, &mut self.inputs),
        }
    }

    fn invert(&mut self) {
        let counter = self.steps as u8;
        for (place, input) in self.inputs[..self.input_bytes].iter_mut().enumerate() {
            *input = if place < self.output_bytes {
                !self.outputs[place]
            } else {
                counter
            };
        }
    }

    fn filter(&mut self) {
        let channels = self.inputs[..self.input_bytes].chunks_exact_mut(ANALOGUE_INPUT);
        for (number, channel) in channels.enumerate() {
            let old = word(channel, 2) as i16;
            let output = number
                .checked_sub(1)
                .map(|number| number * ANALOGUE_OUTPUT)
                .filter(|at| at + ANALOGUE_OUTPUT <= self.output_bytes);
            let new = match output {
                None => old.wrapping_add(RAMP),
                Some(at) => low_pass(old, word(&self.outputs, at) as i16),
            };
            let status = word(channel, 0) ^ TOGGLE;
            put(channel, 0, &status.to_le_bytes());
            put(channel, 2, &new.to_le_bytes());
        }
    }
}

/// One step of a low-pass filter of the first order, a quarter of the way, that arrives.
fn low_pass(old: i16, target: i16) -> i16 {
    let way = i32::from(target) - i32::from(old);
    (i32::from(old) + way / 4 + way.signum() * i32::from(way.abs() < 4)) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::standard::{ANALOGUE, DIGITAL};

    fn started(model: &Model<'_>) -> Application {
        let mut application = Application::new();
        application.power_on(model);
        application.start(model);
        application
    }

    #[test]
    fn digital_inputs_are_the_inverted_outputs() {
        let mut application = started(&DIGITAL);
        application.take_outputs(0, &[0x5A]);
        application.step(DIGITAL.behaviour);
        assert_eq!(application.inputs(), [0xA5]);
        application.stop();
        application.step(DIGITAL.behaviour);
        assert_eq!(application.inputs(), [0xFF]);
    }

    #[test]
    fn the_ramp_rises_and_the_filter_arrives() {
        let mut application = started(&ANALOGUE);
        let before = word(application.inputs(), 2);
        application.take_outputs(0, &(-1000_i16).to_le_bytes());
        for _ in 0..40 {
            application.step(ANALOGUE.behaviour);
        }
        assert_eq!(word(application.inputs(), 2), before + 40 * RAMP as u16);
        assert_eq!(word(application.inputs(), 6) as i16, -1000);
    }

    #[test]
    fn a_filter_never_overshoots() {
        for (old, target) in [(0, 3), (5, 0), (i16::MIN, i16::MAX), (7, 7), (-1, 1)] {
            let new = low_pass(old, target);
            assert!((old.min(target)..=old.max(target)).contains(&new));
            assert!(new != old || old == target);
        }
    }

    #[test]
    fn an_unknown_pdo_has_no_length() {
        let mut application = started(&ANALOGUE);
        assert_eq!(application.length(&ANALOGUE, Direction::Inputs), Some(8));
        application.assignment_mut(Direction::Inputs).set(0, 0x1AFF);
        assert_eq!(application.length(&ANALOGUE, Direction::Inputs), None);
    }
}
