//! A segment on a socket, with real frames: what any MainDevice that sends Ethernet frames can be
//! tried against.
//!
//! Owns: the way of frames from a socket to the segment and back. Must never know: the contents of
//! a frame, the set of devices.
//!
//! A datagram is an Ethernet frame without its check sequence, as an emulator's network end sends
//! it. Frames are answered as they come, by host time: for function, not for times.

use std::io::{Error, ErrorKind};
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use taktos_segment::{Description, DescriptionError, Device, Segment, State};

/// The longest Ethernet frame, with a tag.
const LONGEST: usize = 1518;
/// Interval at which the end is checked while nothing comes.
const LOOK: Duration = Duration::from_millis(10);

/// Result of playing a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// EtherCAT frames that were answered.
    pub answered: u64,
    /// Frames that no device answers: of other protocols, or not well-formed.
    pub dropped: u64,
    /// Each device at the end, from the MainDevice on.
    pub devices: Vec<(String, State)>,
}

/// The devices of a description. Their models stay in memory until the process ends.
///
/// # Errors
/// When these are no description.
pub fn devices_of(description: &'static [u8]) -> Result<Vec<Device<'static>>, DescriptionError> {
    let models: Vec<_> = Description::parse(description)?.iter().collect();
    let models = models.leak().iter();
    Ok(models
        .map(|(model, oscillator)| Device::new(model, *oscillator))
        .collect())
}

/// Answers frames until `is_over`, which is called every 10 ms and after each frame. Answers go to
/// `peer`, or to the sender of the frame.
///
/// # Errors
/// If the socket fails; an answer without a receiver is no error.
pub fn play<'d>(
    socket: &UdpSocket,
    peer: Option<SocketAddr>,
    devices: &'d mut [Device<'d>],
    is_over: impl Fn() -> bool,
) -> Result<Played, Error> {
    socket.set_read_timeout(Some(LOOK))?;
    let begun = Instant::now();
    let mut segment = Segment::new(devices);
    let mut frame = [0; LONGEST];
    let (mut answered, mut dropped) = (0, 0);
    while !is_over() {
        let received = socket.recv_from(&mut frame);
        let now = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        match received {
            Ok((length, from)) => match segment.pass(&mut frame[..length], now) {
                Some(_) => {
                    answered += 1;
                    unless_nobody(socket.send_to(&frame[..length], peer.unwrap_or(from)))?;
                }
                None => dropped += 1,
            },
            Err(error) => {
                segment.advance(now);
                unless_nobody(Err(error))?;
            }
        }
    }
    let devices = segment.devices().iter();
    let devices = devices.map(|device| (device.model().name.to_owned(), device.state()));
    Ok(Played {
        answered,
        dropped,
        devices: devices.collect(),
    })
}

/// Ignores the errors that nothing came in time, or that there is no listener at the other end yet:
/// both may change.
fn unless_nobody(done: Result<usize, Error>) -> Result<(), Error> {
    match done {
        Err(error)
            if !matches!(
                error.kind(),
                ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::ConnectionRefused
            ) =>
        {
            Err(error)
        }
        _ => Ok(()),
    }
}
