//! The timing table of an image, and its binary form, which the clock reads.

use std::collections::BTreeSet;
use std::io::{self, Write};

use crate::code::{self, Instruction};
use crate::image::Image;
use crate::lines::Lines;
use crate::phase::PhaseRules;
use crate::timing::Flags;
use crate::{Cpu, Error};

/// The most phases of which the clock counts totals.
pub const MOST_PHASES: usize = 16;

/// Timing and phase of each instruction of an image, for the clock.
pub struct Table {
    cpu: Cpu,
    regions: Vec<Region>,
    phases: Vec<&'static str>,
}

/// A range of addresses with code.
struct Region {
    base: u32,
    bytes: u32,
    instructions: Vec<Known>,
}

struct Known {
    instruction: Instruction,
    phase: u8,
}

impl Table {
    /// The table of an ELF image with a symbol table; line tables give the phases.
    ///
    /// # Errors
    /// If the ELF or its line tables cannot be read, if there is no code, if the model does not
    /// know an instruction within a function (all of them are named), or if there are more than 16
    /// phases.
    pub fn for_image(elf: &[u8], cpu: Cpu, phases: &PhaseRules) -> Result<Self, Error> {
        let image = Image::read(elf, cpu)?;
        if phases.names().len() > MOST_PHASES {
            return Err(Error::TooMany {
                what: "phases",
                most: MOST_PHASES,
            });
        }
        let mut builder = Builder {
            lines: Lines::of(image.file())?,
            handlers: image.handlers(cpu),
            unknown: Vec::new(),
            image: &image,
            phases,
        };
        let mut regions = Vec::new();
        for (base, bytes, stretches) in image.code()? {
            let mut instructions = Vec::new();
            for stretch in &stretches {
                for instruction in code::instructions(&image, cpu, stretch, &mut builder.unknown) {
                    instructions.push(builder.known(instruction));
                }
            }
            regions.push(Region {
                base,
                bytes,
                instructions,
            });
        }
        if !builder.unknown.is_empty() {
            return Err(Error::Unknown {
                cpu,
                unknown: builder.unknown,
            });
        }
        Ok(Self {
            cpu,
            regions,
            phases: phases.names().to_vec(),
        })
    }

    /// Adds the code of an executable that the image loads to the table.
    ///
    /// # Errors
    /// Those of [`Table::for_image`] for the executable, and if the two have code at one address.
    pub fn with(mut self, loaded: &[u8], phases: &PhaseRules) -> Result<Self, Error> {
        let more = Self::for_image(loaded, self.cpu, phases)?;
        self.regions.extend(more.regions);
        self.regions.sort_by_key(|region| region.base);
        let mut neighbours = self.regions.windows(2);
        let twice = neighbours.find(|pair| pair[1].base - pair[0].base < pair[0].bytes);
        match twice {
            Some(pair) => Err(Error::Twice(pair[1].base)),
            None => Ok(self),
        }
    }

    /// The names of the phases, by number.
    #[must_use]
    pub fn phases(&self) -> &[&'static str] {
        &self.phases
    }

    /// Returns how many instructions the table knows.
    #[must_use]
    pub fn instructions(&self) -> usize {
        self.regions.iter().map(|r| r.instructions.len()).sum()
    }

    /// Writes the table for the clock.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut pool = Vec::new();
        let body: Vec<u8> = self
            .regions
            .iter()
            .flat_map(|r| r.slots(&mut pool))
            .collect();
        let events = code::events(self.cpu);
        out.write_all(b"TAKTAB03")?;
        let model = if self.cpu.is_microcontroller() { 1 } else { 2 };
        for word in [
            model,
            self.regions.len() as u32,
            self.phases.len() as u32,
            events.transfer,
            events.entry,
            events.exit,
            events.chain,
            (pool.len() / 2) as u32,
        ] {
            out.write_all(&word.to_le_bytes())?;
        }
        for region in &self.regions {
            out.write_all(&region.base.to_le_bytes())?;
            out.write_all(&region.bytes.div_ceil(2).to_le_bytes())?;
        }
        out.write_all(&body)?;
        out.write_all(&pool)
    }
}

/// Bytes of one slot; the clock's `struct record`.
const RECORD: usize = 12;

impl Region {
    /// One record for each halfword; the operands go to the pool.
    fn slots(&self, pool: &mut Vec<u8>) -> Vec<u8> {
        let mut slots = vec![0; self.bytes.div_ceil(2) as usize * RECORD];
        for known in &self.instructions {
            let at = ((known.instruction.address - self.base) / 2) as usize * RECORD;
            slots[at..at + RECORD].copy_from_slice(&known.record(pool));
        }
        slots
    }
}

impl Known {
    fn record(&self, pool: &mut Vec<u8>) -> [u8; RECORD] {
        let timing = &self.instruction.timing;
        let first = (pool.len() / 2) as u32;
        for operand in timing.sources.iter().chain(&timing.results) {
            pool.extend([operand.register, operand.when]);
        }
        let mut record = [0; RECORD];
        record[0] = self.instruction.size;
        record[1] = timing.cost;
        record[2] = self.instruction.condition;
        record[3] = self.phase;
        record[4..6].copy_from_slice(&timing.flags.bits().to_le_bytes());
        record[6] = timing.sources.len() as u8;
        record[7] = timing.results.len() as u8;
        record[8..].copy_from_slice(&first.to_le_bytes());
        record
    }
}

struct Builder<'a, 'data> {
    image: &'a Image<'data>,
    phases: &'a PhaseRules,
    lines: Lines<'data>,
    handlers: BTreeSet<u32>,
    unknown: Vec<crate::UnknownInstruction>,
}

impl Builder<'_, '_> {
    fn known(&self, mut instruction: Instruction) -> Known {
        let address = instruction.address;
        if self.handlers.contains(&address) {
            instruction.timing.flags |= Flags::HANDLER;
        }
        Known {
            phase: self.phase(address),
            instruction,
        }
    }

    /// A label decides; then the symbol; then the innermost source file that a rule names.
    fn phase(&self, address: u32) -> u8 {
        let named = |name: &str| self.phases.number_of(name);
        let labelled = || self.image.phase_label(address).and_then(named);
        let by_path = || {
            self.lines
                .paths(address.into())
                .iter()
                .find_map(|path| self.phases.of_path(path))
        };
        let by_symbol = || self.phases.of_symbol(self.image.symbol(address));
        labelled().or_else(by_symbol).or_else(by_path).unwrap_or(0)
    }
}
