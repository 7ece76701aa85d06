//! `taktos segment`: a segment of EtherCAT devices on a socket, for any MainDevice.

use std::net::UdpSocket;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, anyhow};
use taktos_experiments::ethercat::described;
use taktos_experiments::experiment::{Asked, Scale, Several, asked};
use taktos_experiments::screen;
use taktos_export::table::{Column, Table};
use taktos_fieldbus::{Played, devices_of, play, standard};
use taktos_runner::failure::Failure;

use crate::arguments::SegmentOptions;

/// Plays until the time is over.
pub(super) fn run(options: &SegmentOptions) -> Result<()> {
    // Devices keep what describes them until the process ends.
    let description = match &options.experiment {
        Some(file) => Some(&*description(file)?.leak()),
        None => None,
    };
    let socket = UdpSocket::bind(options.listen).map_err(|cause| {
        Failure::error(
            format!("cannot listen at {}: {cause}", options.listen),
            "name another address and port: --listen ADDRESS:PORT",
        )
    })?;
    eprintln!("the segment listens at {}", socket.local_addr()?);
    let begun = Instant::now();
    let is_over = || {
        let spent = begun.elapsed().as_nanos();
        (options.horizon).is_some_and(|horizon| spent >= u128::from(horizon.as_nanos()))
    };
    let played = match description {
        None => play(&socket, options.peer, &mut standard(0), is_over),
        Some(bytes) => {
            let devices = devices_of(bytes).map_err(|error| anyhow!("{error:?}"))?;
            play(&socket, options.peer, devices.leak(), is_over)
        }
    };
    let played = played.map_err(|cause| {
        Failure::error(
            format!("the socket at {} fails: {cause}", options.listen),
            "begin anew",
        )
    })?;
    Ok(screen::print(&shown(&played).to_text())?)
}

fn description(file: &Path) -> Result<Vec<u8>> {
    let devices = match asked(file, Scale::Full)? {
        Asked::Several(several, _) => match *several {
            Several::Ethercat(experiment) => experiment.own.devices,
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    if devices.is_empty() {
        return Err(Failure::error(
            format!("{} names no devices of EtherCAT", file.display()),
            "add [[device]] with the ESI file of each to a file of the kind \"ethercat\"; or leave the file out: five devices of no maker are played then",
        ));
    }
    described(&devices, file)
}

fn shown(played: &Played) -> Table {
    let columns = ["device", "state at the end"].map(Column::label);
    let mut table = Table::new("The segment", columns.into());
    for (name, state) in &played.devices {
        table.push(vec![name.as_str().into(), format!("{state:?}").into()]);
    }
    let Played {
        answered, dropped, ..
    } = played;
    table.notes.push(format!(
        "{answered} frames were answered, {dropped} were for nobody here."
    ));
    table
}
