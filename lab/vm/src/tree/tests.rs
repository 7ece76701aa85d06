//! A guest's tree, read back by another's reader: the parts that Linux and the project's guests
//! read.

use dtoolkit::fdt::Fdt;
use dtoolkit::{Node as _, Property as _};
use taktos_abi::vm::Linkage;

use super::*;
use crate::configuration::{Device, Processor};

fn machine<'a>(additions: &'a Node, devices: &'a [Device]) -> Machine<'a> {
    let link = |number, name, linkage, end| Link {
        number,
        name,
        linkage,
        bytes: 8192,
        end,
    };
    Machine {
        vcpus: 2,
        processor: Processor::CortexA57,
        memory: 128 << 20,
        console: true,
        arguments: "console=ttyAMA0 quiet",
        initrd: Some((0x4300_0000, 0x4340_0000)),
        seed: 1,
        devices,
        channels: vec![
            link(1, "orders", Linkage::Uart, 0),
            link(3, "pictures", Linkage::Memory, 1),
        ],
        additions,
    }
}

fn bytes(tree: &Fdt<'_>, node: &str, property: &str) -> Vec<u8> {
    let node = tree.find_node(node).expect(node);
    node.property(property).expect(property).value().to_vec()
}

fn cells(tree: &Fdt<'_>, node: &str, property: &str) -> Vec<u32> {
    let bytes = bytes(tree, node, property);
    let cell = |cell: &[u8]| u32::from_be_bytes(cell.try_into().expect("four bytes"));
    bytes.chunks_exact(4).map(cell).collect()
}

fn text(tree: &Fdt<'_>, node: &str, property: &str) -> String {
    let bytes = bytes(tree, node, property);
    String::from_utf8(bytes).expect("a text").replace('\0', ";")
}

#[test]
fn a_guest_finds_the_boards_devices() {
    let none = Node::default();
    let flat = tree(&machine(&none, &[])).flattened();
    let tree = Fdt::new(&flat).unwrap();
    assert_eq!(
        cells(&tree, "/memory@40000000", "reg"),
        [0, 0x4000_0000, 0, 128 << 20]
    );
    assert_eq!(text(&tree, "/chosen", "bootargs"), "console=ttyAMA0 quiet;");
    assert_eq!(text(&tree, "/chosen", "stdout-path"), "serial0:115200n8;");
    assert_eq!(
        cells(&tree, "/chosen", "linux,initrd-start"),
        [0, 0x4300_0000]
    );
    assert_eq!(
        cells(&tree, "/chosen", "linux,initrd-end"),
        [0, 0x4340_0000]
    );
    assert_eq!(bytes(&tree, "/chosen", "rng-seed").len(), 64);
    assert_eq!(text(&tree, "/cpus/cpu@1", "compatible"), "arm,cortex-a57;");
    assert_eq!(text(&tree, "/cpus/cpu@1", "enable-method"), "psci;");
    assert!(tree.find_node("/cpus/cpu@2").is_none());
    assert_eq!(text(&tree, "/psci", "method"), "hvc;");
    let interrupts = cells(&tree, "/timer", "interrupts");
    assert_eq!(interrupts, [1, 13, 4, 1, 14, 4, 1, 11, 4, 1, 10, 4]);
    // Two redistributors, of two frames each.
    let reg = cells(&tree, "/intc@8000000", "reg");
    assert_eq!(
        reg,
        [0, 0x0800_0000, 0, 0x1_0000, 0, 0x080A_0000, 0, 0x4_0000]
    );
    assert_eq!(
        text(&tree, "/pl011@9000000", "compatible"),
        "arm,pl011;arm,primecell;"
    );
    assert_eq!(cells(&tree, "/pl011@9000000", "interrupts"), [0, 1, 4]);
    let clock = cells(&tree, "/apb-pclk", "phandle")[0];
    assert_eq!(cells(&tree, "/pl011@9000000", "clocks"), [clock, clock]);
    assert_eq!(cells(&tree, "/apb-pclk", "clock-frequency"), [24_000_000]);
    let controller = cells(&tree, "/intc@8000000", "phandle");
    assert_eq!(cells(&tree, "/", "interrupt-parent"), controller);
}

#[test]
fn channels_are_serial_lines_or_memory() {
    let none = Node::default();
    let flat = tree(&machine(&none, &[])).flattened();
    let tree = Fdt::new(&flat).unwrap();
    assert_eq!(text(&tree, "/aliases", "serial0"), "/pl011@9000000;");
    assert_eq!(text(&tree, "/aliases", "serial1"), "/pl011@9041000;");
    assert_eq!(cells(&tree, "/pl011@9041000", "interrupts"), [0, 17, 4]);
    let memory = "/channel@b030000";
    assert_eq!(text(&tree, memory, "compatible"), "taktos,channel;");
    assert_eq!(cells(&tree, memory, "reg"), [0, 0x0B03_0000, 0, 8192]);
    assert_eq!(cells(&tree, memory, "interrupts"), [0, 19, 1]);
    assert_eq!(cells(&tree, memory, "taktos,channel"), [3]);
    assert_eq!(cells(&tree, memory, "taktos,end"), [1]);
}

#[test]
fn without_a_console_the_first_line_is_no_channels() {
    let none = Node::default();
    let mut own = machine(&none, &[]);
    own.console = false;
    own.initrd = None;
    let flat = tree(&own).flattened();
    let tree = Fdt::new(&flat).unwrap();
    assert!(tree.find_node("/pl011@9000000").is_none());
    let chosen = tree.find_node("/chosen").unwrap();
    assert!(chosen.property("stdout-path").is_none());
    assert!(chosen.property("linux,initrd-start").is_none());
    assert_eq!(text(&tree, "/aliases", "serial1"), "/pl011@9041000;");
}

#[test]
fn devices_and_additions_are_there() {
    let rtc = Device {
        name: "rtc".into(),
        address: 0x0901_0000,
        size: 0x1000,
        trusted_dma: false,
        interrupt: Some(34),
        compatible: vec!["arm,pl031".into(), "arm,primecell".into()],
        line: None,
    };
    let words = "model = 'mine'\nempty = true\nhigh = [0xFFFF_FFFF, 1]\n\
                 [chosen]\nbootargs = 'other'\n[soc.\"x@1\"]\nlist = ['a', 'b']\n";
    let additions = additions_of(words, "x.toml").unwrap();
    let devices = [rtc];
    let flat = tree(&machine(&additions, &devices)).flattened();
    let tree = Fdt::new(&flat).unwrap();
    assert_eq!(
        cells(&tree, "/rtc@9010000", "reg"),
        [0, 0x0901_0000, 0, 0x1000]
    );
    assert_eq!(cells(&tree, "/rtc@9010000", "interrupts"), [0, 2, 4]);
    assert_eq!(text(&tree, "/rtc@9010000", "clock-names"), "apb_pclk;");
    assert_eq!(text(&tree, "/", "model"), "mine;");
    assert!(bytes(&tree, "/", "empty").is_empty());
    assert_eq!(cells(&tree, "/", "high"), [u32::MAX, 1]);
    assert_eq!(text(&tree, "/chosen", "bootargs"), "other;");
    assert_eq!(bytes(&tree, "/chosen", "rng-seed").len(), 64);
    assert_eq!(text(&tree, "/soc/x@1", "list"), "a;b;");
}

#[test]
fn the_same_machine_has_the_same_bytes_and_another_seed_others() {
    let none = Node::default();
    let mut own = machine(&none, &[]);
    let first = tree(&own);
    assert_eq!(first.flattened(), tree(&own).flattened());
    // SplitMix64 from 1, as its authors' program gives it.
    let Some((_, Value::Bytes(seed))) = first.children[0]
        .1
        .properties
        .iter()
        .find(|(name, _)| name == "rng-seed")
    else {
        panic!("no seed");
    };
    assert_eq!(seed[..8], 0x910A_2DEC_8902_5CC1u64.to_be_bytes());
    own.seed = 2;
    assert_ne!(first.flattened(), tree(&own).flattened());
}

#[test]
fn a_tree_is_shown_as_its_source() {
    let none = Node::default();
    let shown = tree(&machine(&none, &[])).shown();
    for words in ["/dts-v1/", "psci {", "method = \"hvc\"", "cpu@1 {"] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
}

#[test]
fn names_are_those_of_the_specification() {
    for name in ["rtc", "pl011@9000000", "a,b.c_d+e-f@1,2"] {
        assert!(is_name(name), "{name}");
    }
    for name in ["", "@1", "1a", "a b", "a@", "a@b@c", "a/b", &"x".repeat(32)] {
        assert!(!is_name(name), "{name}");
    }
}
