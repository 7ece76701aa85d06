//! The parts of an ELF image that the table needs: code, symbols, exception handlers.
//!
//! Owns: the reading of ELF. Must never know: the meaning of an instruction.

use std::collections::{BTreeMap, BTreeSet};

use object::{Architecture, Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind};

use crate::{Cpu, Error};

/// A stretch of instructions without data between.
pub(crate) struct Stretch<'data> {
    pub address: u32,
    pub bytes: &'data [u8],
    /// It is marked as T32.
    pub thumb: bool,
}

/// Kind of contents that follow a mapping symbol.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mapped {
    Data,
    Code,
    Thumb,
}

/// A symbol that may contain code.
struct Function {
    name: String,
    end: u32, // its own address where its size is not known
}

pub(crate) struct Image<'data> {
    file: object::File<'data>,
    functions: BTreeMap<u32, Function>,
    phase_labels: BTreeMap<u32, String>,
    /// Address and name of every symbol but the mapping symbols.
    pub symbols: Vec<(u32, String)>,
}

/// Labels `taktos.phase.NAME`, perhaps with a number after.
const PHASE_LABEL: &str = "taktos.phase.";

/// ELF section flags: occupies memory; holds instructions.
const ALLOCATED: u64 = 0x2;
const INSTRUCTIONS: u64 = 0x4;

impl<'data> Image<'data> {
    pub fn read(elf: &'data [u8], cpu: Cpu) -> Result<Self, Error> {
        let file = object::File::parse(elf)?;
        let (architecture, is_64) = architecture(cpu);
        let fits = file.architecture() == architecture && file.is_64() == is_64;
        if !fits || !file.is_little_endian() {
            return Err(Error::Processor(cpu));
        }
        let mut functions = BTreeMap::new();
        let mut symbols = Vec::new();
        let mut phase_labels = BTreeMap::new();
        for symbol in file.symbols() {
            // A symbol beyond 32 bits is no code, nor one of the variables that are searched for.
            let (Ok(name), Ok(address)) = (symbol.name(), u32::try_from(symbol.address())) else {
                continue;
            };
            if name.is_empty() || name.starts_with('$') || symbol.is_undefined() {
                continue;
            }
            symbols.push((address, name.to_owned()));
            if let Some(label) = name.strip_prefix(PHASE_LABEL) {
                let phase = label.split('.').next().unwrap_or(label);
                phase_labels.insert(address & !1, phase.to_owned());
            } else if symbol.kind() == SymbolKind::Text && crate::Mark::parse(name).is_none() {
                let start = address & !1;
                let end = start.saturating_add(symbol.size() as u32);
                let longest = functions.entry(start).or_insert(Function {
                    name: String::new(),
                    end,
                });
                if longest.name.is_empty() || end > longest.end {
                    *longest = Function {
                        name: name.to_owned(),
                        end,
                    };
                }
            }
        }
        symbols.sort();
        Ok(Self {
            file,
            functions,
            phase_labels,
            symbols,
        })
    }

    /// Returns the symbol that contains an address; empty if there is none.
    pub fn symbol(&self, address: u32) -> &str {
        self.functions
            .range(..=address)
            .next_back()
            .map_or("", |(_, f)| &f.name)
    }

    /// Returns the phase that a label gives to an address: from the label to the end of the symbol
    /// that contains it.
    pub fn phase_label(&self, address: u32) -> Option<&str> {
        let (at, phase) = self.phase_labels.range(..=address).next_back()?;
        let (start, _) = self.functions.range(..=address).next_back()?;
        (start <= at).then_some(phase)
    }

    /// Returns whether an address is within a symbol of known extent.
    pub fn in_function(&self, address: u32) -> bool {
        self.functions
            .range(..=address)
            .next_back()
            .is_some_and(|(_, f)| address < f.end)
    }

    /// The value of a symbol.
    pub fn value(&self, name: &str) -> Option<u32> {
        self.symbols
            .iter()
            .find(|(_, n)| n == name)
            .map(|(address, _)| *address)
    }

    /// Every executable section's address, size, and stretches of code.
    pub fn code(&self) -> Result<Vec<(u32, u32, Vec<Stretch<'data>>)>, Error> {
        let mut code = Vec::new();
        for section in self.file.sections() {
            if flagged(&section, ALLOCATED | INSTRUCTIONS) && section.size() > 0 {
                let end = section.address().saturating_add(section.size());
                let (Ok(address), Ok(_)) = (u32::try_from(section.address()), u32::try_from(end))
                else {
                    return Err(Error::TooFar(section.address()));
                };
                let bytes = section.data()?;
                let stretches = self.stretches(address, bytes);
                code.push((address, bytes.len() as u32, stretches));
            }
        }
        code.sort_by_key(|(address, ..)| *address);
        if code.is_empty() {
            Err(Error::NoCode)
        } else {
            Ok(code)
        }
    }

    /// Cuts a section at its mapping symbols. Without any, all of it is code.
    fn stretches(&self, address: u32, bytes: &'data [u8]) -> Vec<Stretch<'data>> {
        let end = address.saturating_add(bytes.len() as u32);
        let mut kinds = BTreeMap::new();
        for symbol in self.file.symbols() {
            let at = u32::try_from(symbol.address()).unwrap_or(u32::MAX);
            if let (Ok(name), true) = (symbol.name(), (address..end).contains(&at)) {
                match name.as_bytes() {
                    [b'$', b't', ..] => kinds.insert(at, Mapped::Thumb),
                    [b'$', b'a' | b'x', ..] => kinds.insert(at, Mapped::Code),
                    [b'$', b'd', ..] => kinds.insert(at, Mapped::Data),
                    _ => None,
                };
            }
        }
        if kinds.is_empty() {
            kinds.insert(address, Mapped::Code);
        }
        let ends: Vec<u32> = kinds.keys().copied().skip(1).chain([end]).collect();
        kinds
            .into_iter()
            .zip(ends)
            .filter(|((_, kind), _)| *kind != Mapped::Data)
            .map(|((from, kind), to)| Stretch {
                address: from,
                thumb: kind == Mapped::Thumb,
                bytes: &bytes[(from - address) as usize..(to - address) as usize],
            })
            .collect()
    }

    /// The first instructions of the exception handlers.
    pub fn handlers(&self, cpu: Cpu) -> BTreeSet<u32> {
        match cpu {
            // A program with partitions comes to have a second table, with handlers of its own.
            Cpu::CortexM0 | Cpu::CortexM0Plus | Cpu::CortexM3 | Cpu::CortexM4 => {
                let second = self
                    .named(&["taktos_isolated_"])
                    .map(|address| address & !1);
                self.vector_table().into_iter().chain(second).collect()
            }
            Cpu::CortexA8 => self.vectors(),
            Cpu::CortexA53 => self.table_of_sixteen(),
            Cpu::U54 => self.trap_handlers(),
        }
    }

    /// Microcontroller profile: the words after the first of the vector table, as far as
    /// they are T32 addresses or empty.
    fn vector_table(&self) -> BTreeSet<u32> {
        let named = [".vector_table", ".isr_vector", ".vectors"]
            .into_iter()
            .find_map(|name| self.file.section_by_name(name));
        let lowest = || {
            self.file
                .sections()
                .find(|s| s.size() > 0 && s.address() == 0 && flagged(s, ALLOCATED))
        };
        let Some(data) = named.or_else(lowest).and_then(|s| s.data().ok()) else {
            return BTreeSet::new();
        };
        data.chunks_exact(4)
            .skip(1)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .take_while(|word| *word == 0 || word & 1 == 1)
            .filter(|word| *word != 0)
            .map(|word| word & !1)
            .collect()
    }

    /// Application profile: eight instructions, the first being the reset. A program with
    /// partitions comes to have a second table.
    fn vectors(&self) -> BTreeSet<u32> {
        let base = ["_vector_table", "__vector_table", "_vectors", "vectors"]
            .into_iter()
            .find_map(|name| self.value(name))
            .unwrap_or(0);
        self.named(&["7vectors5table"])
            .chain([base])
            .flat_map(|base| (1..8).map(move |i| base.wrapping_add(4 * i)))
            .collect()
    }

    /// Returns where the symbols are that contain one of these.
    fn named(&self, parts: &[&str]) -> impl Iterator<Item = u32> {
        self.symbols
            .iter()
            .filter(|(_, name)| parts.iter().any(|part| name.contains(part)))
            .map(|(address, _)| *address)
    }

    /// Armv8-A: sixteen entries, 128 bytes apart (DDI 0487, D1.3.1).
    fn table_of_sixteen(&self) -> BTreeSet<u32> {
        self.named(&["7vectors5table", "_vector_table"])
            .flat_map(|base| (0..16).map(move |i| base.wrapping_add(128 * i)))
            .collect()
    }

    /// RISC-V: one handler for all traps; the start-up code has one of its own.
    fn trap_handlers(&self) -> BTreeSet<u32> {
        self.named(&["4trap4trap", "_start_trap", "_vector_table"])
            .collect()
    }

    /// The file, for its line tables.
    pub const fn file(&self) -> &object::File<'data> {
        &self.file
    }
}

/// Returns the architecture of an image for the processor, and whether it is of 64 bits.
fn architecture(cpu: Cpu) -> (Architecture, bool) {
    match cpu {
        Cpu::CortexA53 => (Architecture::Aarch64, true),
        Cpu::U54 => (Architecture::Riscv64, true),
        _ => (Architecture::Arm, false),
    }
}

fn flagged(section: &object::Section<'_, '_>, flags: u64) -> bool {
    matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.0 & flags == flags)
}
