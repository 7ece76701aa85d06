//! Owns: the partitions that both run, under each policy, in the words of either.
//! Must never know: how a schedule is recorded or simulated.
//!
//! The pool and the virtual processors are the same text for both: a key means the same in either.

/// A guest.
#[derive(Clone, Copy, Debug)]
pub struct Guest {
    pub name: &'static str,
    /// Its weight and its server, as both write them.
    pub shares: &'static str,
    /// Its jobs; none: it is busy for ever.
    pub jobs: Option<Jobs>,
}

/// Jobs at instants of the machine's clock.
#[derive(Clone, Copy, Debug)]
pub struct Jobs {
    pub period_us: u64,
    pub offset_us: u64,
    /// Instructions.
    pub work: u64,
}

/// Times that a guest was seen to need, alone on the machine; nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// From its first instruction to its first wait.
    pub boot: u64,
    /// From a release to its wait.
    pub job: u64,
}

/// Partitions on one processor under a policy.
#[derive(Clone, Debug)]
pub struct Case {
    pub policy: &'static str,
    /// Of the pool, as both write it, without its name and its processors.
    pub pool: &'static str,
    pub guests: Vec<Guest>,
}

/// It is never done.
const ENDLESS: u64 = u64::MAX;

const fn jobs(period_us: u64, offset_us: u64, work: u64) -> Option<Jobs> {
    Some(Jobs {
        period_us,
        offset_us,
        work,
    })
}

const WINDOWS: &str = "policy = \"arinc653\"\nframe = \"10 ms\"\n\
    [[pool.window]]\npartition = \"control\"\nruntime = \"2 ms\"\n\
    [[pool.window]]\npartition = \"busy\"\nruntime = \"3 ms\"\n\
    [[pool.window]]\npartition = \"filter\"\nruntime = \"4 ms\"\n";
const WEIGHTS: [&str; 3] = ["weight = 512\n", "", ""];

/// A case for each policy. All times are such that no two unrelated events come at almost one
/// instant: their order would be arbitrary.
pub fn all() -> Vec<Case> {
    vec![
        Case {
            policy: "null",
            pool: "policy = \"null\"\n",
            guests: vec![guest("control", "", jobs(7_000, 23_311, 1_300_000))],
        },
        rtds(),
        sedf(),
        three(
            ("arinc653", WINDOWS),
            [""; 3],
            [
                jobs(7_064, 21_391, 907_430),
                jobs(19_297, 31_021, 2_859_370),
            ],
        ),
        three(
            ("credit", "policy = \"credit\"\n"),
            WEIGHTS,
            [
                jobs(8_824, 25_761, 1_110_160),
                jobs(17_720, 28_445, 3_021_180),
            ],
        ),
        three(
            ("credit2", "policy = \"credit2\"\n"),
            WEIGHTS,
            [
                jobs(7_297, 25_709, 1_387_980),
                jobs(21_903, 31_081, 2_752_330),
            ],
        ),
    ]
}

/// Jobs that are longer than the budgets of their servers, which also have other periods.
fn rtds() -> Case {
    three(
        ("rtds", "policy = \"rtds\"\n"),
        [
            "[[partition.vcpu]]\nperiod = \"5253 us\"\nbudget = \"1150 us\"\nextra-time = false\n",
            "[[partition.vcpu]]\nperiod = \"11919 us\"\nbudget = \"3090 us\"\nextra-time = false\n",
            "[[partition.vcpu]]\nperiod = \"12946 us\"\nbudget = \"1680 us\"\nextra-time = true\n",
        ],
        [
            jobs(7_921, 22_012, 1_296_060),
            jobs(22_095, 28_084, 3_514_110),
        ],
    )
}

fn sedf() -> Case {
    three(
        ("sedf", "policy = \"sedf\"\n"),
        [
            "[[partition.vcpu]]\nperiod = \"5543 us\"\nbudget = \"1210 us\"\nextra-time = false\n",
            "[[partition.vcpu]]\nperiod = \"10021 us\"\nbudget = \"2600 us\"\nextra-time = false\n",
            "[[partition.vcpu]]\nperiod = \"13208 us\"\nbudget = \"1710 us\"\nextra-time = true\n",
        ],
        [
            jobs(6_901, 23_721, 1_596_700),
            jobs(18_751, 30_815, 2_635_870),
        ],
    )
}

/// Two guests with jobs, and one that is always busy.
fn three(
    (policy, pool): (&'static str, &'static str),
    [control, filter, busy]: [&'static str; 3],
    [short, long]: [Option<Jobs>; 2],
) -> Case {
    let guests = vec![
        guest("control", control, short),
        guest("filter", filter, long),
        guest("busy", busy, None),
    ];
    Case {
        policy,
        pool,
        guests,
    }
}

fn guest(name: &'static str, shares: &'static str, jobs: Option<Jobs>) -> Guest {
    Guest { name, shares, jobs }
}

impl Case {
    /// A machine of a guest's alone: what it needs is seen there.
    pub fn alone(guest: Guest) -> Self {
        Self {
            policy: "null",
            pool: "policy = \"null\"\n",
            guests: vec![Guest {
                shares: "",
                ..guest
            }],
        }
    }

    /// Its configuration for the hypervisor.
    pub fn configuration(&self) -> String {
        let guests: String = self.guests.iter().map(Guest::configured).collect();
        format!("[machine]\ncpus = 1\n{}{guests}", self.shared())
    }

    /// Returns the same partitions for the simulator, by the machine's clock: all guests start at
    /// `start` and need `needs`.
    pub fn workload(&self, start: u64, needs: &[Needs]) -> String {
        let guests = self.guests.iter().zip(needs);
        let guests: String = guests
            .map(|(guest, needs)| guest.simulated(start, *needs))
            .collect();
        format!("{}{guests}", self.shared())
    }

    fn shared(&self) -> String {
        format!("[[pool]]\nname = \"all\"\ncpus = 0\n{}", self.pool)
    }
}

impl Guest {
    fn configured(&self) -> String {
        let Self { name, shares, .. } = self;
        let words = match self.jobs {
            Some(Jobs {
                period_us,
                offset_us,
                work,
            }) => format!("period-us={period_us} offset-us={offset_us} work={work}"),
            None => format!("work={ENDLESS}"),
        };
        format!(
            "[[partition]]\nname = \"{name}\"\nmemory = \"4 MiB\"\nimage = \"taktos:periodic\"\narguments = \"{words}\"\n\
             wait = \"trapped\"\n{shares}"
        )
    }

    fn simulated(&self, start: u64, needs: Needs) -> String {
        let Self { name, shares, .. } = self;
        let Needs { boot, job } = needs;
        let task = |name, when: &str, execution| {
            format!(
                "[[partition.task]]\nname = \"{name}\"\n{when}\nexecution = \"{execution} ns\"\n"
            )
        };
        let first = format!("once = \"{start} ns\"\npriority = 0");
        let tasks = match self.jobs {
            Some(Jobs {
                period_us,
                offset_us,
                ..
            }) => {
                let when = format!(
                    "period = \"{period_us} us\"\noffset = \"{offset_us} us\"\npriority = 1"
                );
                task("boot", &first, boot) + &task("job", &when, job)
            }
            None => task("boot", &first, ENDLESS >> 8),
        };
        format!("[[partition]]\nname = \"{name}\"\nscheduler = \"priority\"\n{shares}{tasks}")
    }
}
