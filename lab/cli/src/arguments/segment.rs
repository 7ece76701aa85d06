//! Arguments of `taktos segment`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use taktos_simulate::file::text;
use taktos_time::Duration;

/// Shown after the help of `taktos segment`.
pub const SEGMENT_EXAMPLES: &str = "\
Examples:
  taktos segment                                           a coupler, two terminals and two drives
  taktos segment lab/fieldbus/tests/own-devices.toml       the devices that an experiment names as [[device]]
  taktos segment --listen 127.0.0.1:0                      at a port that is free

A datagram is an Ethernet frame (EtherType 0x88A4), as QEMU's network end sends it:
  -netdev dgram,id=ec,local.type=inet,local.host=127.0.0.1,local.port=5001,\\
          remote.type=inet,remote.host=127.0.0.1,remote.port=5000
  -device virtio-net-pci,netdev=ec

Frames are answered as they come: for function, not for times.";

/// Which devices are played, and where.
#[derive(Args, Debug)]
pub struct SegmentOptions {
    /// An EtherCAT experiment with [[device]] tables to play; without one, five devices of no maker
    pub experiment: Option<PathBuf>,
    /// Address at which frames arrive
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:5000")]
    pub listen: SocketAddr,
    /// Address for answers; default: the sender of the frame
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub peer: Option<SocketAddr>,
    /// Stop after TIME; default: at Ctrl-C
    #[arg(long = "for", value_name = "TIME", value_parser = text::duration)]
    pub horizon: Option<Duration>,
}
