//! Descriptions written and read back; bytes of any kind; every invariant broken once.

use proptest::prelude::*;

use super::layout::{CHANNEL_MEMORY_STRIDE, CONSOLE, DESCRIPTION_BYTES, END, MEMORY, PARTITIONS};
use super::*;
use std::{string::ToString, vec, vec::Vec};

const BLOCK: u64 = 0x20_0000;
const MS: u64 = 1_000_000;

fn policy(kind: u8, vcpu: u8, time: u64) -> Policy {
    let mut windows = [Window::EMPTY; 16];
    windows[0] = Window { vcpu, length: time };
    windows[1] = Window { vcpu, length: 1 };
    match kind {
        0 => Policy::Credit {
            slice: (1 + time % 1000) * MS,
            ratelimit: if time.is_multiple_of(2) { 0 } else { 100_000 },
            migration_delay: time % (100 * MS),
            balance: time.is_multiple_of(3),
        },
        1 => Policy::Credit2 {
            ratelimit: 100_000 + time % MS,
            balance: time.is_multiple_of(2),
        },
        2 => Policy::Rtds,
        3 => Policy::Sedf,
        4 => Policy::Null,
        _ => Policy::Arinc653 {
            frame: time + 1,
            count: 2,
            windows,
        },
    }
}

/// A good description: `kinds` are the policies of the pools, `sizes` the VCPUs of the
/// partitions (one a processor at least), `time` whatever a number is to be.
fn good(kinds: &[u8], sizes: &[u8], channels: u8, time: u64) -> Description {
    let mut made = Description::EMPTY;
    made.cpus = 4;
    made.timer_floor = time % MS;
    made.input = (time % sizes.len() as u64) as u8;
    made.pool_count = kinds.len() as u8;
    made.partition_count = sizes.len() as u8;
    made.channel_count = if sizes.len() > 1 { channels } else { 0 };
    let mut free = PARTITIONS;
    for (number, vcpus) in sizes.iter().enumerate() {
        let pool = number % kinds.len();
        let partition = &mut made.partitions[number];
        partition.name[0] = b'a' + number as u8;
        partition.pool = pool as u8;
        partition.first_vcpu = made.vcpu_count;
        partition.vcpus = *vcpus;
        partition.weight = 1 + (time % 65_535) as u32;
        partition.cap = (time % 101) as u32;
        partition.memory = free;
        partition.bytes = BLOCK * (1 + time % 3);
        free += partition.bytes;
        partition.segments[0] = Segment {
            store: 0x8000_0000 + number as u64,
            bytes: 1 + time % 4096,
            at: MEMORY,
        };
        partition.segment_count = 1;
        partition.entry = MEMORY + 4;
        partition.argument = MEMORY + 0x1_0000;
        partition.console = time.is_multiple_of(2);
        partition.on_reset = OnStop::Restart(time as u32);
        partition.devices[0] = Device {
            at: 0x0A00_1000 + 0x1000 * number as u64,
            bytes: 0x1000,
            interrupt: 60 + number as u32,
        };
        partition.device_count = 1;
        for _ in 0..*vcpus {
            made.vcpus[usize::from(made.vcpu_count)] = VcpuRecord {
                partition: number as u8,
                hard: 1 << pool,
                soft: time,
                server: Server {
                    period: 10 * MS,
                    budget: 10_000 + time % MS,
                    extra: time.is_multiple_of(2),
                    weight: 0,
                },
            };
            made.vcpu_count += 1;
        }
    }
    for (number, kind) in kinds.iter().enumerate() {
        let first = made.partitions[number % sizes.len()].first_vcpu;
        // A pool without members cannot have windows.
        let kind = if number < sizes.len() { *kind } else { 4 };
        made.pools[number] = Pool {
            cpus: 1 << number,
            policy: policy(kind, first, 1 + time),
        };
    }
    for number in 0..usize::from(made.channel_count) {
        made.channels[number] = Channel {
            memory: free,
            bytes: 0x1000 << (time % 5),
            ends: [
                End {
                    partition: 0,
                    linkage: Linkage::Uart,
                },
                End {
                    partition: 1,
                    linkage: Linkage::Memory,
                },
            ],
        };
        free += CHANNEL_MEMORY_STRIDE;
    }
    made
}

fn any_good() -> impl Strategy<Value = Description> {
    let kinds = prop::collection::vec(0u8..6, 1..=4);
    let sizes = prop::collection::vec(1u8..=2, 1..=8);
    (kinds, sizes, 0u8..=8, 0u64..1 << 58)
        .prop_map(|(kinds, sizes, channels, time)| good(&kinds, &sizes, channels, time))
}

fn encoded(description: &Description) -> Vec<u8> {
    let mut bytes = [0; DESCRIPTION_BYTES as usize];
    let length = description.encode(&mut bytes).expect("it is good");
    bytes[..length].to_vec()
}

/// With the length and the digest of what they hold, as they might be forged.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let length = (bytes.len() - 24) as u32;
    bytes[12..16].copy_from_slice(&length.to_le_bytes());
    let digest = bytes[24..]
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |digest, byte| {
            (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    bytes[16..24].copy_from_slice(&digest.to_le_bytes());
    bytes
}

proptest! {
    #![proptest_config(taktos_random::config())]

    #[test]
    fn what_is_written_is_read(description in any_good(), behind in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut bytes = encoded(&description);
        bytes.extend(behind);
        prop_assert_eq!(Description::decode(&bytes), Ok(description));
    }

    #[test]
    fn a_byte_more_or_less_or_changed_is_noticed(
        description in any_good(), place in any::<prop::sample::Index>(), change in 1u8..,
    ) {
        let bytes = encoded(&description);
        let mut changed = bytes.clone();
        changed[place.index(bytes.len())] ^= change;
        prop_assert!(Description::decode(&changed).is_err());
        prop_assert!(Description::decode(&bytes[..place.index(bytes.len())]).is_err());
    }

    #[test]
    fn forged_bytes_are_refused_or_good(
        description in any_good(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bytes = encoded(&description);
        let length = bytes.len() - 24;
        for (place, value) in changes {
            bytes[24 + place.index(length)] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(24 + cut.index(length));
        }
        if let Ok(read) = Description::decode(&sealed(bytes.clone())) {
            prop_assert_eq!(read.check(), Ok(()));
            prop_assert_eq!(encoded(&read), sealed(bytes));
        }
    }

    #[test]
    fn any_bytes_are_survived(body in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = b"TAKTOSVM\x01\0\0\0".to_vec();
        bytes.extend([0; 12]);
        bytes.extend(&body);
        let _ = Description::decode(&body);
        let _ = Description::decode(&sealed(bytes));
    }
}

#[test]
fn each_kind_of_damage_has_its_name() {
    let description = good(&[0], &[1], 0, 5);
    let bytes = encoded(&description);
    let with = |at: usize, value: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = value;
        Description::decode(&bytes)
    };
    assert_eq!(with(0, 0), Err(DecodeError::Magic));
    assert_eq!(with(8, 9), Err(DecodeError::Version(9)));
    assert_eq!(with(15, 1), Err(DecodeError::Length));
    assert_eq!(with(20, !bytes[20]), Err(DecodeError::Digest));
    assert_eq!(Description::decode(&[]), Err(DecodeError::Length));
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(
        Description::decode(&sealed(longer)),
        Err(DecodeError::Length)
    );
    // The policy's number is located after the counts and the pool's processors.
    let mut unknown = bytes;
    unknown[24 + 14 + 8] = 6;
    assert_eq!(
        Description::decode(&sealed(unknown)),
        Err(DecodeError::Form)
    );
}

#[test]
fn the_longest_fits_where_it_is_put() {
    let mut longest = good(&[5; 4], &[2; 8], 8, 1 << 40);
    for pool in &mut longest.pools {
        if let Policy::Arinc653 {
            frame,
            count,
            windows,
        } = &mut pool.policy
        {
            let first = windows[0];
            windows.fill(first);
            *count = 16;
            *frame = 1 << 50;
        }
    }
    for (number, partition) in longest.partitions.iter_mut().enumerate() {
        for place in 1..4u64 {
            partition.segments[place as usize] = Segment {
                at: MEMORY + place * 0x1_0000,
                ..partition.segments[0]
            };
            let (high, low) = (number as u64 + 8 * place, number as u32 + 8 * place as u32);
            partition.devices[place as usize] = Device {
                at: 0x0A00_1000 + 0x1000 * high,
                bytes: 0x1000,
                interrupt: 60 + low,
            };
        }
        partition.segment_count = 4;
        partition.device_count = 4;
    }
    let bytes = encoded(&longest);
    assert_eq!(Description::decode(&bytes), Ok(longest));
    assert!(
        bytes.len() as u64 * 4 < DESCRIPTION_BYTES,
        "{}",
        bytes.len()
    );
    let mut room = vec![0; bytes.len() - 1];
    assert_eq!(longest.encode(&mut room), Err(EncodeError::Room));
    assert_eq!(longest.encode(&mut [0; 3]), Err(EncodeError::Room));
}

/// A change to a good description, and words of what is found then.
type Broken = (&'static str, fn(&mut Description));

const BROKEN: &[Broken] = &[
    ("no processor or too many", |d| d.cpus = 0),
    ("no processor or too many", |d| d.cpus = 5),
    ("more records", |d| d.pool_count = 5),
    ("more records", |d| d.partition_count = 9),
    ("more records", |d| d.vcpu_count = 17),
    ("more records", |d| d.channel_count = 9),
    ("no partition", |d| d.partition_count = 0),
    ("input to no partition", |d| d.input = 2),
    ("floor above", |d| d.timer_floor = MS + 1),
    ("nobody's", |d| d.vcpu_count += 1),
    ("pool 0 has no processor", |d| d.pools[0].cpus = 0),
    ("processor that there is not", |d| d.pools[0].cpus = 1 << 4),
    ("processor of another", |d| d.pools[1].cpus = 3),
    ("rate limit", |d| {
        d.pools[1].policy = Policy::Credit2 {
            ratelimit: 99_999,
            balance: true,
        }
    }),
    ("slice", |d| {
        d.pools[0].policy = Policy::Credit {
            slice: MS + 1,
            ratelimit: 0,
            migration_delay: 0,
            balance: true,
        }
    }),
    ("slice", |d| {
        d.pools[0].policy = Policy::Credit {
            slice: MS,
            ratelimit: 2 * MS,
            migration_delay: 0,
            balance: true,
        }
    }),
    ("migration delay", |d| {
        d.pools[0].policy = Policy::Credit {
            slice: MS,
            ratelimit: 0,
            migration_delay: 100 * MS + 1,
            balance: true,
        }
    }),
    ("no window", |d| {
        d.pools[0].policy = Policy::Arinc653 {
            frame: 1,
            count: 0,
            windows: [Window::EMPTY; 16],
        }
    }),
    ("too many windows", |d| {
        d.pools[0].policy = Policy::Arinc653 {
            frame: 1,
            count: 17,
            windows: [Window::EMPTY; 16],
        }
    }),
    ("window without length", |d| {
        d.pools[0].policy = Policy::Arinc653 {
            frame: 1,
            count: 1,
            windows: [Window::EMPTY; 16],
        }
    }),
    ("not in it", |d| {
        d.pools[1].policy = Policy::Arinc653 {
            frame: 1,
            count: 1,
            windows: [Window { vcpu: 0, length: 1 }; 16],
        }
    }),
    ("not in it", |d| {
        d.pools[0].policy = Policy::Arinc653 {
            frame: 1,
            count: 1,
            windows: [Window {
                vcpu: 255,
                length: 1,
            }; 16],
        }
    }),
    ("shorter than its windows", |d| {
        d.pools[0].policy = Policy::Arinc653 {
            frame: 1,
            count: 2,
            windows: [Window { vcpu: 0, length: 1 }; 16],
        }
    }),
    ("no name", |d| d.partitions[0].name = [0; 16]),
    ("no name", |d| d.partitions[0].name[0] = 0xFF),
    ("no name", |d| d.partitions[0].name[3] = b'x'),
    ("no name", |d| d.partitions[0].name[0] = b'\n'),
    ("name of another", |d| {
        d.partitions[1].name = d.partitions[0].name
    }),
    ("in no pool", |d| d.partitions[0].pool = 2),
    ("partition 0 has no VCPU", |d| {
        d.vcpu_count -= d.partitions[0].vcpus;
        d.partitions[0].vcpus = 0;
    }),
    ("at another place", |d| d.partitions[1].first_vcpu = 0),
    ("weight", |d| d.partitions[0].weight = 0),
    ("weight", |d| d.partitions[0].weight = 65_536),
    ("cap", |d| d.partitions[0].cap = 201),
    ("length of memory", |d| d.partitions[0].bytes = 0),
    ("length of memory", |d| d.partitions[0].bytes = BLOCK - 1),
    ("length of memory", |d| {
        d.partitions[0].bytes = END - MEMORY + BLOCK
    }),
    ("border", |d| d.partitions[0].memory += 0x1000),
    ("outside the partitions' part", |d| {
        d.partitions[0].memory = PARTITIONS - BLOCK
    }),
    ("outside the partitions' part", |d| {
        d.partitions[0].memory = 0u64.wrapping_sub(BLOCK)
    }),
    ("starts outside", |d| d.partitions[0].entry = MEMORY - 4),
    ("starts outside", |d| {
        d.partitions[0].entry = MEMORY + d.partitions[0].bytes
    }),
    ("starts outside", |d| d.partitions[0].entry += 2),
    ("device tree outside", |d| d.partitions[0].argument = 1),
    ("too many segments", |d| d.partitions[0].segment_count = 5),
    ("segment outside", |d| {
        d.partitions[0].segments[0].at = MEMORY - 1
    }),
    ("segment outside", |d| {
        d.partitions[0].segments[0].bytes = u64::MAX
    }),
    ("segment outside", |d| d.partitions[0].segments[0].bytes = 0),
    ("segments one over another", |d| {
        d.partitions[0].segments[1] = d.partitions[0].segments[0];
        d.partitions[0].segment_count = 2;
    }),
    ("outside the partitions' part", |d| {
        d.partitions[0].segments[0].store = 0x4020_0000
    }),
    ("outside the partitions' part", |d| {
        d.partitions[0].segments[0].store = u64::MAX
    }),
    ("keeps a segment", |d| {
        d.partitions[0].segments[0].store = d.partitions[1].memory
    }),
    ("keeps a segment", |d| {
        d.partitions[0].segments[0].store = d.channels[0].memory
    }),
    ("too many devices", |d| d.partitions[0].device_count = 5),
    ("no whole pages", |d| {
        d.partitions[0].devices[0].bytes = 0x800
    }),
    ("no whole pages", |d| d.partitions[0].devices[0].bytes = 0),
    ("no whole pages", |d| d.partitions[0].devices[0].at = MEMORY),
    ("hypervisor's own", |d| {
        d.partitions[0].devices[0].at = CONSOLE
    }),
    ("hypervisor's own", |d| {
        d.partitions[0].devices[0].at = 0x0801_0000
    }),
    ("hypervisor's own", |d| {
        d.partitions[0].devices[0].at = 0x0904_1000
    }),
    ("hypervisor's own", |d| {
        d.partitions[0].devices[0].at = 0x0B01_0000
    }),
    ("interrupt is not free", |d| {
        d.partitions[0].devices[0].interrupt = 33
    }),
    ("interrupt is not free", |d| {
        d.partitions[0].devices[0].interrupt = 31
    }),
    ("interrupt is not free", |d| {
        d.partitions[0].devices[0].interrupt = 48
    }),
    ("interrupt is not free", |d| {
        d.partitions[0].devices[0].interrupt = 96
    }),
    ("device of somebody", |d| {
        d.partitions[1].devices[0].at = d.partitions[0].devices[0].at
    }),
    ("device of somebody", |d| {
        d.partitions[1].devices[0].interrupt = d.partitions[0].devices[0].interrupt
    }),
    ("not where its partition has it", |d| {
        d.vcpus[0].partition = 1
    }),
    ("not where its partition has it", |d| {
        d.vcpus[0].partition = 9
    }),
    ("no processor of its pool", |d| d.vcpus[0].hard = 2),
    ("VCPU 0 has a budget", |d| {
        d.pools[0].policy = Policy::Rtds;
        d.vcpus[0].server.budget = 9_999;
    }),
    ("VCPU 0 has a budget", |d| {
        d.pools[0].policy = Policy::Rtds;
        d.vcpus[0].server.budget = 10 * MS + 1;
    }),
    ("period out of range", |d| {
        d.pools[0].policy = Policy::Sedf;
        d.vcpus[0].server.period = 9_999;
    }),
    ("period out of range", |d| {
        d.pools[0].policy = Policy::Sedf;
        d.vcpus[0].server.period = 10_000 * MS + 1;
    }),
    ("VCPU 0 has a slice", |d| {
        d.pools[0].policy = Policy::Sedf;
        d.vcpus[0].server.budget = 4_999;
    }),
    ("VCPU 0 has a weight", |d| {
        d.pools[0].policy = Policy::Sedf;
        d.vcpus[0].server.weight = 65_536;
    }),
    ("both ends", |d| d.channels[0].ends[0].partition = 1),
    ("end in no partition", |d| {
        d.channels[0].ends[0].partition = 2
    }),
    ("channel 0 has a length", |d| d.channels[0].bytes = 0x800),
    ("channel 0 has a length", |d| d.channels[0].bytes = 0x3000),
    ("channel 0 has a length", |d| d.channels[0].bytes = 0x2_0000),
    ("channel 0 does not lie", |d| d.channels[0].memory += 0x800),
    ("memory of somebody else", |d| {
        d.partitions[1].memory = d.partitions[0].memory
    }),
    ("memory of somebody else", |d| {
        d.channels[0].memory = d.partitions[1].memory
    }),
];

#[test]
fn every_broken_law_is_named() {
    let whole = good(&[0, 1], &[2, 1], 1, 6);
    assert_eq!(whole.check(), Ok(()));
    for (words, breaks) in BROKEN {
        let mut broken = whole;
        breaks(&mut broken);
        let fault = broken.check().expect_err(words);
        assert!(fault.to_string().contains(words), "{fault}, not {words}");
        let mut room = [0; DESCRIPTION_BYTES as usize];
        assert_eq!(broken.encode(&mut room), Err(EncodeError::Fault(fault)));
    }
}
