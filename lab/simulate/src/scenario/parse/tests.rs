//! Input that the grammar accepts, and the errors for other input.

use taktos_schedule::CpuSet;
use taktos_schedule::smp::PolicyKind;

use super::parse;
use crate::scenario::script::{Action, Expectation, Occupant};
use crate::scenario::{Case, Command, Fault, InstanceName, Status, ThreadName};

/// The only case of a script with two processors.
fn case(lines: &str) -> Case {
    let text = format!("processors 2\npolicies edf\ncase one: a title\n{lines}\n");
    let mut cases = parse(&text, "a.scenario").unwrap().cases;
    assert_eq!(cases.len(), 1);
    cases.remove(0)
}

/// The fault in the last of these lines.
fn fault(lines: &str) -> Fault {
    let text = format!("processors 2\npolicies edf\ncase one:\n{lines}");
    let fault = parse(&text, "a.scenario").unwrap_err();
    assert_eq!(fault.line, text.lines().count(), "{fault}");
    fault
}

#[test]
fn lines_before_the_first_case_belong_to_every_case() {
    let text = "processors 2 # both\npolicies edf simple\nthread A priority 1\n\
                case one: first\nstart A\ncase two\npolicies priority\nstart A\nexpect 0: A\n";
    let script = parse(text, "a.scenario").unwrap();
    let [one, two] = &script.cases[..] else {
        panic!("two cases");
    };
    assert_eq!((one.name.as_str(), one.title.as_str()), ("one", "first"));
    assert_eq!(one.policies, [PolicyKind::Edf, PolicyKind::Simple]);
    assert_eq!(two.policies, [PolicyKind::Priority]);
    let lines: Vec<usize> = two.steps.iter().map(|step| step.line).collect();
    assert_eq!(lines, [3, 8, 9]);
    assert_eq!(one.setup.instances[0].cpus, CpuSet::first(2));
}

/// Every form of a command, as [`Command::line`] writes it.
const COMMANDS: [&str; 49] = [
    "thread B in all priority 7",
    "thread B in all priority 7 affinity 0",
    "start A",
    "restart A",
    "delete A",
    "block A",
    "wake A",
    "sleep A 5ms",
    "suspend A",
    "resume A",
    "yield A",
    "priority A 4",
    "release A in 5ms",
    "release A at 20ms",
    "cancel A",
    "affinity A 0-1",
    "affinity A all",
    "affinity A none",
    "pin A",
    "unpin A",
    "move A to all priority 3",
    "add 1 to all",
    "remove 99 from all",
    "server A budget 2ms period 10ms",
    "server A budget 2ms period 10ms hard",
    "mutex N plain by A",
    "mutex N inheritance by A",
    "mutex N ceiling 3 by A",
    "mutex N mrsp 3 by A",
    "mutex N mrsp 3 by A locked",
    "ceiling M in all 3",
    "lock M by A",
    "lock M by A for 5ms",
    "try M by A",
    "unlock M by A",
    "timeout A",
    "flush M",
    "destroy M",
    "identify NOPE",
    "which 99",
    "which-of 0-1",
    "hold 0",
    "hold all",
    "settle all",
    "dispatch 1",
    "act on 1",
    "advance 5ms",
    "advance to 1s",
    "advance 1001ns",
];

#[test]
fn commands_are_written_as_they_are_read() {
    let before = "thread A priority 1\nmutex M plain by A\n";
    for line in COMMANDS {
        let case = case(&format!("{before}{line}"));
        let Action::Do(command) = &case.steps[2].action else {
            panic!("{line} is a command");
        };
        assert_eq!(command.line(&case.names).to_string(), line);
    }
}

#[test]
fn several_threads_make_several_steps_of_a_line() {
    let case = case("thread A priority 1 started\nthread B priority 2\nblock A B");
    let actions: Vec<&Action> = case.steps.iter().map(|step| &step.action).collect();
    assert_eq!(*actions[1], Action::Do(Command::Start(ThreadName(0))));
    assert_eq!(*actions[4], Action::Do(Command::Block(ThreadName(1))));
    assert_eq!(case.steps[4].line, 6);
}

#[test]
fn expectations_and_refusals_are_read() {
    let case = case(
        "thread A priority 1\nunder edf cbs: expect 0: A -> idle for A, 1: nobody\n\
         refused invalid-name: identify X\nexpect ready: none\nrepeat 3\nyield A\nend",
    );
    assert_eq!(case.steps[1].under, [PolicyKind::Edf, PolicyKind::Cbs]);
    let Action::Expect(Expectation::Cpus(cpus)) = &case.steps[1].action else {
        panic!("about processors");
    };
    let a = ThreadName(0);
    assert_eq!(cpus[0].1.executing, Occupant::Thread(a));
    assert_eq!(cpus[0].1.heir, Occupant::Idle(Some(a)));
    assert_eq!(cpus[1].1.heir, Occupant::Nobody);
    let refused = Action::Refused(Status::InvalidName, Command::Identify("X".to_owned()));
    assert_eq!(case.steps[2].action, refused);
    let ready = Action::Expect(Expectation::Ready(InstanceName(0), Vec::new()));
    assert_eq!(case.steps[3].action, ready);
    assert!(matches!(&case.steps[4].action, Action::Repeat(3, steps) if steps.len() == 1));
}

#[test]
fn a_fault_names_the_line_the_cause_and_the_mend() {
    let table = [
        (
            "supsend A",
            "no command `supsend`",
            "did you mean `suspend`?",
        ),
        ("thread A", "`priority` is missing at the end", "`priority`"),
        ("thread A priority 1\nstart a", "no thread `a`", "`A`"),
        ("thread A priority x", "`x` is no number", "0 to 4294967295"),
        (
            "thread idle priority 1",
            "cannot be the name of a thread",
            "letter",
        ),
        ("thread A priority 1\nsleep A 5", "`5` is no time", "5ms"),
        (
            "thread A priority 1 affinity 0-64",
            "no set of processors",
            "0,2-3",
        ),
        ("thread A priority 1\nstart A B", "no thread `B`", "A"),
        (
            "thread A priority 1\nmutex M mrps 3 by A",
            "no protocol `mrps`",
            "`mrsp`",
        ),
        (
            "thread A priority 1\nmutex A plain by A",
            "a thread already",
            "another name",
        ),
        (
            "refused invalid: identify X",
            "no status `invalid`",
            "known: ",
        ),
        ("expect redy: none", "no expectation `redy`", "`ready`"),
        (
            "advance 1ms\nprocessors 2",
            "behind the first step",
            "come first",
        ),
        ("end", "closes nothing", "repeat N"),
        ("repeat 2", "has no `end`", "`end`"),
        ("and", "parts nothing", "together"),
        ("storm 10", "`seed` is missing", "`seed`"),
        (
            "storm 10 seed 1 threads 2 with lcoks",
            "no kind of command `lcoks`",
            "`locks`",
        ),
        ("policies edd", "no policy `edd`", "`edf`"),
        (
            "instance A edf cpus 0\ninstance B edf cpus 0-1",
            "processor 0",
            "one instance",
        ),
        ("instance A edf cpus 4", "no processor 4", "there are 0-1"),
        ("instance LONGER edf cpus 0", "cannot name", "four letters"),
        ("advance 1ms 2ms", "more than the line can take", "new line"),
    ];
    for (lines, cause, hint) in table {
        let fault = fault(lines);
        assert!(fault.cause.contains(cause), "{lines}: {fault}");
        assert!(fault.hint.contains(hint), "{lines}: {}", fault.hint);
        assert!(fault.to_string().starts_with("a.scenario:"), "{fault}");
    }
}

#[test]
fn several_instances_must_be_told_apart() {
    let two = "instance A edf cpus 0\ninstance B edf cpus 1\n";
    let fault = fault(&format!("{two}thread X priority 1"));
    assert!(fault.hint.contains("A, B"), "{}", fault.hint);
}

#[test]
fn a_case_says_for_which_policies_it_holds() {
    let text = "processors 1\ncase one:\nadvance 1ms\n";
    let fault = parse(text, "a.scenario").unwrap_err();
    assert!(fault.cause.contains("which policies"), "{fault}");
    let text = "processors 1\ninstance A edf cpus 0\ncase one:\nadvance 1ms\n";
    assert!(
        parse(text, "a.scenario").unwrap().cases[0]
            .policies
            .is_empty()
    );
}

#[test]
fn a_script_has_cases_each_with_its_own_name_and_steps() {
    for (text, cause) in [
        ("processors 1\n", "no case"),
        ("case a b: c\n", "cannot name a case"),
        (
            "processors 1\npolicies edf\ncase a:\nadvance 1ms\ncase a:\n",
            "already",
        ),
        ("processors 1\npolicies edf\ncase a:\n", "nothing happens"),
        (
            "policies edf\ncase a:\nadvance 1ms\n",
            "before the processors",
        ),
    ] {
        let fault = parse(text, "a.scenario").unwrap_err();
        assert!(fault.cause.contains(cause), "{text}: {fault}");
    }
}
