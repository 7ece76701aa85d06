//! Output of an image while it runs, until the emulator ends. Must never know: the meaning of the
//! lines.

use std::time::{Duration, Instant};

use crate::end;
use crate::process::{Heard, Process};
use crate::scratch::Scratch;
use crate::{Error, Options};

/// How a run ended that was not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Output of the image, with its line ends.
    pub console: String,
    /// Exit status of an image that ended itself.
    pub exit_status: i32,
}

/// Collects the console until the emulator ends.
pub(crate) fn listen(process: Process, time: Duration) -> Result<Ended, Error> {
    let (console, exit_status) = listen_and_look(process, time, &mut |_| {}, &mut || ())?;
    Ok(Ended {
        console,
        exit_status,
    })
}

/// Collects the console of a run with these options, and passes each line on; meanwhile reads how
/// far the run is.
pub(crate) fn follow(
    process: Process,
    options: &Options,
    scratch: &Scratch,
    on_line: &mut dyn FnMut(&str),
) -> Result<(String, i32), Error> {
    match &options.until {
        None => listen_and_look(process, options.real_time, on_line, &mut || ()),
        Some(until) => {
            let time = options.real_time + end::GRACE;
            listen_and_look(process, time, on_line, &mut || until.look(scratch))
        }
    }
}

/// Time between two checks of how far a run is.
const LOOK: Duration = Duration::from_millis(200);

fn listen_and_look(
    process: Process,
    time: Duration,
    on_line: &mut dyn FnMut(&str),
    look: &mut dyn FnMut(),
) -> Result<(String, i32), Error> {
    let until = Instant::now() + time;
    let mut console = String::new();
    loop {
        look();
        match process.hear(Some(until.min(Instant::now() + LOOK))) {
            Heard::Piece(line) => {
                let line = String::from_utf8_lossy(&line);
                on_line(line.trim_end_matches(['\r', '\n']));
                console.push_str(&line);
            }
            Heard::Closed => break,
            Heard::Late if Instant::now() < until => {}
            Heard::Late => {
                return Err(Error::Hung {
                    time,
                    last_line: last_line(&console),
                });
            }
        }
    }
    Ok((console, process.wait()?.code().unwrap_or(-1)))
}

pub(crate) fn last_line(console: &str) -> String {
    console.lines().next_back().unwrap_or("").to_owned()
}
