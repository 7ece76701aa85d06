//! Machines with guests as the place of a study's runs.

use anyhow::Result;
use taktos_emulator::El2;
use taktos_runner::several::TimeProbe;
use taktos_runner::station::{Station, Task};

use super::Host;
use crate::outcome::Outcome;

impl Host for Station {
    type Task = Task;
    const GOES_ON: bool = true;

    fn run<T>(&self, task: &Task, read: impl Fn(&str) -> Result<T>) -> Result<T> {
        self.run(task, read)
    }

    fn name(task: &Task) -> &str {
        &task.name
    }

    fn taken_over(&self, tasks: &[Task]) -> Option<String> {
        self.taken_over(tasks)
    }

    fn board(&self) -> (&str, &str) {
        (El2::BOARD.0, &self.processor)
    }

    fn time_probe(&self) -> Option<&TimeProbe> {
        self.time_probe.as_ref()
    }

    fn outcome(&self, tasks: &[Task]) -> Outcome {
        let mut setup = vec![("emulator".to_owned(), format!("QEMU {}", self.emulator()))];
        setup.extend(self.images.shown());
        Outcome {
            setup,
            files: self.files(tasks),
            runs: self.keys(tasks),
            ..Outcome::default()
        }
    }
}
