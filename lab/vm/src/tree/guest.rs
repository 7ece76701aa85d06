//! Owns: the tree of a guest's machine.
//! Must never know: the places in the machine itself.

use taktos_abi::vm::{Linkage, layout};

use super::{Node, Value};
use crate::configuration::{Device, Processor};

/// The interrupt controller's handle, to which interrupts are sent.
const CONTROLLER: u32 = 1;
/// The clock's handle, by which UARTs get their rate.
const CLOCK: u32 = 2;
/// The UARTs' clock, in hertz: the board's.
const RATE: u32 = 24_000_000;

/// Kinds of interrupt specifiers (Linux: bindings of `arm,gic-v3`).
const SHARED: u32 = 0;
const PRIVATE: u32 = 1;
const LEVEL_HIGH: u32 = 4;
/// The first shared interrupt and the first private one.
const FIRST_SHARED: u32 = 32;
const FIRST_PRIVATE: u32 = 16;

/// A guest's machine.
pub(crate) struct Machine<'a> {
    pub vcpus: usize,
    pub processor: Processor,
    pub memory: u64,
    pub console: bool,
    pub arguments: &'a str,
    /// Place of a file system: from, to.
    pub initrd: Option<(u64, u64)>,
    pub seed: u64,
    pub devices: &'a [Device],
    pub channels: Vec<Link<'a>>,
    pub additions: &'a Node,
}

/// A channel as the guest has it.
pub(crate) struct Link<'a> {
    /// Its number in the machine.
    pub number: usize,
    pub name: &'a str,
    pub linkage: Linkage,
    pub bytes: u64,
    /// Which end this is: 0 or 1.
    pub end: u32,
}

/// The tree.
pub(crate) fn tree(machine: &Machine<'_>) -> Node {
    let mut root = Node::default()
        .with("#address-cells", cells(&[2]))
        .with("#size-cells", cells(&[2]))
        .with("compatible", Value::text("linux,dummy-virt"))
        .with("model", Value::text("taktos,guest"))
        .with("interrupt-parent", cells(&[CONTROLLER]));
    chosen(root.child("chosen"), machine);
    aliases(root.child("aliases"), machine);
    cpus(root.child("cpus"), machine);
    let psci = root.child("psci");
    psci.set("compatible", texts(&["arm,psci-1.0", "arm,psci-0.2"]));
    psci.set("method", Value::text("hvc"));
    let memory = root.child(&format!("memory@{:x}", layout::MEMORY));
    memory.set("device_type", Value::text("memory"));
    memory.set("reg", Value::wide(&[layout::MEMORY, machine.memory]));
    controller(&mut root, machine.vcpus);
    timer(root.child("timer"));
    clock(root.child("apb-pclk"));
    if machine.console {
        uart(&mut root, layout::CONSOLE, layout::CONSOLE_INTERRUPT);
    }
    for link in &machine.channels {
        channel(&mut root, link);
    }
    for own in machine.devices {
        device(&mut root, own);
    }
    root.merge(machine.additions);
    root
}

fn cells(cells: &[u32]) -> Value {
    Value::Cells(cells.to_vec())
}

fn texts(texts: &[&str]) -> Value {
    Value::Texts(texts.iter().map(|text| (*text).to_owned()).collect())
}

/// The address of channel `number`'s UART.
fn uart_of(number: usize) -> u64 {
    layout::CHANNEL_UART + number as u64 * layout::CHANNEL_UART_STRIDE
}

fn chosen(node: &mut Node, machine: &Machine<'_>) {
    node.set("bootargs", Value::text(machine.arguments));
    if machine.console {
        node.set("stdout-path", Value::text("serial0:115200n8"));
    }
    if let Some((from, to)) = machine.initrd {
        node.set("linux,initrd-start", Value::wide(&[from]));
        node.set("linux,initrd-end", Value::wide(&[to]));
    }
    node.set("rng-seed", Value::Bytes(seed(machine.seed)));
}

/// 64 bytes: the same for each guest of a machine.
fn seed(seed: u64) -> Vec<u8> {
    let words = (1..=8).map(|step: u64| scrambled(seed, step));
    words.flat_map(u64::to_be_bytes).collect()
}

/// The step of SplitMix64 (Steele, Lea and Flood, 2014) by its number.
fn scrambled(seed: u64, step: u64) -> u64 {
    let mut word = seed.wrapping_add(step.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// The console is the first serial line, the channels' UARTs come after it.
fn aliases(node: &mut Node, machine: &Machine<'_>) {
    let console = machine.console.then_some(layout::CONSOLE);
    let uarts = machine.channels.iter();
    let uarts = uarts.filter(|link| link.linkage == Linkage::Uart);
    let first = usize::from(!machine.console);
    let all = console
        .into_iter()
        .chain(uarts.map(|link| uart_of(link.number)));
    for (number, at) in all.enumerate() {
        node.set(
            &format!("serial{}", number + first),
            Value::text(&format!("/pl011@{at:x}")),
        );
    }
}

fn cpus(node: &mut Node, machine: &Machine<'_>) {
    node.set("#address-cells", cells(&[1]));
    node.set("#size-cells", cells(&[0]));
    for number in 0..machine.vcpus as u32 {
        let cpu = node.child(&format!("cpu@{number:x}"));
        cpu.set("device_type", Value::text("cpu"));
        let compatible = format!("arm,{}", machine.processor.name());
        cpu.set("compatible", Value::text(&compatible));
        cpu.set("reg", cells(&[number]));
        cpu.set("enable-method", Value::text("psci"));
    }
}

fn controller(root: &mut Node, vcpus: usize) {
    let node = root.child(&format!("intc@{:x}", layout::DISTRIBUTOR));
    node.set("compatible", Value::text("arm,gic-v3"));
    node.set("#interrupt-cells", cells(&[3]));
    node.set("#address-cells", cells(&[2]));
    node.set("#size-cells", cells(&[2]));
    node.set("interrupt-controller", Value::Empty);
    node.set("#redistributor-regions", cells(&[1]));
    let redistributors = vcpus as u64 * layout::REDISTRIBUTOR_STRIDE;
    let reg = [
        layout::DISTRIBUTOR,
        0x1_0000,
        layout::REDISTRIBUTOR,
        redistributors,
    ];
    node.set("reg", Value::wide(&reg));
    node.set("phandle", cells(&[CONTROLLER]));
}

/// The four timers of a processor: secure, physical, virtual, the hypervisor's. A guest uses
/// the virtual one.
fn timer(node: &mut Node) {
    node.set("compatible", Value::text("arm,armv8-timer"));
    node.set("always-on", Value::Empty);
    let interrupts = [
        29,
        layout::PHYSICAL_TIMER_INTERRUPT,
        layout::TIMER_INTERRUPT,
        layout::HYPERVISOR_TIMER_INTERRUPT,
    ];
    let specifiers = interrupts.into_iter();
    let specifiers = specifiers.flat_map(|number| [PRIVATE, number - FIRST_PRIVATE, LEVEL_HIGH]);
    node.set("interrupts", Value::Cells(specifiers.collect()));
}

fn clock(node: &mut Node) {
    node.set("compatible", Value::text("fixed-clock"));
    node.set("#clock-cells", cells(&[0]));
    node.set("clock-frequency", cells(&[RATE]));
    node.set("clock-output-names", Value::text("clk24mhz"));
    node.set("phandle", cells(&[CLOCK]));
}

fn shared(interrupt: u32) -> Value {
    cells(&[SHARED, interrupt - FIRST_SHARED, LEVEL_HIGH])
}

fn uart(root: &mut Node, at: u64, interrupt: u32) {
    let node = root.child(&format!("pl011@{at:x}"));
    node.set("compatible", texts(&["arm,pl011", "arm,primecell"]));
    node.set("reg", Value::wide(&[at, 0x1000]));
    node.set("interrupts", shared(interrupt));
    node.set("clocks", cells(&[CLOCK, CLOCK]));
    node.set("clock-names", texts(&["uartclk", "apb_pclk"]));
}

fn channel(root: &mut Node, link: &Link<'_>) {
    let number = link.number as u64;
    let interrupt = layout::CHANNEL_INTERRUPT + link.number as u32;
    if link.linkage == Linkage::Uart {
        uart(root, uart_of(link.number), interrupt);
        let node = root.child(&format!("pl011@{:x}", uart_of(link.number)));
        node.set("label", Value::text(link.name));
        return;
    }
    let at = layout::CHANNEL_MEMORY + number * layout::CHANNEL_MEMORY_STRIDE;
    let node = root.child(&format!("channel@{at:x}"));
    node.set("compatible", Value::text("taktos,channel"));
    node.set("reg", Value::wide(&[at, link.bytes]));
    node.set("interrupts", cells(&[SHARED, interrupt - FIRST_SHARED, 1]));
    node.set("label", Value::text(link.name));
    node.set("taktos,channel", cells(&[link.number as u32]));
    node.set("taktos,end", cells(&[link.end]));
}

fn device(root: &mut Node, device: &Device) {
    let node = root.child(&format!("{}@{:x}", device.name, device.address));
    if !device.compatible.is_empty() {
        node.set("compatible", Value::Texts(device.compatible.clone()));
    }
    node.set("reg", Value::wide(&[device.address, device.size]));
    if let Some(interrupt) = device.interrupt {
        node.set("interrupts", shared(interrupt));
    }
    // Linux takes a PrimeCell on its bus only with this clock.
    if device.compatible.iter().any(|name| name == "arm,primecell") {
        node.set("clocks", cells(&[CLOCK]));
        node.set("clock-names", Value::text("apb_pclk"));
    }
}
