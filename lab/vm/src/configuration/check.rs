//! Owns: what is checked of a whole configuration, with the hint.
//! Must never know: the reading of the file.

use std::ops::Range;

use taktos_abi::vm::{Wait, layout};
use taktos_schedule::CpuSet;
use taktos_simulate::file::FileError;

use super::admission::{Member, admitted, waits_forever};
use super::text::{shown_cpus, shown_size};
use super::{Configuration, Device, Partition, Policy, Pool};

impl Configuration {
    /// Checks the conditions between settings: memory does not overlap and fits, no device has two
    /// owners, each unit can run, the library's tests admit the servers. Returns remarks on
    /// settings without effect.
    ///
    /// With [`Configuration::force`] servers that are not admitted, and native waits on shared
    /// processors, are remarks too.
    ///
    /// # Errors
    /// [`FileError`] at the first that does not hold.
    pub fn check(&self) -> Result<Vec<String>, FileError> {
        self.check_form()?;
        let mut remarks = Vec::new();
        for (place, pool) in self.pools.iter().enumerate() {
            let members = self.members(place);
            self.runs(pool, &members)?;
            if let Err((member, error)) = admitted(pool, &members) {
                let words = error.to_string();
                let (cause, hint) = words.rsplit_once(": ").unwrap_or((&words, "force it"));
                let cause = format!("{} is {cause}", member.name());
                let hint = hint.replace("force it", "force it (force = true, or --force)");
                self.or_remark(member.vcpu.line, cause, &hint, &mut remarks)?;
            }
            remarks.extend(idle_words(pool, &members));
        }
        for (partition, device) in self.masters() {
            remarks.push(format!(
                "partition {}: it is trusted with the whole machine, whose memory its device {} may reach by itself",
                partition.name, device.name
            ));
        }
        remarks.extend(
            self.partitions
                .iter()
                .filter_map(|one| self.shared_home(one)),
        );
        for partition in &self.partitions {
            if partition.wait == Some(Wait::Native) && !self.is_alone(partition) {
                let cause = format!(
                    "partition {} waits natively, but its processors are not its alone",
                    partition.name
                );
                let hint = "leave the wait, or put it in a pool of its own; or force it (force = true, or --force)";
                self.or_remark(partition.line, cause, hint, &mut remarks)?;
            }
        }
        Ok(remarks)
    }

    fn or_remark(
        &self,
        line: Option<usize>,
        cause: String,
        hint: &str,
        remarks: &mut Vec<String>,
    ) -> Result<(), FileError> {
        let error = self.error(line, cause, hint);
        if !self.force {
            return Err(error);
        }
        remarks.push(format!("{error}; forced"));
        Ok(())
    }

    /// Checks the conditions of every configuration, forced or not.
    pub(super) fn check_form(&self) -> Result<(), FileError> {
        self.memory()?;
        self.devices()
    }

    fn memory(&self) -> Result<(), FileError> {
        let end = layout::MACHINE_MEMORY + self.machine.memory;
        let mut taken: Vec<(&str, Range<u64>)> = Vec::new();
        let mut wanted = 0;
        for partition in &self.partitions {
            wanted += partition.memory;
            if wanted > end.saturating_sub(layout::PARTITIONS) {
                return Err(self.too_much(partition, wanted));
            }
            let Some(at) = partition.address else {
                continue;
            };
            let range = at..at + partition.memory;
            if at < layout::PARTITIONS || range.end > end {
                return Err(self.error(
                    partition.line,
                    format!(
                        "partition {}: its memory at {at:#x} lies outside the partitions' part",
                        partition.name
                    ),
                    format!(
                        "leave the address, or give one from {:#x} to {end:#x}",
                        layout::PARTITIONS
                    ),
                ));
            }
            let hit = taken
                .iter()
                .find(|(_, other)| other.start < range.end && range.start < other.end);
            if let Some((name, other)) = hit {
                return Err(self.error(
                    partition.line,
                    format!(
                        "partition {}: its memory {:#x} to {:#x} overlaps that of {name}, {:#x} to {:#x}",
                        partition.name, range.start, range.end, other.start, other.end
                    ),
                    format!("leave the address, or begin at {:#x}", other.end),
                ));
            }
            taken.push((&partition.name, range));
        }
        Ok(())
    }

    fn too_much(&self, partition: &Partition, wanted: u64) -> FileError {
        let kept = layout::PARTITIONS - layout::MACHINE_MEMORY;
        self.error(
            partition.line,
            format!(
                "partition {}: with it partitions want {}, and the machine has {} for them",
                partition.name,
                shown_size(wanted),
                shown_size(self.machine.memory.saturating_sub(kept))
            ),
            "give partitions less memory, or [machine] more",
        )
    }

    fn devices(&self) -> Result<(), FileError> {
        let mut taken = Vec::new();
        for partition in &self.partitions {
            for device in &partition.devices {
                let refuse = |cause: String, hint: &str| {
                    Err(self.error(
                        device.line,
                        format!("device {}: {cause}", device.name),
                        hint,
                    ))
                };
                if device.address + device.size > layout::MEMORY {
                    return refuse(
                        "lies in the machine's memory".into(),
                        "devices lie below 0x4000_0000",
                    );
                }
                if let Some(what) = own(device.address, device.size) {
                    return refuse(
                        format!("lies where the hypervisor has {what}"),
                        "pass another device: this one is shared by the hypervisor",
                    );
                }
                if let Some(interrupt) = device.interrupt.filter(|number| is_own(*number)) {
                    return refuse(
                        format!("interrupt {interrupt} is the console's or a channel's"),
                        "33 and 48 to 55 are the hypervisor's: pass another device",
                    );
                }
                for (name, other) in &taken {
                    let other: &&Device = other;
                    let memory = device.address < other.address + other.size
                        && other.address < device.address + device.size;
                    let interrupt =
                        device.interrupt.is_some() && device.interrupt == other.interrupt;
                    if memory || interrupt {
                        return refuse(
                            format!("is {}'s already, by pages or interrupt", name),
                            "give each device to one partition",
                        );
                    }
                }
                if !device.trusted_dma && !is_no_master(device) {
                    return refuse(
                        "may reach memory by itself, that of others and the hypervisor's too"
                            .into(),
                        "leave it; or trust its guest with the whole machine: trusted-dma = true",
                    );
                }
                taken.push((&partition.name, device));
            }
        }
        Ok(())
    }

    /// Returns the devices that may access memory by themselves, each with its partition.
    pub(super) fn masters(&self) -> impl Iterator<Item = (&Partition, &Device)> {
        let all = self.partitions.iter().flat_map(|partition| {
            let devices = partition.devices.iter();
            devices.map(move |device| (partition, device))
        });
        all.filter(|(_, device)| !is_no_master(device))
    }

    /// Returns a remark if devices of the partition may interrupt processors that others use, too.
    fn shared_home(&self, partition: &Partition) -> Option<String> {
        let mut devices = partition.devices.iter();
        let device = devices.find(|device| device.interrupt.is_some())?;
        let members = self.members(partition.pool);
        let is_own = |member: &&Member<'_>| member.partition.name == partition.name;
        let own = members.iter().filter(is_own);
        let home = own.fold(CpuSet::EMPTY, |all, member| all.or(member.cpus));
        let mut others = members.iter().filter(|member| !is_own(member));
        let other = others.find(|other| !other.cpus.and(home).is_empty())?;
        Some(format!(
            "partition {}: interrupts of its device {} come to processors {}, which {} may use, too: while {} waits, each costs whoever runs there one exit",
            partition.name,
            device.name,
            shown_cpus(home),
            other.name(),
            partition.name
        ))
    }

    /// Checks whether each unit can ever run.
    fn runs(&self, pool: &Pool, members: &[Member<'_>]) -> Result<(), FileError> {
        match &pool.policy {
            Policy::Null => match waits_forever(pool, members) {
                Some(member) => Err(self.error(
                    member.vcpu.line,
                    format!(
                        "{} never runs: under null a processor takes one, and none of {} is left",
                        member.name(),
                        shown_cpus(member.cpus)
                    ),
                    format!(
                        "give the pool {} more processors, or another policy",
                        pool.name
                    ),
                )),
                None => Ok(()),
            },
            Policy::Arinc653 { windows, .. } => {
                let has = |member: &&Member<'_>| {
                    windows.iter().any(|window| {
                        window.partition == member.partition.name && window.vcpu == member.place
                    })
                };
                match members.iter().find(|member| !has(member)) {
                    Some(member) => Err(self.error(
                        member.vcpu.line,
                        format!(
                            "{} never runs: the pool {} has no window for it",
                            member.name(),
                            pool.name
                        ),
                        format!(
                            "add [[pool.window]] with partition = \"{}\", vcpu = {} and runtime",
                            member.partition.name, member.place
                        ),
                    )),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Returns whether the partition's virtual processors have processors that no other partition
    /// may use, one each, and no policy takes them away.
    #[must_use]
    pub fn is_alone(&self, partition: &Partition) -> bool {
        let Some(pool) = self.pools.get(partition.pool) else {
            return false;
        };
        let members = self.members(partition.pool);
        let own = |member: &&Member<'_>| member.partition.name == partition.name;
        let dedicated = |member: &Member<'_>| {
            let others = members.iter().filter(|other| other.number != member.number);
            let mut sharing = others.filter(|other| !other.cpus.and(member.cpus).is_empty());
            member.cpus.count() == 1 && sharing.next().is_none()
        };
        match pool.policy {
            Policy::Null => true,
            Policy::Arinc653 { .. } => false,
            Policy::Credit { .. } | Policy::Credit2 { .. } => {
                partition.cap.is_none() && members.iter().filter(own).all(dedicated)
            }
            Policy::Rtds | Policy::Sedf => members.iter().filter(own).all(|member| {
                let server = member.vcpu.server(&pool.policy);
                dedicated(member) && (server.extra || server.budget == server.period)
            }),
        }
    }

    /// Returns how a partition waits for interrupts: as it says, or natively when its processors
    /// are its alone ([`Configuration::is_alone`]).
    #[must_use]
    pub fn wait(&self, partition: &Partition) -> Wait {
        match partition.wait {
            Some(wait) => wait,
            None if self.is_alone(partition) => Wait::Native,
            None => Wait::Trapped,
        }
    }
}

/// Returns the hypervisor's own use of these addresses.
fn own(at: u64, bytes: u64) -> Option<&'static str> {
    let places = [
        (
            layout::DISTRIBUTOR,
            layout::CONSOLE - layout::DISTRIBUTOR,
            "the interrupt controller",
        ),
        (layout::CONSOLE, 0x1000, "the console"),
        (
            layout::CHANNEL_UART,
            8 * layout::CHANNEL_UART_STRIDE,
            "channels",
        ),
        (
            layout::CHANNEL_MEMORY,
            8 * layout::CHANNEL_MEMORY_STRIDE,
            "channels",
        ),
    ];
    let hit = places
        .into_iter()
        .find(|(place, length, _)| at < place + length && *place < at + bytes);
    hit.map(|(_, _, what)| what)
}

/// The devices of the board that are known never to reach memory by themselves: flash, the clock
/// (PL031), the pins (PL061). Of any other that is not known, and only the hypervisor's map
/// separates it from all memory: there is no SMMU.
const NO_MASTERS: [Range<u64>; 3] = [
    0..0x0800_0000,
    0x0901_0000..0x0901_1000,
    0x0903_0000..0x0903_1000,
];

/// Returns whether all devices at this place are known not to access memory by themselves.
fn is_no_master(device: &Device) -> bool {
    let within = |known: &Range<u64>| {
        known.contains(&device.address) && device.address + device.size <= known.end
    };
    NO_MASTERS.iter().any(within)
}

fn is_own(interrupt: u32) -> bool {
    let channels = layout::CHANNEL_INTERRUPT..layout::CHANNEL_INTERRUPT + 8;
    interrupt == layout::CONSOLE_INTERRUPT || channels.contains(&interrupt)
}

/// Returns remarks on settings of the pool's members without effect.
fn idle_words(pool: &Pool, members: &[Member<'_>]) -> Vec<String> {
    let policy = pool.policy.name();
    let mut remarks = Vec::new();
    let servers = matches!(pool.policy, Policy::Rtds | Policy::Sedf);
    let weights = matches!(pool.policy, Policy::Credit { .. } | Policy::Credit2 { .. });
    for member in members {
        if !servers && member.vcpu.speaks_of_a_server() {
            remarks.push(format!(
                "{}: period, budget and extra-time have no effect under {policy}",
                member.name()
            ));
        }
        if !matches!(pool.policy, Policy::Sedf) && member.vcpu.weight.is_some() {
            remarks.push(format!(
                "{}: a VCPU's weight has no effect under {policy}",
                member.name()
            ));
        }
        let partition = member.partition;
        let weighed = partition.weight.is_some() || partition.cap.is_some();
        if !weights && weighed && member.place == 0 {
            remarks.push(format!(
                "partition {}: weight and cap have no effect under {policy}",
                partition.name
            ));
        }
    }
    if members.is_empty() {
        remarks.push(format!("nobody is in the pool {}", pool.name));
    }
    remarks
}
