//! Owns: the way of a board's output to the tool: by a serial device, by the program of a probe,
//! from a file. Must never know: the meaning of the output, but for its end.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use rustix::termios::{OptionalActions, isatty, tcgetattr, tcsetattr};
use taktos_runner::failure::Failure;

/// The rate of the boards' consoles.
const BAUD: u32 = 115_200;
/// The longest silence of a board that is measuring.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most that is listened to.
const MOST: usize = 64 << 20;

/// Returns the recorded session of a file.
///
/// # Errors
/// If it cannot be read.
pub fn recorded(file: &Path) -> Result<String> {
    let bytes = fs::read(file).map_err(|cause| {
        Failure::error(
            format!(
                "cannot read the recorded session {}: {cause}",
                file.display()
            ),
            "name a file that a board's console was written to",
        )
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A serial device that is listened to, at the rate of the boards' consoles.
///
/// # Errors
/// When it cannot be opened or set.
pub fn serial(device: &Path) -> Result<File> {
    let refused = |cause: std::io::Error| {
        Failure::error(
            format!("cannot listen to {}: {cause}", device.display()),
            "name the board's serial device, such as /dev/ttyACM0, which this user may read",
        )
    };
    let file = File::open(device).map_err(refused)?;
    if isatty(&file) {
        let set = tcgetattr(&file).and_then(|mut attributes| {
            attributes.make_raw();
            attributes.set_speed(BAUD)?;
            tcsetattr(&file, OptionalActions::Now, &attributes)
        });
        set.map_err(|cause| refused(cause.into()))?;
    }
    Ok(file)
}

/// The program of a probe, which ends with this.
pub struct Probe(Child);

impl Drop for Probe {
    fn drop(&mut self) {
        // One that has ended by itself need not be ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Probe {
    /// Starts it with the image as its last word.
    ///
    /// # Errors
    /// When there are no words, or it does not start.
    pub fn start(words: &str, image: &Path) -> Result<Self> {
        let mut words = words.split_whitespace();
        let refused = |cause: String| {
            Failure::error(
                cause,
                "name the program of the probe: --probe \"probe-rs run --chip STM32F405RGTx\"",
            )
        };
        let program = words.next();
        let program = program.ok_or_else(|| refused("--probe names no program".into()))?;
        let child = Command::new(program)
            .args(words)
            .arg(image)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn();
        let child = child.map_err(|cause| refused(format!("{program} does not start: {cause}")))?;
        Ok(Self(child))
    }

    /// Returns its output.
    pub fn printed(&mut self) -> Option<impl Read + Send + use<>> {
        self.0.stdout.take()
    }
}

/// Listens until what came has ended, by `ended` or by itself.
///
/// # Errors
/// When nothing comes for a minute.
pub fn listen(from: impl Read + Send + 'static, ended: impl Fn(&str) -> bool) -> Result<String> {
    let pieces = pieces(from);
    let mut heard = Vec::new();
    loop {
        match pieces.recv_timeout(PATIENCE) {
            Ok(piece) => heard.extend(piece),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let cause = format!("the board has said nothing for {} s", PATIENCE.as_secs());
                return Err(Failure::error(
                    cause,
                    "look at its cable and its reset; its console is at 115,200 baud",
                ));
            }
        }
        if heard.len() > MOST || heard.ends_with(b"\n") && ended(&String::from_utf8_lossy(&heard)) {
            break;
        }
    }
    Ok(String::from_utf8_lossy(&heard).into_owned())
}

/// Reads piece by piece, in a thread that ends when there is no more or no receiver.
fn pieces(mut from: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            if send.send(buffer[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    receive
}
