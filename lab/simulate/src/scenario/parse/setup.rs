//! Lines that say what a case begins with.
//!
//! Owns: the words of processors and instances.
//! Must never know: steps.

use taktos_schedule::{Cpu, CpuSet};

use super::words::{Read, Words};
use crate::scenario::fault::Wrong;
use crate::scenario::names::Names;
use crate::scenario::script::{InstanceSetup, Setup};
use crate::scenario::units::{POLICIES, Set, policy};

/// The name of the instance of a case that names none.
const ONLY: &str = "all";

/// `processors 4 absent 2`
pub(super) fn processors(words: &mut Words<'_>, setup: &mut Setup) -> Read<()> {
    words.word("processors")?;
    let count = words.number("how many processors")? as usize;
    if !(1..=Cpu::COUNT).contains(&count) {
        return Err(Wrong::new(
            format!("there cannot be {count} processors"),
            format!("1 to {} can be", Cpu::COUNT),
        ));
    }
    let absent = match words.take("absent") {
        true => words.set()?,
        false => CpuSet::EMPTY,
    };
    words.end()?;
    let online = CpuSet::first(count).minus(absent);
    if online.is_empty() {
        return Err(Wrong::new("all processors are absent", "leave one"));
    }
    setup.processors = CpuSet::first(count);
    setup.online = online;
    Ok(())
}

/// `instance X edf cpus 0-1`
pub(super) fn instance(words: &mut Words<'_>, setup: &mut Setup, names: &mut Names) -> Read<()> {
    words.word("instance")?;
    if setup.online.is_empty() {
        return Err(Wrong::new(
            "an instance comes before the processors",
            "write `processors N` above it",
        ));
    }
    let name = words.word("a name")?;
    if name.len() > 4 || names.find_instance(name).is_some() {
        return Err(Wrong::new(
            format!("`{name}` cannot name an instance here"),
            "at most four letters, and each name once",
        ));
    }
    let kind = match words.peek() {
        Some("cpus") => None,
        _ => {
            let word = words.word("a policy")?;
            let known = POLICIES.map(|(name, _)| name);
            Some(policy(word).ok_or_else(|| Wrong::word("policy", word, known))?)
        }
    };
    words.expect("cpus")?;
    let cpus = match words.set()? {
        CpuSet::ALL => setup.online,
        cpus => cpus,
    };
    words.end()?;
    free(setup, cpus)?;
    names.add_instance(name);
    setup.instances.push(InstanceSetup { policy: kind, cpus });
    Ok(())
}

/// Checks that the processors exist and belong to no instance.
fn free(setup: &Setup, cpus: CpuSet) -> Read<()> {
    if !setup.processors.covers(cpus) {
        let beyond = Set(cpus.minus(setup.processors));
        return Err(Wrong::new(
            format!("there is no processor {beyond}"),
            format!("there are {}", Set(setup.processors)),
        ));
    }
    let owned = setup.instances.iter().map(|instance| instance.cpus);
    let twice = owned.fold(CpuSet::EMPTY, CpuSet::or).and(cpus);
    if !twice.is_empty() {
        return Err(Wrong::new(
            format!("processor {} has an instance already", Set(twice)),
            "give each processor to one instance",
        ));
    }
    Ok(())
}

/// The one instance of a case that names none.
pub(super) fn only(setup: &mut Setup, names: &mut Names) {
    names.add_instance(ONLY);
    setup.instances.push(InstanceSetup {
        policy: None,
        cpus: setup.online,
    });
}
