//! Owns: writing a task set in the project's own form.
//! Must never know: where it came from.
//!
//! A written task set is read back as it was. Only values other than their defaults are written.

use std::fmt::Write;

use taktos_time::Duration;

use super::body::{protocol_name, shown as shown_step};
use super::text::{shown, shown_cpus, shown_execution};
use super::{ClusterSpec, TaskSet};
use crate::{
    Arrival, Cost, Costs, Late, LockSpec, Partition, Pool, ServerSpec, Step, Task, VcpuPolicy,
    VcpuSpec,
};

/// The text of the file. Warnings are not written.
#[must_use]
pub fn write(set: &TaskSet) -> String {
    let mut out = Out(String::new());
    if !set.title.is_empty() {
        out.text("title", &set.title);
    }
    if !set.question.is_empty() {
        out.text("question", &set.question);
    }
    if let Some(cpus) = set.cpus {
        out.value("cpus", cpus);
    }
    if let Some(policy) = set.scheduler {
        out.text("scheduler", policy.name());
    }
    out.time("for", set.horizon);
    if let Some(seed) = set.seed {
        out.value("seed", seed);
    }
    out.time("slice", set.slice);
    out.time("timer-slop", set.timer_slop);
    for (name, costs) in [("costs", &set.costs), ("host-costs", &set.host_costs)] {
        if let Some(costs) = costs {
            out.costs(name, costs);
        }
    }
    for cluster in &set.clusters {
        out.cluster(cluster);
    }
    let workload = &set.workload;
    out.names("", &workload.locks, &workload.servers);
    for task in &workload.tasks {
        out.task("", task, &workload.locks, &workload.servers);
    }
    for pool in &workload.pools {
        out.pool(pool);
    }
    for partition in &workload.partitions {
        out.partition(partition);
    }
    out.0
}

struct Out(String);

impl Out {
    fn line(&mut self, line: &str) {
        self.0.push_str(line);
        self.0.push('\n');
    }

    fn head(&mut self, name: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.line(&format!("[[{name}]]"));
    }

    fn value(&mut self, key: &str, value: impl std::fmt::Display) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "{key} = {value}");
    }

    fn text(&mut self, key: &str, text: &str) {
        self.value(key, quoted(text));
    }

    fn time(&mut self, key: &str, time: Option<Duration>) {
        if let Some(time) = time {
            self.text(key, &shown(time));
        }
    }

    fn nonzero(&mut self, key: &str, time: Duration) {
        self.time(key, Some(time).filter(|time| *time != Duration::ZERO));
    }

    fn costs(&mut self, name: &str, costs: &Costs) {
        // Writing to a String cannot fail.
        let _ = write!(self.0, "\n[{name}]\n");
        let named = [
            ("release", &costs.release),
            ("schedule", &costs.schedule),
            ("switch", &costs.switch),
            ("ipi", &costs.ipi),
            ("migration", &costs.migration),
        ];
        for (key, cost) in named {
            match cost {
                Cost::Zero => {}
                Cost::Constant(time) => self.text(key, &shown(*time)),
                Cost::Samples(times) => {
                    let times: Vec<String> =
                        times.iter().map(|time| quoted(&shown(*time))).collect();
                    self.value(key, format!("[{}]", times.join(", ")));
                }
                Cost::Linear(points) => {
                    let point = |(tasks, time): &(u32, Duration)| {
                        format!("{tasks} = {}", quoted(&shown(*time)))
                    };
                    let points: Vec<String> = points.iter().map(point).collect();
                    self.value(key, format!("{{ {} }}", points.join(", ")));
                }
            }
        }
    }

    fn cluster(&mut self, cluster: &ClusterSpec) {
        self.head("cluster");
        self.text("name", &cluster.name);
        self.text("cpus", &shown_cpus(cluster.cpus));
        if let Some(policy) = cluster.policy {
            self.text("scheduler", policy.name());
        }
    }

    fn names(&mut self, prefix: &str, locks: &[LockSpec], servers: &[ServerSpec]) {
        for lock in locks {
            self.head(&format!("{prefix}lock"));
            self.text("name", &lock.name);
            self.text("protocol", protocol_name(lock.protocol));
            let ceiling =
                |(cluster, ceiling): &(String, u32)| format!("{} = {ceiling}", quoted(cluster));
            let ceilings: Vec<String> = lock.ceilings.iter().map(ceiling).collect();
            if !ceilings.is_empty() {
                self.value("ceilings", format!("{{ {} }}", ceilings.join(", ")));
            }
        }
        for server in servers {
            self.head(&format!("{prefix}server"));
            self.text("name", &server.name);
        }
    }

    fn task(&mut self, prefix: &str, task: &Task, locks: &[LockSpec], servers: &[ServerSpec]) {
        self.head(&format!("{prefix}task"));
        self.text("name", &task.name);
        self.arrival(task.arrival);
        self.time("deadline", task.deadline);
        if let Some(priority) = task.priority {
            self.value("priority", priority);
        }
        if let Some(affinity) = task.affinity {
            self.text("affinity", &shown_cpus(affinity));
        }
        if let Some(cluster) = &task.cluster {
            self.text("cluster", cluster);
        }
        if let Some(budget) = task.budget {
            let (runtime, period) = (shown(budget.runtime), shown(budget.period));
            let hard = if budget.hard { ", hard = true" } else { "" };
            self.value(
                "budget",
                format!("{{ runtime = \"{runtime}\", period = \"{period}\"{hard} }}"),
            );
        }
        match task.late {
            Late::Queue => {}
            Late::Abort => self.text("late", "abort"),
            Late::Skip => self.text("late", "skip"),
            Late::Shift => self.text("late", "shift"),
        }
        if let [Step::Run(execution)] = task.body.as_slice() {
            self.text("execution", &shown_execution(execution));
        } else {
            let step = |step: &Step| quoted(&shown_step(step, locks, servers));
            let steps: Vec<String> = task.body.iter().map(step).collect();
            self.value("body", format!("[{}]", steps.join(", ")));
        }
    }

    fn arrival(&mut self, arrival: Arrival) {
        match arrival {
            Arrival::Periodic {
                period,
                offset,
                jitter,
            } => {
                self.time("period", Some(period));
                self.nonzero("offset", offset);
                self.nonzero("jitter", jitter);
            }
            Arrival::Sporadic {
                min_separation,
                max_separation,
                offset,
            } => {
                let range = format!("{}..{}", shown(min_separation), shown(max_separation));
                self.text("separation", &range);
                self.nonzero("offset", offset);
            }
            Arrival::Once { at } => self.time("once", Some(Duration::from_nanos(at.as_nanos()))),
        }
    }

    fn pool(&mut self, pool: &Pool) {
        self.head("pool");
        self.text("name", &pool.name);
        self.text("cpus", &shown_cpus(pool.cpus));
        if pool.xen45 {
            self.text("profile", "xen-4.5");
        }
        match &pool.policy {
            VcpuPolicy::Credit {
                slice,
                ratelimit,
                balance,
            } => {
                self.text("policy", "credit");
                self.time("slice", *slice);
                self.time("ratelimit", *ratelimit);
                self.value("balance", balance);
            }
            VcpuPolicy::Credit2 {
                ratelimit,
                queue_cpus,
                balance,
            } => {
                self.text("policy", "credit2");
                self.time("ratelimit", *ratelimit);
                if let Some(cpus) = queue_cpus {
                    self.value("queue-cpus", cpus);
                }
                self.value("balance", balance);
            }
            VcpuPolicy::Rtds => self.text("policy", "rtds"),
            VcpuPolicy::Sedf => self.text("policy", "sedf"),
            VcpuPolicy::Null => self.text("policy", "null"),
            VcpuPolicy::Arinc653 { frame, windows } => {
                self.text("policy", "arinc653");
                self.time("frame", Some(*frame));
                for window in windows {
                    self.head("pool.window");
                    self.text("partition", &window.partition);
                    self.value("vcpu", window.vcpu);
                    self.time("runtime", Some(window.runtime));
                }
            }
        }
    }

    fn partition(&mut self, partition: &Partition) {
        self.head("partition");
        self.text("name", &partition.name);
        if let Some(pool) = &partition.pool {
            self.text("pool", pool);
        }
        self.text("scheduler", partition.policy.name());
        if let Some(weight) = partition.weight {
            self.value("weight", weight);
        }
        if let Some(cap) = partition.cap {
            self.value("cap", cap);
        }
        let plain = partition
            .vcpus
            .iter()
            .all(|vcpu| *vcpu == VcpuSpec::default());
        if plain {
            self.value("vcpus", partition.vcpus.len());
        } else {
            partition.vcpus.iter().for_each(|vcpu| self.vcpu(vcpu));
        }
        self.names("partition.", &partition.locks, &partition.servers);
        for task in &partition.tasks {
            self.task("partition.", task, &partition.locks, &partition.servers);
        }
    }

    fn vcpu(&mut self, vcpu: &VcpuSpec) {
        self.head("partition.vcpu");
        self.time("period", vcpu.period);
        self.time("budget", vcpu.budget);
        if let Some(extra) = vcpu.extra_time {
            self.value("extra-time", extra);
        }
        for (key, set) in [
            ("hard-affinity", vcpu.hard_affinity),
            ("soft-affinity", vcpu.soft_affinity),
        ] {
            if let Some(set) = set {
                self.text(key, &shown_cpus(set));
            }
        }
    }
}

/// A TOML string in quotes.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
