//! Files that are good, and the errors of those that are not: place, cause, and hint.

use taktos_abi::vm::{Linkage, OnStop, Server, Wait};
use taktos_schedule::CpuSet;
use taktos_time::Duration;

use super::*;

/// A file with all settings. Lines count from 1, at `title`.
pub(super) const WHOLE: &str = r#"title = "whole"
question = "is it read?"
input = "linux"
[machine]
cpus = 4
cpu = "cortex-a57"
memory = "1 GiB"
timer-floor = "50 us"
quantum = 100
seed = 7
emulator = ["-device", "virtio-rng-device"]
[[pool]]
name = "fast"
cpus = [0, 1]
policy = "rtds"
[[pool]]
name = "slow"
cpus = "2-3"
policy = "credit"
slice = "10 ms"
ratelimit = "200 us"
migration-delay = "1 ms"
balance = false
[[partition]]
name = "craft"
pool = "fast"
memory = "16 MiB"
address = 0x5000_0000
image = "taktos:spacecraft"
arguments = "for-ms=10"
wait = "trapped"
on-fault = 3
on-reset = "stay"
console = false
[partition.device-tree]
compatible = ["a", "b"]
[partition.device-tree."thing@0"]
reg = [0, 16]
flag = true
count = 5
[[partition.vcpu]]
hard-affinity = 0
period = "1 ms"
budget = "500 us"
extra-time = false
[[partition.vcpu]]
period = "2 ms"
budget = "200 us"
[[partition.device]]
name = "rtc"
address = 0x0901_0000
interrupt = 34
compatible = ["arm,pl031", "arm,primecell"]
[[partition]]
name = "linux"
pool = "slow"
memory = "128 MiB"
image = "debian:rt"
initrd = "files.cpio"
weight = 512
cap = 150
vcpus = 2
[[channel]]
name = "orders"
between = ["linux", "craft"]
kind = "fifo"
size = "16 KiB"
ends = ["uart", "memory"]
[[channel]]
name = "pictures"
between = ["craft", "linux"]
kind = "shared"
"#;

/// The least that a file can say.
const LEAST: &str = "[[partition]]\nname = 'a'\nmemory = '2 MiB'\nimage = 'taktos:hello'\n";

fn parsed(text: &str) -> Result<Configuration, FileError> {
    Configuration::parse(text, "near/x.toml")
}

fn checked(text: &str) -> Result<Vec<String>, FileError> {
    parsed(text)?.check()
}

#[test]
fn everything_that_is_said_is_read() {
    let whole = parsed(WHOLE).unwrap();
    assert_eq!(whole.check(), Ok(Vec::new()));
    assert_eq!((whole.title.as_str(), whole.input), ("whole", 1));
    assert_eq!(whole.machine.processor, Processor::CortexA57);
    assert_eq!(whole.machine.timer_floor, Duration::from_micros(50));
    assert_eq!((whole.machine.quantum, whole.machine.seed), (100, 7));
    assert_eq!(whole.machine.emulator, ["-device", "virtio-rng-device"]);
    assert_eq!(whole.pools[1].cpus.bits(), 0b1100);
    let credit = Policy::Credit {
        slice: Duration::from_millis(10),
        ratelimit: Duration::from_micros(200),
        migration_delay: Duration::from_millis(1),
        balance: false,
    };
    assert_eq!(whole.pools[1].policy, credit);
    let [craft, linux] = whole.partitions.as_slice() else {
        panic!("two partitions");
    };
    assert_eq!(craft.address, Some(0x5000_0000));
    assert_eq!(craft.wait, Some(Wait::Trapped));
    assert_eq!(
        (craft.on_fault, craft.on_reset),
        (OnStop::Restart(3), OnStop::Stay)
    );
    assert_eq!((craft.console, linux.console), (false, true));
    assert_eq!(craft.additions.children[0].0, "thing@0");
    assert_eq!(craft.devices[0].interrupt, Some(34));
    assert_eq!(craft.devices[0].size, 4096);
    assert_eq!(craft.vcpus[0].hard_affinity, Some(CpuSet::from_bits(1)));
    let server = Server {
        period: 1_000_000,
        budget: 500_000,
        extra: false,
        weight: 0,
    };
    assert_eq!(craft.vcpus[0].server(&whole.pools[0].policy), server);
    assert!(craft.vcpus[1].server(&whole.pools[0].policy).extra);
    assert_eq!(linux.image, Image::Debian(Flavour::RealTime));
    assert_eq!(linux.initrd, Some("near/files.cpio".into()));
    assert_eq!(
        (linux.weight, linux.cap, linux.vcpus.len()),
        (Some(512), Some(150), 2)
    );
    assert_eq!(whole.channels[0].between, [1, 0]);
    assert_eq!(
        whole.channels[0].ends,
        Some([Linkage::Uart, Linkage::Memory])
    );
    assert_eq!(whole.channels[1].ends, Some([Linkage::Memory; 2]));
    assert_eq!(
        (whole.channels[0].size, whole.channels[1].size),
        (16 << 10, 4096)
    );
}

#[test]
fn little_has_to_be_said() {
    let least = parsed(LEAST).unwrap();
    assert_eq!(least.check(), Ok(Vec::new()));
    assert_eq!(least.machine, Machine::default());
    assert_eq!(least.pools[0].policy, Policy::credit2());
    let partition = &least.partitions[0];
    assert_eq!(partition.on_fault, OnStop::Stay);
    assert_eq!(partition.on_reset, OnStop::Restart(u32::MAX));
    // It has the only processor to itself.
    assert_eq!(least.wait(partition), Wait::Native);
}

#[test]
fn a_partition_that_shares_a_processor_waits_in_the_hypervisor() {
    let two = |policy: &str, vcpus: &str| {
        let pool = format!("[[pool]]\nname='p'\ncpus=0\npolicy='{policy}'\n");
        let machine = "[machine]\ncpus=2\n";
        let text = format!("{machine}{pool}{LEAST}{vcpus}");
        let made = parsed(&text).unwrap();
        made.wait(&made.partitions[0])
    };
    assert_eq!(two("null", ""), Wait::Native);
    assert_eq!(two("credit", ""), Wait::Native);
    assert_eq!(two("credit", "cap=50\n"), Wait::Trapped);
    assert_eq!(two("credit", "vcpus=2\n"), Wait::Trapped);
    assert_eq!(two("rtds", ""), Wait::Native);
    assert_eq!(
        two("rtds", "[[partition.vcpu]]\nextra-time=false\n"),
        Wait::Trapped
    );
    let full = "[[partition.vcpu]]\nextra-time=false\nperiod='1 ms'\nbudget='1 ms'\n";
    assert_eq!(two("rtds", full), Wait::Native);
    let other = LEAST.replace("'a'", "'b'");
    assert_eq!(two("credit", &other), Wait::Trapped);
    // No other partition, but a processor that it might leave.
    let wide = format!("[machine]\ncpus=2\n{LEAST}");
    let made = parsed(&wide).unwrap();
    assert_eq!(made.wait(&made.partitions[0]), Wait::Trapped);
}

#[test]
fn sedf_has_three_kinds_of_servers() {
    let server = |words: &str| {
        let pool = "[[pool]]\nname='p'\ncpus=0\npolicy='sedf'\n";
        let text = format!("{pool}{LEAST}[[partition.vcpu]]\n{words}");
        let made = parsed(&text).unwrap();
        made.partitions[0].vcpus[0].server(&made.pools[0].policy)
    };
    let of = |period, budget, extra, weight| Server {
        period,
        budget,
        extra,
        weight,
    };
    assert_eq!(server(""), of(0, 0, true, 1));
    assert_eq!(server("weight=9\n"), of(0, 0, true, 9));
    assert_eq!(server("weight=9\nextra-time=false\n"), of(0, 0, false, 9));
    assert_eq!(server("budget='5 us'\n"), of(100_000_000, 5000, true, 0));
    assert_eq!(server("period='1 s'\n"), of(1_000_000_000, 0, true, 0));
}

/// The whole file with one piece replaced: the line of the error, words of cause and hint.
type Broken = (
    &'static str,
    &'static str,
    usize,
    &'static str,
    &'static str,
);

const BROKEN: &[Broken] = &[
    (
        "title",
        "titel",
        1,
        "no key `titel`",
        "did you mean `title`?",
    ),
    (
        "input = \"linux\"",
        "input = \"linus\"",
        3,
        "no partition",
        "did you mean `linux`?",
    ),
    ("cpus = 4", "cpus = 5", 5, "out of range", "from 1 to 4"),
    ("cpus = 4", "cpsu = 4", 5, "no key `cpsu`", "did you mean"),
    (
        "\"cortex-a57\"",
        "\"cortex-a72\"",
        6,
        "not known",
        "did you mean",
    ),
    (
        "memory = \"1 GiB\"",
        "memory = 1024",
        7,
        "without a unit",
        "64 KiB",
    ),
    (
        "memory = \"1 GiB\"",
        "memory = \"1 GB\"",
        7,
        "`GB` is no unit",
        "GiB",
    ),
    (
        "memory = \"1 GiB\"",
        "memory = \"16 MiB\"",
        7,
        "out of range",
        "32 MiB",
    ),
    (
        "timer-floor = \"50 us\"",
        "timer-floor = \"2 ms\"",
        4,
        "above 1 ms",
        "at most 1 ms",
    ),
    (
        "timer-floor = \"50 us\"",
        "timer-floor = 50",
        8,
        "without a unit",
        "100 ms",
    ),
    (
        "emulator = [\"-device\", ",
        "emulator = [1, ",
        11,
        "is a whole number",
        "text",
    ),
    (
        "name = \"slow\"",
        "name = \"fast\"",
        16,
        "two pools are called fast",
        "own name",
    ),
    (
        "cpus = \"2-3\"",
        "cpus = \"1-3\"",
        16,
        "processor 1 of the pool fast",
        "one pool",
    ),
    (
        "cpus = \"2-3\"",
        "cpus = \"2-4\"",
        18,
        "there is not: there are 0-3",
        "[machine]",
    ),
    (
        "policy = \"credit\"",
        "policy = \"kredit\"",
        19,
        "not known",
        "did you mean `credit`?",
    ),
    (
        "policy = \"credit\"",
        "policy = \"credit2\"",
        20,
        "no key `slice`",
        "known are",
    ),
    (
        "slice = \"10 ms\"",
        "slice = \"10500 us\"",
        16,
        "part of a millisecond",
        "give 0 ns",
    ),
    (
        "ratelimit = \"200 us\"",
        "ratelimit = \"20 us\"",
        16,
        "ratelimit",
        "give 100000",
    ),
    (
        "ratelimit = \"200 us\"",
        "ratelimit = \"20 ms\"",
        16,
        "ratelimit",
        "10000000",
    ),
    (
        "migration-delay = \"1 ms\"",
        "migration-delay = \"101 ms\"",
        16,
        "migration delay",
        "give 0",
    ),
    (
        "name = \"linux\"\npool",
        "name = \"craft\"\npool",
        54,
        "two partitions are called craft",
        "own name",
    ),
    (
        "name = \"linux\"\npool",
        "name = \"seventeen-letters\"\npool",
        54,
        "longer than 16",
        "shorten",
    ),
    (
        "name = \"linux\"\npool",
        "name = \"a b\"\npool",
        55,
        "no name",
        "without blanks",
    ),
    (
        "pool = \"slow\"",
        "pool = \"slwo\"",
        56,
        "no pool",
        "did you mean `slow`?",
    ),
    (
        "pool = \"slow\"\n",
        "",
        54,
        "no `pool`, and there are several",
        "pool = \"fast\"",
    ),
    (
        "memory = \"128 MiB\"",
        "memory = \"129 MiB\"",
        57,
        "whole number of 2 MiB",
        "128 MiB",
    ),
    (
        "memory = \"128 MiB\"",
        "memory = \"2 GiB\"",
        54,
        "want 2064 MiB, and the machine has 1008 MiB",
        "less memory",
    ),
    (
        "memory = \"128 MiB\"\n",
        "",
        54,
        "no `memory`",
        "memory = \"64 MiB\"",
    ),
    (
        "address = 0x5000_0000",
        "address = 0x5000_1000",
        28,
        "no multiple of 2 MiB",
        "leave it",
    ),
    (
        "address = 0x5000_0000",
        "address = \"high\"",
        28,
        "no address",
        "0x0901_0000",
    ),
    (
        "address = 0x5000_0000",
        "address = 0x4000_0000",
        24,
        "outside the partitions' part",
        "0x41000000",
    ),
    (
        "address = 0x5000_0000",
        "address = 0x7FE0_0000",
        24,
        "outside the partitions' part",
        "0x80000000",
    ),
    (
        "memory = \"128 MiB\"",
        "memory = \"128 MiB\"\naddress = 0x4A00_0000",
        54,
        "overlaps that of craft",
        "begin at 0x51000000",
    ),
    (
        "image = \"debian:rt\"",
        "image = \"debian:rtt\"",
        58,
        "not known",
        "did you mean `debian:rt`?",
    ),
    (
        "image = \"debian:rt\"",
        "image = \"taktos:../x\"",
        58,
        "names no program",
        "taktos:spacecraft",
    ),
    (
        "image = \"debian:rt\"",
        "image = \"\"",
        58,
        "is empty",
        "give a path",
    ),
    ("image = \"debian:rt\"\n", "", 54, "no `image`", "image ="),
    (
        "wait = \"trapped\"",
        "wait = \"traped\"",
        31,
        "not known",
        "did you mean `trapped`?",
    ),
    (
        "on-fault = 3",
        "on-fault = \"again\"",
        32,
        "not known",
        "stay, restart",
    ),
    (
        "on-fault = 3",
        "on-fault = -1",
        32,
        "out of range",
        "from 0",
    ),
    (
        "[partition.device-tree.\"thing@0\"]",
        "[partition.device-tree.\"thing 0\"]",
        37,
        "no name of a node",
        "a letter first",
    ),
    (
        "count = 5",
        "\"a b\" = 5",
        40,
        "no name of a property",
        "31 letters",
    ),
    (
        "count = 5",
        "count = 4294967296",
        40,
        "out of range",
        "4294967295",
    ),
    ("flag = true", "flag = false", 39, "is false", "leave it"),
    (
        "flag = true",
        "flag = 1.5",
        39,
        "number with a fraction",
        "text",
    ),
    (
        "hard-affinity = 0",
        "hard-affinity = 2",
        42,
        "not in the pool fast, which has 0-1",
        "processors of the pool",
    ),
    (
        "budget = \"500 us\"",
        "budget = \"2 ms\"",
        41,
        "budget",
        "give 10000 to 1000000 ns",
    ),
    (
        "budget = \"500 us\"",
        "budget = \"1 us\"",
        41,
        "budget",
        "give 10000",
    ),
    (
        "extra-time = false",
        "weight = 5",
        41,
        "a weight beside",
        "leave the weight",
    ),
    (
        "vcpus = 2",
        "vcpus = 2\n[[partition.vcpu]]\n",
        62,
        "beside tables",
        "leave one",
    ),
    (
        "vcpus = 2",
        "vcpus = 16",
        54,
        "18 virtual processors",
        "takes 16",
    ),
    ("cap = 150", "cap = 201", 61, "out of range", "to 200"),
    (
        "weight = 512",
        "weight = 65536",
        60,
        "out of range",
        "to 65535",
    ),
    (
        "address = 0x0901_0000",
        "address = 0x0901_0010",
        51,
        "no whole pages",
        "whole pages",
    ),
    (
        "address = 0x0901_0000",
        "address = 0x0900_0000",
        49,
        "hypervisor has the console",
        "pass another",
    ),
    (
        "address = 0x0901_0000",
        "address = 0x0808_0000",
        49,
        "has the interrupt controller",
        "pass another",
    ),
    (
        "address = 0x0901_0000",
        "address = 0x5000_0000",
        49,
        "in the machine's memory",
        "below",
    ),
    (
        "interrupt = 34",
        "interrupt = 33",
        49,
        "the console's",
        "pass another",
    ),
    (
        "interrupt = 34",
        "interrupt = 12",
        52,
        "out of range",
        "from 32",
    ),
    (
        "vcpus = 2",
        "vcpus = 2\n[[partition.device]]\nname='x'\naddress=0x0901_0000",
        63,
        "craft's already",
        "one partition",
    ),
    (
        "vcpus = 2",
        "vcpus = 2\n[[partition.device]]\nname='x'\naddress=0x0902_0000\ninterrupt=34",
        63,
        "craft's already",
        "one partition",
    ),
    (
        "name = \"rtc\"",
        "name = \"1rtc\"",
        49,
        "none that a device tree takes",
        "letters",
    ),
    (
        "name = \"pictures\"",
        "name = \"orders\"",
        69,
        "two channels are called orders",
        "own name",
    ),
    (
        "between = [\"linux\", \"craft\"]",
        "between = [\"linux\", \"linux\"]",
        65,
        "twice",
        "name two",
    ),
    (
        "between = [\"linux\", \"craft\"]",
        "between = [\"linux\"]",
        65,
        "names 1 partitions",
        "name two",
    ),
    (
        "between = [\"linux\", \"craft\"]",
        "between = [\"linux\", \"kraft\"]",
        65,
        "no partition",
        "did you mean `craft`?",
    ),
    (
        "kind = \"fifo\"",
        "kind = \"pipe\"",
        66,
        "not known",
        "fifo, shared",
    ),
    (
        "kind = \"fifo\"",
        "kind = \"shared\"",
        68,
        "UART at shared memory",
        "fifo",
    ),
    (
        "size = \"16 KiB\"",
        "size = \"24 KiB\"",
        67,
        "none that a channel can have",
        "64 KiB",
    ),
    (
        "size = \"16 KiB\"",
        "size = \"128 KiB\"",
        67,
        "none that a channel can have",
        "64 KiB",
    ),
    (
        "ends = [\"uart\", ",
        "ends = [\"uart\", \"uart\", ",
        68,
        "names 3 ends",
        "name two",
    ),
    (
        "ends = [\"uart\"",
        "ends = [\"urt\"",
        68,
        "not known",
        "did you mean `uart`?",
    ),
];

#[test]
fn every_mistake_is_named_with_line_and_mend() {
    let mut wrong = String::new();
    for (good, bad, line, cause, hint) in BROKEN {
        assert!(WHOLE.contains(good), "{good}");
        let text = WHOLE.replacen(good, bad, 1);
        let error = parsed(&text).expect_err(bad);
        let there = error.line == Some(*line) && error.file == "near/x.toml";
        if !(there && error.cause.contains(cause) && error.hint.contains(hint)) {
            let said = format!("{error}\nhint: {}", error.hint);
            wrong += &format!("{bad}: expected {line}, {cause}, {hint}; it says\n{said}\n\n");
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn too_many_of_a_kind_are_refused() {
    let many =
        |count: usize, of: &dyn Fn(usize) -> String| -> String { (0..count).map(of).collect() };
    let partition = |n: usize| LEAST.replace("'a'", &format!("'a{n}'"));
    let error = parsed(&many(9, &partition)).unwrap_err();
    assert!(
        error.to_string().contains("more than eight partitions"),
        "{error}"
    );
    let channel = |n: usize| format!("[[channel]]\nname='c{n}'\nbetween=['a0','a1']\n");
    let text = format!("{}{}", many(2, &partition), many(9, &channel));
    let error = parsed(&text).unwrap_err();
    assert!(
        error.to_string().contains("more than eight channels"),
        "{error}"
    );
    let device = |n: usize| format!("[[partition.device]]\nname='d'\naddress=0x0A00_{n}000\n");
    let error = parsed(&format!("{LEAST}{}", many(5, &device))).unwrap_err();
    assert!(error.to_string().contains("5 devices"), "{error}");
    assert!(parsed("").unwrap_err().to_string().contains("no partition"));
}

fn with_policy(policy: &str, partitions: &str) -> String {
    format!("[machine]\ncpus=2\n[[pool]]\nname='p'\ncpus='0-1'\n{policy}{partitions}")
}

#[test]
fn more_bandwidth_than_there_is_is_refused_unless_forced() {
    let server = |budget: u32| {
        format!("[[partition.vcpu]]\nperiod='10 ms'\nbudget='{budget} ms'\nhard-affinity=0\n")
    };
    for policy in ["policy='rtds'\n", "policy='sedf'\n"] {
        let fits = with_policy(policy, &format!("{LEAST}{}{}", server(4), server(6)));
        assert_eq!(checked(&fits), Ok(Vec::new()), "{policy}");
        let text = with_policy(policy, &format!("{LEAST}{}{}", server(4), server(7)));
        let error = checked(&text).unwrap_err();
        assert_eq!(error.line, Some(15), "{error}");
        assert!(
            error.cause.contains("VCPU 1 of a is not admitted by the"),
            "{error}"
        );
        assert!(
            error.hint.contains("force = true, or --force"),
            "{}",
            error.hint
        );
        let forced = format!("force = true\n{text}");
        let remarks = checked(&forced).unwrap();
        assert!(remarks[0].contains("not admitted"), "{remarks:?}");
    }
}

#[test]
fn a_partition_that_never_runs_is_refused_even_when_forced() {
    let text = with_policy("policy='null'\n", &format!("force=true\n{LEAST}vcpus=3\n"));
    // `force` is in the pool there.
    assert!(checked(&text).unwrap_err().cause.contains("no key `force`"));
    let text = format!(
        "force=true\n{}",
        with_policy("policy='null'\n", &format!("{LEAST}vcpus=3\n"))
    );
    let error = checked(&text).unwrap_err();
    assert!(
        error.cause.contains("VCPU 2 of a never runs: under null"),
        "{error}"
    );
    assert!(error.hint.contains("more processors"), "{}", error.hint);
    let pinned = "[[partition.vcpu]]\nhard-affinity=1\n[[partition.vcpu]]\nhard-affinity=1\n";
    let text = with_policy("policy='null'\n", &format!("{LEAST}{pinned}"));
    assert!(
        checked(&text)
            .unwrap_err()
            .cause
            .contains("none of 1 is left")
    );
    let windows =
        "policy='arinc653'\nframe='10 ms'\n[[pool.window]]\npartition='a'\nruntime='5 ms'\n";
    let text = with_policy(windows, &format!("{LEAST}vcpus=2\n"));
    let error = checked(&text).unwrap_err();
    assert!(
        error
            .cause
            .contains("VCPU 1 of a never runs: the pool p has no window"),
        "{error}"
    );
    assert!(error.hint.contains("vcpu = 1"), "{}", error.hint);
    assert_eq!(checked(&with_policy(windows, LEAST)), Ok(Vec::new()));
}

#[test]
fn tables_of_windows_are_checked() {
    let windows = |words: &str| {
        let policy = format!("policy='arinc653'\nframe='10 ms'\n[[pool.window]]\n{words}\n");
        parsed(&with_policy(&policy, LEAST)).unwrap_err()
    };
    let unknown = windows("partition='b'\nruntime='1 ms'");
    assert_eq!(unknown.line, Some(9), "{unknown}");
    assert!(
        unknown.cause.contains("`b`, which is no partition"),
        "{unknown}"
    );
    assert!(
        windows("partition='a'\nruntime='11 ms'")
            .cause
            .contains("shorter than its windows")
    );
    assert!(
        windows("partition='a'\nvcpu=1\nruntime='1 ms'")
            .cause
            .contains("VCPU 1 of a, which has 1")
    );
    assert!(windows("partition='a'").cause.contains("no `runtime`"));
    let none = parsed(&with_policy("policy='arinc653'\nframe='10 ms'\n", LEAST)).unwrap_err();
    assert!(none.cause.contains("has 0 windows"), "{none}");
    let other =
        "policy='arinc653'\nframe='10 ms'\n[[pool.window]]\npartition='a'\nruntime='1 ms'\n";
    let text = with_policy(other, LEAST).replace("cpus='0-1'", "cpus=0");
    let second = "[[pool]]\nname='q'\ncpus=1\npolicy='null'\n[[partition]]";
    let text = text.replacen("[[partition]]", second, 1) + "pool='q'\n";
    let error = parsed(&text).unwrap_err();
    assert!(error.cause.contains("in another pool"), "{error}");
}

#[test]
fn names_are_names() {
    let taken = ["a", "A.b-c_9", "0", &"x".repeat(16)];
    let refused = [
        "",
        " ",
        "a b",
        "/elsewhere/z",
        "../../q",
        "..",
        ".hidden",
        "-option",
        "_",
        "a/b",
        "a\\b",
        "a:b",
        "a,b",
        "a=b",
        "a\\u001b[2J",
        "a\\nb",
        "\\u009b",
        "\\u00e9",
        "\\u202e",
        "taktos",
        &"x".repeat(33),
    ];
    let with = |table: &str, name: &str| {
        let name = format!("\"{name}\"");
        match table {
            "partition" => LEAST.replace("'a'", &name),
            "pool" => {
                format!("[[pool]]\nname={name}\ncpus=0\npolicy='credit2'\n{LEAST}")
            }
            _ => {
                let other = LEAST.replace("'a'", "'b'");
                format!("{LEAST}{other}[[channel]]\nname={name}\nbetween=['a','b']\n")
            }
        }
    };
    for table in ["partition", "pool", "channel"] {
        for name in taken {
            assert!(parsed(&with(table, name)).is_ok(), "{table} {name}");
        }
        for name in refused
            .iter()
            .filter(|name| table == "partition" || **name != "taktos")
        {
            let error = parsed(&with(table, name)).unwrap_err();
            assert!(
                error.line.is_some() && !error.hint.is_empty(),
                "{table} {name}: {error}"
            );
        }
    }
}

#[test]
fn a_device_has_no_interrupt_of_the_hypervisors_own() {
    for interrupt in 32..64 {
        let device = format!("name='d'\naddress=0x0901_0000\ninterrupt={interrupt}\n");
        let text = format!("{LEAST}[[partition.device]]\n{device}");
        let is_own = interrupt == 33 || (48..56).contains(&interrupt);
        let refused = checked(&text).map_err(|error| error.to_string());
        assert_eq!(
            refused
                .as_ref()
                .is_err_and(|said| said.contains("the console's or a channel's")),
            is_own,
            "{interrupt}: {refused:?}"
        );
    }
}

#[test]
fn a_device_that_may_master_the_bus_is_refused_unless_its_guest_is_trusted() {
    let with = |words: &str| format!("{LEAST}[[partition.device]]\nname='d'\n{words}\n");
    // The clock, the pins, flash; and no page more.
    for known in ["0x0901_0000", "0x0903_0000", "0x0000_0000", "0x07FF_F000"] {
        assert_eq!(checked(&with(&format!("address={known}"))), Ok(Vec::new()));
    }
    let masters = [
        // fw_cfg, virtio, the platform bus, PCIe's windows and ECAM, an unknown place, and ranges
        // that reach them.
        "address=0x0902_0000",
        "address=0x0A00_0000",
        "address=0x0C00_0000",
        "address=0x1000_0000",
        "address=0x3F00_0000",
        "address=0x0905_0000",
        "address=0x0901_0000\nsize='8 KiB'",
        "address=0x07FF_F000\nsize='8 KiB'",
        "address=0x0902_0000\ncompatible='arm,pl031'",
    ];
    for master in masters {
        for force in ["", "force=true\n"] {
            let error = checked(&format!("{force}{}", with(master))).unwrap_err();
            let whole = error.to_string();
            let places = ["memory by itself", "the hypervisor has"];
            assert!(places.iter().any(|words| whole.contains(words)), "{whole}");
            assert!(error.line.is_some());
        }
    }
    let trusted = with("address=0x0902_0000\ntrusted-dma=true");
    let remarks = checked(&trusted).unwrap();
    assert!(
        remarks[0].contains("trusted with the whole machine"),
        "{remarks:?}"
    );
    let shown = parsed(&trusted).unwrap().shown();
    assert!(
        shown.contains("device d of a: it may reach all memory"),
        "{shown}"
    );
    let refused = checked(&with("address=0x0902_0000\ntrusted-dma=false"));
    assert!(refused.unwrap_err().hint.contains("trusted-dma = true"));
}

#[test]
fn it_is_said_whose_processors_a_device_may_interrupt() {
    let other = LEAST.replace("'a'", "'b'");
    let with = |head: &str, words: &str, other: &str| {
        let device = "[[partition.device]]\nname='d'\naddress=0x0901_0000\n";
        checked(&format!("{head}{LEAST}{device}{words}{other}")).unwrap()
    };
    let interrupt = "interrupt=34\n";
    let [said] = &with("", interrupt, &other)[..] else {
        panic!("one remark");
    };
    assert!(
        said.contains("device d come to processors 0, which VCPU 0 of b may use"),
        "{said}"
    );
    assert_eq!(with("", "", &other), [""; 0]);
    assert_eq!(with("", interrupt, ""), [""; 0]);
    let two = "[machine]\ncpus=2\n[[pool]]\nname='p'\ncpus='0-1'\npolicy='credit2'\n";
    let pinned = |at| {
        format!(
            "{}[[partition.vcpu]]\nhard-affinity={at}\n",
            LEAST.replace("'a'", "'b'")
        )
    };
    let own = "interrupt=34\n[[partition.vcpu]]\nhard-affinity=1\n";
    assert_eq!(with(two, own, &pinned(0)), [""; 0]);
    assert_eq!(with(two, own, &pinned(1)).len(), 1);
}

#[test]
fn a_native_wait_on_a_shared_processor_is_refused() {
    let other = LEAST.replace("'a'", "'b'");
    let text = format!("{LEAST}wait='native'\n{other}");
    let error = checked(&text).unwrap_err();
    assert_eq!(error.line, Some(1), "{error}");
    assert!(
        error.cause.contains("partition a waits natively"),
        "{error}"
    );
    assert!(checked(&format!("force=true\n{text}")).unwrap()[0].ends_with("forced"));
}

#[test]
fn what_has_no_effect_is_remarked() {
    let server = "weight=5\n[[partition.vcpu]]\nperiod='1 ms'\nweight=3\n";
    let said = |policy: &str, words: &str| {
        checked(&with_policy(policy, &format!("{LEAST}{words}"))).unwrap()
    };
    let server = server.replace("period='1 ms'\n", "");
    let remarks = said("policy='rtds'\n", &server);
    assert_eq!(remarks.len(), 2, "{remarks:?}");
    assert!(remarks[1].contains("weight and cap have no effect under rtds"));
    let remarks = said("policy='credit2'\n", "[[partition.vcpu]]\nperiod='1 ms'\n");
    assert!(
        remarks[0].contains("no effect under credit2"),
        "{remarks:?}"
    );
    let empty = format!(
        "[machine]\ncpus=2\n[[pool]]\nname='p'\ncpus=0\npolicy='null'\n[[pool]]\nname='q'\ncpus=1\npolicy='null'\n{LEAST}pool='p'\n"
    );
    assert_eq!(checked(&empty).unwrap(), ["nobody is in the pool q"]);
}

#[test]
fn a_file_that_is_not_there_is_told() {
    let error = Configuration::read(Path::new("no/such.toml")).unwrap_err();
    assert!(
        error.to_string().contains("no/such.toml: cannot be read"),
        "{error}"
    );
    let text = LEAST.to_owned() + "device-tree = 'no.toml'\n";
    let error = parsed(&text).unwrap_err();
    assert_eq!(error.line, Some(5));
    assert!(
        error.cause.contains("near/no.toml, which cannot be read"),
        "{error}"
    );
}
