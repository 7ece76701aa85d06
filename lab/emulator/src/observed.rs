//! Machines that are described elsewhere, with an image that they run first and guests that this
//! image runs: observed by any process that starts them and reads their console.
//! Must never know: the meaning of the machine's arguments, or what a guest is.

use std::path::Path;
use std::process::Command;

use taktos_cycles::Mark;

use crate::plan::{Place, Plan, Standing};
use crate::process::Process;
use crate::run::{Seen, elf, recorded, with_plugin, write};
use crate::scratch::Scratch;
use crate::several::Setting;
use crate::stream::{self, Event, Summary};
use crate::{Emulator, Ended, Error, Options, Record, Watch, console};

/// An image in a machine's memory.
#[derive(Debug, Clone)]
pub struct Subject<'a> {
    /// Its file.
    pub image: &'a Path,
    /// How many processors it has, be they virtual.
    pub processors: usize,
    /// Its place.
    pub place: Place,
    /// States of the threads that it names, if bytes hold them.
    pub standing: Option<Standing>,
}

/// A machine that is going to run, or runs.
pub struct Observed<'a> {
    emulator: &'a Emulator,
    setting: Setting,
    options: Options,
    scratch: Scratch,
    plan: Plan,
    image: Vec<u8>,
    /// The image of each guest that can be watched, and its place among all.
    guests: Vec<(usize, Vec<u8>)>,
}

impl Emulator {
    /// Observes a machine: each event of `first`, which it runs first and which knows its guests,
    /// and each passing of `points`, named addresses of it. Cycles are not modelled.
    ///
    /// # Errors
    /// When an image cannot be read or watched; [`Error::Setting`] for a setting that cannot be.
    pub fn observe<'a>(
        &'a self,
        (first, points): (&Subject<'_>, &[(&str, u64)]),
        guests: &[Subject<'_>],
        (setting, options): (&Setting, Options),
    ) -> Result<Observed<'a>, Error> {
        setting.check(self.board)?;
        let image = elf(first.image)?;
        let point = |(name, address): &(&str, u64)| (*address, Mark::point(name));
        let watch = Watch::marks(points.iter().map(point).collect());
        let plan = Plan::of(&image, setting.processors, self.board.reset_code(), &watch)?;
        let mut observed = Observed {
            emulator: self,
            setting: *setting,
            options,
            scratch: Scratch::new()?,
            plan: plan.placed(&first.place, first.standing),
            image,
            guests: Vec::new(),
        };
        for (number, guest) in guests.iter().enumerate() {
            let image = elf(guest.image)?;
            let plan = &mut observed.plan;
            if plan.watch_guest(&image, guest.processors, &guest.place)? {
                observed.guests.push((number, image));
            }
        }
        let text = observed.plan.to_text();
        write(&observed.scratch.file("plan"), text.as_bytes())?;
        Ok(observed)
    }
}

impl Observed<'_> {
    /// Returns the emulator's arguments in addition to the machine's: its time, and the observer.
    #[must_use]
    pub fn arguments(&self) -> Vec<String> {
        let plugin = self
            .emulator
            .recording(&self.setting, &self.options, &self.scratch, false);
        with_plugin(&plugin)
    }

    /// Runs the machine of these `arguments`, without a person at its console, and reports each
    /// event.
    ///
    /// # Errors
    /// As [`Emulator::record`], but that the limit of instructions is none.
    pub fn run(
        &self,
        arguments: &[String],
        event: &mut dyn FnMut(Event),
    ) -> Result<Summary, Error> {
        let mut command = Command::new(&self.emulator.program);
        command.args(arguments).args(self.arguments());
        let process = Process::unattended(command)?;
        let ended = console::listen(process, self.options.real_time)?;
        self.read(&ended.console, event)
    }

    fn read(&self, console: &str, event: &mut dyn FnMut(Event)) -> Result<Summary, Error> {
        let file = recorded(&self.scratch, console)?;
        stream::read(file, &self.plan.places, 0, event)
    }

    /// Returns the records of the image and of each guest that can be observed, by its place among
    /// all; for a machine that another process started and that has ended.
    ///
    /// # Errors
    /// If there is no whole record.
    pub fn records(&self) -> Result<(Record, Vec<(usize, Record)>), Error> {
        let mut own = Seen::of(&self.image, &Watch::default());
        let of_guests = self.guests.iter();
        let mut guests: Vec<_> = of_guests
            .map(|(_, image)| Seen::of(image, &Watch::default()))
            .collect();
        let summary = self.read("", &mut |event| match event {
            Event::OfGuest(guest, event) => {
                if let Some(guest) = guests.get_mut(guest) {
                    guest.add(*event);
                }
            }
            event => own.add(event),
        })?;
        let finish = |seen: Seen<'_>, summary| {
            let ended = Ended {
                console: String::new(),
                exit_status: 0,
            };
            seen.record(ended, summary, &self.setting, &self.options)
        };
        // Of a virtual processor nothing is counted.
        let of_guest = Summary {
            processors: Vec::new(),
            ..summary.clone()
        };
        let numbers = self.guests.iter().map(|(number, _)| *number);
        let guests = guests.into_iter();
        let guests = guests.map(|seen| finish(seen, of_guest.clone()));
        let guests = numbers.zip(guests).collect();
        Ok((finish(own, summary), guests))
    }
}
