//! A machine with guests, observed from outside: virtual processors on processors, and the threads
//! of the guests of this project's kernel, on one time line.
//!
//! Owns: the selection of observed places, and the way to a recording. Must never know: the caller
//! that starts the machine, or the use of the recording.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use taktos_abi::layout::wait;
use taktos_emulator::several::Setting;
use taktos_emulator::{Emulator, Ending, Observed, Options, Place, Record, Subject, Switch};
use taktos_export::{Guest, Recording, with_guests};
use taktos_runner::image::Image;
use taktos_runner::vm::Vcpus;
use taktos_trace::Thread;
use taktos_vm::{Configuration, Plan, Sources};

use crate::measure::record_schedule;

/// A machine that another caller runs while its schedule is observed.
pub struct Observation<'a> {
    observed: Observed<'a>,
    vcpus: Vcpus,
    /// The partitions, each with the number of its first virtual processor.
    partitions: Vec<(String, usize)>,
    /// Name of each virtual processor.
    names: Vec<String>,
    processor: &'static str,
}

impl<'a> Observation<'a> {
    /// Observes the machine of a plan in a setting.
    ///
    /// # Errors
    /// When an image cannot be read or watched.
    pub fn of(
        clock: &'a Emulator,
        (configuration, plan, sources): (&Configuration, &Plan, &[Sources]),
        hypervisor: &Image,
        (setting, options): (&Setting, Options),
    ) -> Result<Self> {
        let elf = std::fs::read(&hypervisor.path);
        let elf = elf.with_context(|| hypervisor.path.display().to_string())?;
        let place = |(memory, offset)| Place { memory, offset };
        let vcpus = Vcpus::of(&object::File::parse(elf.as_slice())?)?;
        let first = Subject {
            image: &hypervisor.path,
            processors: setting.processors,
            place: place((Plan::hypervisor_memory(), 0)),
            standing: Some(vcpus.standing),
        };
        let partitions = configuration.partitions.iter();
        let guests = partitions.zip(sources).zip(plan.memories());
        let guests = guests.map(|((partition, source), memory)| Subject {
            image: &source.kernel,
            processors: partition.vcpus.len(),
            place: place(memory),
            standing: None,
        });
        let guests: Vec<_> = guests.collect();
        let mut names = Vec::new();
        let partitions = configuration.partitions.iter().map(|partition| {
            let first = names.len();
            let vcpus = 0..partition.vcpus.len();
            names.extend(vcpus.map(|vcpu| format!("{}/vcpu{vcpu}", partition.name)));
            (partition.name.clone(), first)
        });
        Ok(Self {
            partitions: partitions.collect(),
            vcpus,
            observed: clock.observe((&first, &[]), &guests, (setting, options))?,
            names,
            processor: configuration.machine.processor.name(),
        })
    }

    /// Returns the emulator's arguments for it, in the place of those that give it its time.
    pub fn arguments(&self) -> Vec<String> {
        self.observed.arguments()
    }

    /// Returns the schedule of the threads, and the cause of its end; to be called after the
    /// machine has ended.
    ///
    /// # Errors
    /// If the machine was ended from outside.
    pub fn recording(&self) -> Result<(Recording, Ending)> {
        let (mut host, guests) = self.observed.records()?;
        let turns = self.turns(&mut host);
        let mut recording = record_schedule(&host, self.processor);
        let guests = guests.into_iter().map(|(number, mut guest)| {
            let (name, first) = &self.partitions[number];
            let next = self.partitions.get(number + 1);
            let until = next.map_or(self.names.len(), |(_, first)| *first);
            turns.place(&mut guest, *first);
            Guest {
                name: name.clone(),
                vcpus: (*first..until)
                    .map(|vcpu| thread(&mut recording, &self.names[vcpu]))
                    .collect(),
                recording: record_schedule(&guest, ""),
            }
        });
        let guests = guests.collect();
        Ok((with_guests(recording, guests), host.ended))
    }

    /// The turns of the virtual processors; they are called by their names from now on. Each wakes
    /// for an interrupt.
    fn turns(&self, host: &mut Record) -> Turns {
        for wake in &mut host.wakes {
            wake.waited = wait::SLEEP as u64;
        }
        let mut turns = Turns::default();
        host.switches.retain_mut(|switch| {
            let Some(whose) = self.vcpus.whose(switch.thread) else {
                return false;
            };
            turns.add(switch, whose);
            // Each scheduler of virtual processors has an order of its own.
            switch.turn.priority = None;
            let name = whose.and_then(|vcpu| self.names.get(vcpu));
            match name {
                Some(name) => switch.name.clone_from(name),
                // No virtual processor's control block is there.
                None => switch.thread = 0,
            }
            true
        });
        turns
    }
}

/// The thread of that name; one that never ran is there, too.
fn thread(recording: &mut Recording, name: &str) -> Thread {
    let threads = &mut recording.threads;
    let place = threads.iter().position(|thread| thread == name);
    let place = place.unwrap_or_else(|| {
        threads.push(name.to_owned());
        threads.len() - 1
    });
    Thread(u16::try_from(place).unwrap_or(Thread::IDLE.0 - 1))
}

/// Which virtual processor each processor executed, from when on.
#[derive(Default)]
struct Turns(BTreeMap<usize, Vec<(u64, Option<usize>)>>);

impl Turns {
    fn add(&mut self, switch: &Switch, whose: Option<usize>) {
        let turns = self.0.entry(switch.processor).or_default();
        turns.push((switch.at, whose));
    }

    /// Places wake-ups on virtual processors: the clock knows only the processor on which the
    /// waking code executed.
    fn place(&self, guest: &mut Record, first: usize) {
        for wake in &mut guest.wakes {
            let turns = self.0.get(&wake.processor).map_or(&[][..], Vec::as_slice);
            let behind = turns.partition_point(|(at, _)| *at <= wake.at);
            let turn = behind.checked_sub(1).and_then(|last| turns[last].1);
            wake.processor = turn.map_or(0, |vcpu| vcpu.saturating_sub(first));
        }
    }
}
