//! Owns: a configuration as people read it: the partitions on each processor, and their parameters.
//! Must never know: its file's form.

use std::fmt::Write;

use taktos_abi::vm::Wait;
use taktos_simulate::file::text;

use super::admission::{Member, admitted};
use super::text::{shown_cpus, shown_size};
use super::{Configuration, Policy, Pool};

impl Configuration {
    /// Pools with their virtual processors, what the library's tests say of their servers, and
    /// the channels.
    #[must_use]
    pub fn shown(&self) -> String {
        let mut shown = String::new();
        let machine = &self.machine;
        // Writing to a String cannot fail.
        let _ = writeln!(
            shown,
            "{} processors {}, {}, timer floor {}",
            machine.cpus,
            machine.processor.name(),
            shown_size(machine.memory),
            text::shown(machine.timer_floor)
        );
        for (place, pool) in self.pools.iter().enumerate() {
            let members = self.members(place);
            let _ = writeln!(
                shown,
                "pool {}: processors {}, {}",
                pool.name,
                shown_cpus(pool.cpus),
                parameters(&pool.policy)
            );
            for member in &members {
                let _ = writeln!(shown, "  {}", self.line(pool, member));
            }
            if let Some(verdict) = verdict(pool, &members) {
                let _ = writeln!(shown, "  {verdict}");
            }
        }
        for (partition, device) in self.masters() {
            let (name, device) = (&partition.name, &device.name);
            let _ = writeln!(shown, "device {device} of {name}: it may reach all memory");
        }
        for channel in &self.channels {
            let [one, other] = channel
                .between
                .map(|place| self.partitions[place].name.as_str());
            let size = shown_size(channel.size);
            let _ = writeln!(shown, "channel {}: {one} - {other}, {size}", channel.name);
        }
        shown
    }

    fn line(&self, pool: &Pool, member: &Member<'_>) -> String {
        let wait = match self.wait(member.partition) {
            Wait::Native => "waits natively",
            Wait::Trapped => "waits in the hypervisor",
        };
        let server = match pool.policy {
            Policy::Rtds => {
                let server = member.vcpu.rtds();
                let extra = if server.extratime { ", extra time" } else { "" };
                let (budget, period) = (text::shown(server.budget), text::shown(server.period));
                format!(", {budget} in {period}{extra}")
            }
            Policy::Sedf => format!(", {}", sedf(&member.vcpu.sedf())),
            Policy::Credit { .. } | Policy::Credit2 { .. } => {
                let weight = member.partition.weight.unwrap_or(256);
                let cap = member.partition.cap.map(|cap| format!(", at most {cap} %"));
                format!(", weight {weight}{}", cap.unwrap_or_default())
            }
            Policy::Null | Policy::Arinc653 { .. } => String::new(),
        };
        let cpus = shown_cpus(member.cpus);
        format!("{} on {cpus}{server}; {wait}", member.name())
    }
}

fn sedf(server: &taktos_schedule::vcpu::sedf::Parameters) -> String {
    use taktos_schedule::vcpu::sedf::Parameters;
    match *server {
        Parameters::Periodic {
            period,
            slice,
            extratime,
            ..
        } => {
            let extra = if extratime { ", extra time" } else { "" };
            format!("{} in {}{extra}", text::shown(slice), text::shown(period))
        }
        Parameters::Weighted { weight, .. } => format!("a share of weight {weight}"),
        Parameters::BestEffort { weight } => format!("extra time of weight {weight}"),
    }
}

fn parameters(policy: &Policy) -> String {
    let balanced = |balance: bool| if balance { "balanced" } else { "not balanced" };
    match policy {
        Policy::Credit {
            slice,
            ratelimit,
            migration_delay,
            balance,
        } => format!(
            "credit (slice {}, rate limit {}, migration delay {}, {})",
            text::shown(*slice),
            text::shown(*ratelimit),
            text::shown(*migration_delay),
            balanced(*balance)
        ),
        Policy::Credit2 { ratelimit, balance } => {
            let limit = text::shown(*ratelimit);
            format!("credit2 (rate limit {limit}, {})", balanced(*balance))
        }
        Policy::Arinc653 { frame, windows } => {
            let one = |window: &super::Window| {
                format!("{} {}", window.partition, text::shown(window.runtime))
            };
            let windows: Vec<String> = windows.iter().map(one).collect();
            format!(
                "arinc653 (frame {}: {})",
                text::shown(*frame),
                windows.join(", ")
            )
        }
        other => other.name().to_owned(),
    }
}

/// Returns the library's result for the pool's servers; none if there are none.
fn verdict(pool: &Pool, members: &[Member<'_>]) -> Option<String> {
    let test = match pool.policy {
        Policy::Rtds => "the interference test of Bertogna, Cirinei and Lipari",
        Policy::Sedf => "the sum of slices on each processor",
        _ => return None,
    };
    Some(match admitted(pool, members) {
        Ok(()) => format!("admitted by {test}"),
        Err((member, error)) => format!("{}: {error}", member.name()),
    })
}
