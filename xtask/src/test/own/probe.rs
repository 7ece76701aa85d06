//! Owns: a program for a chip with a shell on the console in memory (RTT), and a probe that types
//! there and reads the answers: the emulator's debugger interface gives it the memory.
//! Must never know: how a program is written and built.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use object::{Object, ObjectSymbol};
use taktos_emulator::Board;

use super::{Place, Tally};

const NAME: &str = "probe";
const PROGRAM: &str = include_str!("shell/probe.rs");
const CHIP: &str = "STM32F405RGTx";
/// A machine of the emulator with that chip, and a board of its architecture.
const MACHINE: [&str; 2] = ["-M", "olimex-stm32-h405"];
const LIKE: Board = Board::STM32F405;
const TYPED: &[u8] = b"version\rthreads\r";
/// Lines of the answer, by their words.
const SHOWN: [&[&str]; 3] = [
    &["> version"],
    &["main", "executing", "30", "4096"],
    &["idle", "ready", "32"],
];

/// The block by SEGGER: the head, and a channel each way.
const BLOCK: &str = "_SEGGER_RTT";
const HEAD: usize = 24;
const CHANNEL: usize = 24;
/// The words of a channel: after the name its buffer, its size, and where the writer and the reader
/// are.
const WRITER: usize = 3;
const READER: usize = 4;
/// How often the program runs on, and for how long each time.
const TURNS: usize = 40;
const TURN: Duration = Duration::from_millis(50);

/// Builds the program, and types.
pub(super) fn types(place: &Place<'_>) -> Result<Tally> {
    place.write(NAME, &["--chip", CHIP, "--no-hal"])?;
    let shell = place.workspace.path("user/shell");
    let with_shell =
        format!("[\"chip\", \"console-input\"] }}\ntaktos-shell = {{ path = {shell:?} }}");
    place.replace(NAME, "Cargo.toml", ("[\"chip\"] }", &with_shell))?;
    place.put(NAME, "src/main.rs", PROGRAM)?;
    place.build(NAME, LIKE, &[])?;
    let image = place.image(NAME, LIKE);
    let file = std::fs::read(&image)?;
    let file = object::File::parse(file.as_slice())?;
    let block = file.symbols().find(|symbol| symbol.name() == Ok(BLOCK));
    let block = block
        .context("the image has no console in memory")?
        .address();
    let mut emulator = Command::new("timeout")
        .args(["60", LIKE.program()])
        .args(MACHINE)
        .args(["-display", "none", "-monitor", "none", "-serial", "null"])
        .args([
            "-icount",
            "shift=0,sleep=off",
            "-S",
            "-gdb",
            "stdio",
            "-kernel",
        ])
        .arg(&image)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("the emulator does not start")?;
    let shown = Probe::of(&mut emulator).and_then(|mut probe| {
        let shown = probe.talk(block as usize);
        // It ends the emulator. If it does not come there, the time-out does.
        let _ = probe.send("k");
        shown
    });
    emulator.wait()?;
    let shown = shown?;
    let has = |words: &&[&str]| {
        let mut lines = shown.lines();
        lines.any(|line| words.iter().all(|word| line.contains(word)))
    };
    Ok(match SHOWN.iter().all(has) {
        true => Tally::pass(),
        false => Tally::fail(format!("{NAME}: {SHOWN:?} expected, but:\n{shown}\n")),
    })
}

/// A session of gdb's remote protocol.
struct Probe {
    to: ChildStdin,
    from: ChildStdout,
}

impl Probe {
    fn of(emulator: &mut Child) -> Result<Self> {
        Ok(Self {
            to: emulator.stdin.take().context("the emulator has a way in")?,
            from: emulator
                .stdout
                .take()
                .context("the emulator has a way out")?,
        })
    }

    /// Types once the block is there, and reads until the answer has all lines or no turn is left.
    fn talk(&mut self, block: usize) -> Result<String> {
        let (up, down) = (block + HEAD, block + HEAD + CHANNEL);
        let mut shown = Vec::new();
        let mut typed = false;
        for _ in 0..TURNS {
            self.run_on()?;
            if self.words(block, 6)?[4..] != [1, 1] {
                continue;
            }
            shown.extend(self.read(up)?);
            if !typed {
                self.type_in(down)?;
                typed = true;
            }
            if shown.ends_with(b"> ") && shown.iter().filter(|byte| **byte == b'>').count() == 3 {
                break;
            }
        }
        Ok(String::from_utf8_lossy(&shown).into_owned())
    }

    /// Takes what the program has written to a channel.
    fn read(&mut self, channel: usize) -> Result<Vec<u8>> {
        let words = self.words(channel, 6)?;
        let [_, buffer, size, writer, mut reader, _] = words[..] else {
            return Ok(Vec::new());
        };
        let mut all = Vec::new();
        while reader != writer {
            let end = if writer > reader { writer } else { size };
            all.extend(self.memory(buffer + reader, end - reader)?);
            reader = end % size;
        }
        self.set(channel + 4 * READER, &(reader as u32).to_le_bytes())?;
        Ok(all)
    }

    /// Writes the text to a channel for input, which is empty and has room for it.
    fn type_in(&mut self, channel: usize) -> Result<()> {
        let words = self.words(channel, 6)?;
        let (buffer, size) = (words[1], words[2]);
        ensure!(
            words[WRITER] == 0 && TYPED.len() < size,
            "no room: {words:?}"
        );
        self.set(buffer, TYPED)?;
        self.set(channel + 4 * WRITER, &(TYPED.len() as u32).to_le_bytes())
    }

    fn words(&mut self, address: usize, count: usize) -> Result<Vec<usize>> {
        let bytes = self.memory(address, 4 * count)?;
        let words = bytes.as_chunks().0.iter();
        Ok(words
            .map(|word| u32::from_le_bytes(*word) as usize)
            .collect())
    }

    fn memory(&mut self, address: usize, length: usize) -> Result<Vec<u8>> {
        let digits = self.command(&format!("m{address:x},{length:x}"))?;
        ensure!(
            digits.len() == 2 * length,
            "no memory at {address:#x}: {digits}"
        );
        let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16);
        Ok((0..digits.len())
            .step_by(2)
            .map(byte)
            .collect::<Result<_, _>>()?)
    }

    fn set(&mut self, address: usize, bytes: &[u8]) -> Result<()> {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let answer = self.command(&format!("M{address:x},{:x}:{digits}", bytes.len()))?;
        ensure!(answer == "OK", "no write at {address:#x}: {answer}");
        Ok(())
    }

    /// Lets the program run for a while.
    fn run_on(&mut self) -> Result<()> {
        self.send("c")?;
        thread::sleep(TURN);
        self.to.write_all(&[0x03])?;
        self.to.flush()?;
        self.answer()?;
        Ok(())
    }

    fn command(&mut self, text: &str) -> Result<String> {
        self.send(text)?;
        self.answer()
    }

    fn send(&mut self, text: &str) -> Result<()> {
        let sum = text.bytes().fold(0, u8::wrapping_add);
        write!(self.to, "${text}#{sum:02x}")?;
        Ok(self.to.flush()?)
    }

    /// Reads a packet, after acknowledgements, and acknowledges it.
    fn answer(&mut self) -> Result<String> {
        while self.byte()? != b'$' {}
        let mut text = String::new();
        loop {
            match self.byte()? {
                b'#' => break,
                byte => text.push(byte.into()),
            }
        }
        let _sum = (self.byte()?, self.byte()?);
        self.to.write_all(b"+")?;
        Ok(text)
    }

    fn byte(&mut self) -> Result<u8> {
        let mut byte = [0];
        self.from
            .read_exact(&mut byte)
            .context("the emulator has ended")?;
        Ok(byte[0])
    }
}
