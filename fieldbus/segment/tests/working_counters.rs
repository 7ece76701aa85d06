//! Working counters and data against a naive model: each device an array of bits, each command as
//! the standard's table says (ETG.1000.4, 5.4.1 and table 4).

mod bench;

use bench::{ARMW, Bench, FRMW, at_station};
use proptest::prelude::*;
use taktos_segment::{Device, Oscillator, standard};

const DEVICES: usize = 5;
/// Memory that no SyncManager has.
const MEMORY: u16 = 0x2000;
const LENGTH: usize = 64;

/// An FMMU: logical bit, bits, physical bit, read, write.
#[derive(Clone, Copy, Debug)]
struct Unit {
    logical: usize,
    bits: usize,
    physical: usize,
    kind: u8,
}

struct Naive {
    memory: [[u8; LENGTH]; DEVICES],
    units: Vec<(usize, Unit)>,
}

impl Naive {
    fn bit(&self, device: usize, place: usize) -> u8 {
        self.memory[device][place / 8] >> (place % 8) & 1
    }

    /// Applies the command, device by device; returns the working counter.
    fn apply(&mut self, command: u8, device: u16, at: usize, data: &mut [u8]) -> u16 {
        let mut counter = 0;
        for number in 0..DEVICES {
            let is_here = number == usize::from(device);
            let (reads, writes, combines) = match command {
                1 | 4 => (is_here, false, false),
                2 | 5 => (false, is_here, false),
                3 | 6 => (is_here, is_here, false),
                7 => (true, false, true),
                8 => (false, true, false),
                9 => (true, true, true),
                _ => (is_here, !is_here, false),
            };
            let memory = &mut self.memory[number][at..at + data.len()];
            let (old, new) = (memory.to_vec(), data.to_vec());
            if writes {
                memory.copy_from_slice(&new);
            }
            if reads {
                for (byte, old) in data.iter_mut().zip(old) {
                    *byte = if combines { *byte | old } else { old };
                }
            }
            let is_both = matches!(command, 3 | 6 | 9);
            counter += u16::from(reads) + u16::from(writes) * if is_both { 2 } else { 1 };
        }
        counter
    }

    /// A logical command on data that begin at the logical byte `address`.
    fn apply_logical(&mut self, command: u8, address: usize, data: &mut [u8]) -> u16 {
        let mut counter = 0;
        for number in 0..DEVICES {
            let units: Vec<Unit> = (self.units.iter())
                .filter(|unit| unit.0 == number)
                .map(|unit| unit.1)
                .collect();
            let before = data.to_vec();
            let (mut read, mut wrote) = (false, false);
            for (kind, is_done) in [(2, &mut wrote), (1, &mut read)] {
                let is_asked =
                    command == 12 || command == 10 && kind == 1 || command == 11 && kind == 2;
                for unit in units
                    .iter()
                    .filter(|unit| is_asked && unit.kind & kind != 0)
                {
                    for place in 0..unit.bits {
                        let Some(bit) = (unit.logical + place).checked_sub(address * 8) else {
                            continue;
                        };
                        if bit >= data.len() * 8 {
                            continue;
                        }
                        *is_done = true;
                        let physical = unit.physical + place;
                        if kind == 2 {
                            let value = before[bit / 8] >> (bit % 8) & 1;
                            let byte = &mut self.memory[number][physical / 8];
                            *byte = *byte & !(1 << (physical % 8)) | value << (physical % 8);
                        } else {
                            let value = self.bit(number, physical);
                            let byte = &mut data[bit / 8];
                            *byte = *byte & !(1 << (bit % 8)) | value << (bit % 8);
                        }
                    }
                }
            }
            counter += u16::from(read) + u16::from(wrote) * if command == 12 { 2 } else { 1 };
        }
        counter
    }
}

fn devices() -> [Device<'static>; DEVICES] {
    let model = standard(0)[1].model();
    core::array::from_fn(|_| {
        let oscillator = Oscillator {
            drift_ppb: 0,
            start_ns: 0,
        };
        Device::new(model, oscillator)
    })
}

#[derive(Clone, Debug)]
enum Step {
    Physical(u8, u16, usize, Vec<u8>),
    Logical(u8, usize, Vec<u8>),
}

fn step() -> impl Strategy<Value = Step> {
    let data = || prop::collection::vec(any::<u8>(), 1..12);
    prop_oneof![
        (1_u8..=11, 0_u16..DEVICES as u16, 0..LENGTH - 12, data()).prop_map(
            |(command, device, at, data)| {
                let command = match command {
                    10 => ARMW,
                    11 => FRMW,
                    command => command,
                };
                Step::Physical(command, device, at, data)
            }
        ),
        (10_u8..=12, 0_usize..24, data())
            .prop_map(|(command, address, data)| Step::Logical(command, address, data)),
    ]
}

fn units() -> impl Strategy<Value = Vec<(usize, Unit)>> {
    let unit = (
        0..DEVICES,
        0_usize..200,
        1_usize..60,
        0..LENGTH * 8 - 72,
        1_u8..4,
        any::<bool>(),
    )
        .prop_map(|(device, logical, bits, physical, kind, bytewise)| {
            let whole = |bits: usize| if bytewise { bits / 8 * 8 } else { bits };
            let unit = Unit {
                logical: whole(logical),
                bits: whole(bits + 7),
                physical: whole(physical),
                kind,
            };
            (device, unit)
        });
    prop::collection::vec(unit, 0..12)
}

fn configure(bench: &mut Bench<'_>, units: &[(usize, Unit)]) {
    let mut used = [0; DEVICES];
    for (device, unit) in units {
        let end = unit.logical + unit.bits - 1;
        let mut registers = [0; 16];
        registers[..4].copy_from_slice(&((unit.logical / 8) as u32).to_le_bytes());
        let bytes = (end / 8 - unit.logical / 8 + 1) as u16;
        registers[4..6].copy_from_slice(&bytes.to_le_bytes());
        registers[6] = (unit.logical % 8) as u8;
        registers[7] = (end % 8) as u8;
        let physical = MEMORY + (unit.physical / 8) as u16;
        registers[8..10].copy_from_slice(&physical.to_le_bytes());
        registers[10] = (unit.physical % 8) as u8;
        registers[11] = unit.kind;
        registers[12] = 1;
        bench.write(*device as u16, 0x0600 + 16 * used[*device], &registers);
        used[*device] += 1;
    }
}

/// No device has more than eight.
fn at_most_eight(units: Vec<(usize, Unit)>) -> Vec<(usize, Unit)> {
    let mut used = [0; DEVICES];
    let is_room = |unit: &(usize, Unit)| {
        used[unit.0] += 1;
        used[unit.0] <= 8
    };
    units.into_iter().filter(is_room).collect()
}

proptest! {
    #[test]
    fn every_command_counts_and_moves_as_the_table_says(
        units in units(),
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let units = at_most_eight(units);
        let mut devices = devices();
        let mut bench = Bench::new(&mut devices);
        for station in 0..DEVICES as u16 {
            bench.write(station, 0x0010, &(0x1001 + station).to_le_bytes());
        }
        configure(&mut bench, &units);
        let mut naive = Naive { memory: [[0; LENGTH]; DEVICES], units };
        for step in steps {
            let (got, expected) = match step {
                Step::Physical(command, device, at, mut data) => {
                    let register = MEMORY + at as u16;
                    let address = match command {
                        4..=6 | FRMW => at_station(0x1001 + device, register),
                        7..=9 => u32::from(register) << 16,
                        _ => bench::at_position(device, register),
                    };
                    let got = bench.one(command, address, &data);
                    let counter = naive.apply(command, device, at, &mut data);
                    (got, (data, counter))
                }
                Step::Logical(command, address, mut data) => {
                    let got = bench.one(command, address as u32, &data);
                    let counter = naive.apply_logical(command, address, &mut data);
                    (got, (data, counter))
                }
            };
            prop_assert_eq!(got, expected);
        }
    }
}

#[test]
fn positions_count_up_on_the_way() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    let mut bytes = bench::frame(&[(bench::BRD, 0, &[0; 2]), (bench::FPRD, 0, &[0; 2])]);
    bench.segment.pass(&mut bytes, 0).unwrap();
    assert_eq!(bytes[18..20], [5, 0], "a broadcast counts the devices");
    assert_eq!(bytes[32..34], [0, 0], "a station address stays");
    assert_eq!(bytes[6] & 2, 2, "the source is local");
}

#[test]
fn commands_that_no_device_knows_do_nothing() {
    let mut devices = standard(0);
    let mut bench = Bench::new(&mut devices);
    for command in [0, 15, 200] {
        let answer = bench.one(command, 0, &[1, 2, 3]);
        assert_eq!(answer, (vec![1, 2, 3], 0));
    }
    assert_eq!(bench.one(bench::BRD, 0x0130 << 16, &[]).1, 0, "no data");
}

#[test]
fn an_alias_counts_only_where_it_is_switched_on() {
    let model = taktos_segment::Model {
        alias: 0x1234,
        ..*standard(0)[1].model()
    };
    let oscillator = Oscillator {
        drift_ppb: 0,
        start_ns: 0,
    };
    let mut devices = [Device::new(&model, oscillator)];
    let mut bench = Bench::new(&mut devices);
    let read = |bench: &mut Bench<'_>| bench.one(bench::FPRD, at_station(0x1234, 0x0012), &[0; 2]);
    assert_eq!(read(&mut bench).1, 0);
    bench.write(0, 0x0103, &[1]);
    assert_eq!(read(&mut bench), (vec![0x34, 0x12], 1));
}
