//! The library's system is refused when it is made of instances that cannot be, or of tables that
//! are too short.

mod common;

use common::{Tables, set};
use taktos_schedule::CpuSet;
use taktos_schedule::smp::{Error, InstanceConfig, PolicyKind, System};

fn config(name: &[u8; 4], cpus: CpuSet) -> InstanceConfig {
    InstanceConfig {
        name: *name,
        policy: PolicyKind::Cbs,
        cpus,
    }
}

/// Returns the error for two processors, but for `online` of them online.
fn refusal(tables: &mut Tables, online: usize, instances: [InstanceConfig; 2]) -> Option<Error> {
    System::new(tables.memory(), CpuSet::first(online), &instances).err()
}

fn tables() -> Tables {
    Tables::new(4, set([0, 1]), 2)
}

/// An instance of processor 0, and one of processor 1.
fn good() -> [InstanceConfig; 2] {
    [config(b"ONE ", set([0])), config(b"TWO ", set([1]))]
}

#[test]
fn a_system_refuses_what_cannot_be() {
    let twice = [config(b"SAME", set([0])), config(b"SAME", set([1]))];
    let shared = [config(b"ONE ", set([0, 1])), config(b"TWO ", set([1]))];
    for (online, instances, expected) in [
        (2, twice, Some(Error::InvalidName)),
        (2, shared, Some(Error::ResourceInUse)),
        (0, good(), Some(Error::InvalidNumber)),
        (20, good(), Some(Error::TooMany)),
        (2, good(), None),
    ] {
        assert_eq!(refusal(&mut tables(), online, instances), expected);
    }
}

#[test]
fn a_table_that_is_too_short_is_refused_at_the_start() {
    let shorten: [fn(&mut Tables); 11] = [
        |tables| tables.threads.truncate(1),
        |tables| _ = tables.nodes.pop(),
        |tables| _ = tables.instances.pop(),
        |tables| tables.processors.truncate(1),
        |tables| _ = tables.contributions.pop(),
        |tables| _ = tables.ends.pop(),
        |tables| _ = tables.lines.pop(),
        |tables| _ = tables.sides.pop(),
        |tables| _ = tables.places.pop(),
        |tables| _ = tables.waits.pop(),
        |tables| _ = tables.servers.pop(),
    ];
    for (at, shorten) in shorten.into_iter().enumerate() {
        let mut tables = tables();
        shorten(&mut tables);
        let refused = refusal(&mut tables, 2, good());
        assert_eq!(refused, Some(Error::TooMany), "table {at}");
    }
    // With a row of the threads less, everything else is long enough.
    let mut tables = tables();
    tables.threads.pop();
    assert_eq!(refusal(&mut tables, 2, good()), None);
}
