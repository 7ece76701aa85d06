//! The step that builds a program with the network stack smoltcp, and speaks with it through the
//! emulator's Ethernet.
//!
//! Owns: what is sent to the program, and what must come back.
//! Must never know: how a program is written and built.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use taktos_emulator::Board;
use taktos_runner::workspace::Workspace;

use super::{Place, Tally};
use crate::test::cargo::tool_built;

const NAME: &str = "sockets";
const PROGRAM: &str = include_str!("sockets/main.rs");
const BOARD: Board = Board::MPS2_AN386;
const STACK: &str = "[target.'cfg(target_os = \"none\")'.dependencies]\nsmoltcp = { version = \"=0.14.0\", default-features = false, features = [\"medium-ethernet\", \"proto-ipv4\", \"socket-tcp\", \"socket-udp\"] }\n";
const HERE: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// The lengths of the datagrams, the longest of which fills a frame.
const DATAGRAMS: [usize; 4] = [1, 64, 1_000, 1_472];
/// The bytes of the stream: many times the program's buffers.
const STREAM: usize = 60_000;
/// How long an answer takes at most, and how often the first datagram is sent, while the program
/// starts.
const WAIT: Duration = Duration::from_millis(500);
const TRIES: usize = 60;

/// The program, which sends back all that it gets.
pub(in crate::test) fn echo(workspace: &Workspace) -> Result<Tally> {
    let mut all = tool_built(workspace)?;
    let place = Place::new(workspace, "own-sockets")?;
    place.write(NAME, &["--board", BOARD.name()])?;
    place.append(NAME, "Cargo.toml", &format!("\n{STACK}"))?;
    place.put(NAME, "src/main.rs", PROGRAM)?;
    place.fetch_crates(NAME)?;
    place.build(NAME, BOARD, &[])?;
    all.add(match speak(&place) {
        Ok(()) => Tally::pass(),
        Err(cause) => Tally::fail(format!("{NAME}: {cause:#}\n")),
    });
    std::fs::remove_dir_all(&place.folder)?;
    Ok(all)
}

/// Starts the emulator with a network of its own, in which ports of this machine lead to the
/// program. It follows this machine's time: time that leaps to the next time-out would be over
/// before an answer comes.
fn speak(place: &Place<'_>) -> Result<()> {
    // They are free again when the emulator takes them.
    let datagrams = UdpSocket::bind((HERE, 0))?.local_addr()?.port();
    let stream = TcpListener::bind((HERE, 0))?.local_addr()?.port();
    let network = format!("user,hostfwd=udp:{HERE}:{datagrams}-:7,hostfwd=tcp:{HERE}:{stream}-:7");
    // Each call below has a time-out, after which it is ended.
    let mut emulator = Command::new(BOARD.program())
        .args(BOARD.arguments())
        .args(["-nic", &network, "-kernel"])
        .arg(place.image(NAME, BOARD))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("the emulator does not start")?;
    let spoken = by_datagrams(datagrams).and_then(|()| by_stream(stream));
    let _ = emulator.kill();
    emulator.wait()?;
    spoken
}

fn bytes(length: usize) -> Vec<u8> {
    (0..=250).cycle().take(length).collect()
}

fn by_datagrams(port: u16) -> Result<()> {
    let socket = UdpSocket::bind((HERE, 0))?;
    socket.connect((HERE, port))?;
    socket.set_read_timeout(Some(WAIT))?;
    let mut answer = [0; 2_048];
    for length in DATAGRAMS {
        let sent = bytes(length);
        let came = (0..TRIES).find_map(|_| {
            let came = socket.send(&sent).and_then(|_| socket.recv(&mut answer));
            if came.is_err() {
                // Until the emulator has the port, each try is refused at once.
                thread::sleep(WAIT);
            }
            came.ok()
        });
        let came = came.with_context(|| format!("no answer to {length} bytes by UDP"))?;
        ensure!(answer[..came] == sent, "{came} of {length} bytes by UDP");
    }
    Ok(())
}

fn by_stream(port: u16) -> Result<()> {
    let mut stream = TcpStream::connect((HERE, port))?;
    stream.set_read_timeout(Some(TRIES as u32 * WAIT))?;
    stream.set_write_timeout(Some(TRIES as u32 * WAIT))?;
    let mut writer = stream.try_clone()?;
    let sent = bytes(STREAM);
    let copy = sent.clone();
    let sender = thread::spawn(move || -> std::io::Result<()> {
        writer.write_all(&copy)?;
        writer.shutdown(Shutdown::Write)
    });
    let mut came = Vec::new();
    stream.read_to_end(&mut came).context("by TCP")?;
    let was_sent = sender.join().is_ok_and(|sent| sent.is_ok());
    ensure!(
        was_sent && came == sent,
        "{} of {STREAM} bytes by TCP",
        came.len()
    );
    Ok(())
}
