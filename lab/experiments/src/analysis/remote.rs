//! The little of the debugger's protocol that walking needs: packets of text
//! with a checksum, over a socket.

use std::collections::BTreeSet;
use std::io::{BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

/// The program counter's number.
const PROGRAM_COUNTER: &str = "pf";
/// The time that the emulator has to open its socket.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time that the image has to come to a marked address.
const LONGEST_RUN: Duration = Duration::from_secs(120);

/// A connection to the emulator's debugger stub.
pub(super) struct Remote {
    from: BufReader<UnixStream>,
    to: UnixStream,
}

impl Remote {
    /// Connects, waiting for the emulator to be there.
    pub(super) fn connect(socket: &Path) -> Result<Self> {
        let until = Instant::now() + PATIENCE;
        let stream = loop {
            match UnixStream::connect(socket) {
                Ok(stream) => break stream,
                Err(error) if Instant::now() > until => {
                    return Err(error).context("the emulator's debugger stub does not answer");
                }
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        stream.set_read_timeout(Some(LONGEST_RUN))?;
        Ok(Self {
            from: BufReader::new(stream.try_clone()?),
            to: stream,
        })
    }

    /// Lets the image run to one of the addresses; which one.
    pub(super) fn run_to(&mut self, addresses: &BTreeSet<u32>) -> Result<u32> {
        for address in addresses {
            self.accepted(&format!("Z0,{address:x},4"))?;
        }
        self.stopped("c")?;
        for address in addresses {
            self.accepted(&format!("z0,{address:x},4"))?;
        }
        self.program_counter()
    }

    /// Executes one instruction; the address after it.
    pub(super) fn step(&mut self) -> Result<u32> {
        self.stopped("s")?;
        self.program_counter()
    }

    fn program_counter(&mut self) -> Result<u32> {
        let digits = self.ask(PROGRAM_COUNTER)?;
        // The bytes come in the order of memory: the least first.
        let value = u32::from_str_radix(&digits, 16)
            .with_context(|| format!("the stub says that the program counter is `{digits}`"))?;
        Ok(value.swap_bytes())
    }

    fn accepted(&mut self, command: &str) -> Result<()> {
        let answer = self.ask(command)?;
        ensure!(answer == "OK", "the stub answers `{answer}` to `{command}`");
        Ok(())
    }

    fn stopped(&mut self, command: &str) -> Result<()> {
        let answer = self.ask(command)?;
        if answer.starts_with('W') || answer.starts_with('X') {
            bail!("the image ended before it came to a marked interval");
        }
        ensure!(
            answer.starts_with(['S', 'T']),
            "the stub answers `{answer}` to `{command}`"
        );
        Ok(())
    }

    fn ask(&mut self, command: &str) -> Result<String> {
        self.to
            .write_all(packet(command).as_bytes())
            .context("the emulator ended")?;
        let answer = self.answer()?;
        self.to.write_all(b"+").context("the emulator ended")?;
        Ok(answer)
    }

    /// The text of the next packet; acknowledgements before it are passed over.
    fn answer(&mut self) -> Result<String> {
        let mut text = Vec::new();
        while self.byte()? != b'$' {}
        loop {
            match self.byte()? {
                b'#' => break,
                byte => text.push(byte),
            }
        }
        let (_, _) = (self.byte()?, self.byte()?);
        String::from_utf8(text).context("the stub answers with no text")
    }

    fn byte(&mut self) -> Result<u8> {
        let mut byte = [0];
        self.from
            .read_exact(&mut byte)
            .context("the image ended, or came to no marked interval")?;
        Ok(byte[0])
    }
}

/// Returns the command in the form of the protocol.
fn packet(command: &str) -> String {
    let sum = command.bytes().fold(0_u8, u8::wrapping_add);
    format!("${command}#{sum:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_ends_with_the_sum_of_its_bytes() {
        assert_eq!(packet("s"), "$s#73");
        assert_eq!(packet("Z0,7000288c,4"), "$Z0,7000288c,4#e2");
    }
}
