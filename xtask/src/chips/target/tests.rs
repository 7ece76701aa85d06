//! Descriptions of the forms that the families have, each with the memory that a program gets.

use super::*;

/// A description of one chip with these cores and regions.
fn described(name: &str, cores: &[(&str, &str)], regions: &[&str]) -> Target {
    let cores: String = cores
        .iter()
        .map(|(name, kind)| format!("  - name: {name}\n    type: {kind}\n"))
        .collect();
    let regions: String = regions
        .iter()
        .map(|region| format!("  - {region}\n"))
        .collect();
    let text = format!("variants:\n- name: {name}\n  cores:\n{cores}  memory_map:\n{regions}");
    let mut all = family(&text).unwrap();
    assert_eq!(all.len(), 1);
    all.remove(0)
}

/// A region, as a flow of YAML.
fn region(tag: &str, name: &str, range: Range<u64>, more: &str) -> String {
    let Range { start, end } = range;
    format!(
        "!{tag} {{name: {name}, range: {{start: {start:#x}, end: {end:#x}}}, cores: [main]{more}}}"
    )
}

fn flash(range: Range<u64>) -> String {
    region("Nvm", "F", range, ", access: {boot: true}")
}

fn ram(range: Range<u64>) -> String {
    region("Ram", "R", range, "")
}

fn memory_of(name: &str, kind: &str, regions: &[String]) -> Option<(Range<u64>, Range<u64>)> {
    let regions: Vec<&str> = regions.iter().map(String::as_str).collect();
    let memory = described(name, &[("main", kind)], &regions).memory?;
    let range = |block: Block| block.start..block.end;
    Some((range(memory.flash), range(memory.ram)))
}

#[test]
fn adjacent_banks_are_joined() {
    let regions = [
        ram(0x2004_0000..0x2004_4000),
        ram(0x2000_0000..0x2004_0000),
        flash(0x810_0000..0x820_0000),
        flash(0x800_0000..0x810_0000),
        region("Nvm", "OTP", 0x1FFF_7800..0x1FFF_7A10, ""),
    ];
    let found = memory_of("LPC", "armv8m", &regions);
    let expected = (0x800_0000..0x820_0000, 0x2000_0000..0x2004_4000);
    assert_eq!(found, Some(expected));
}

#[test]
fn overlapping_bank_is_left_out() {
    let regions = [
        flash(0x800_0000..0x808_0000),
        flash(0x801_0000..0x809_0000),
        ram(0x2000_0000..0x2003_0000),
    ];
    let (found, _) = memory_of("STM32U385RG", "armv8m", &regions).unwrap();
    assert_eq!(found, 0x800_0000..0x808_0000);
}

#[test]
fn largest_ram_is_taken_from_data_addresses() {
    // An STM32H7: code RAM, tightly coupled RAM, AXI RAM, and banks of another bus.
    let regions = [
        flash(0x800_0000..0x820_0000),
        ram(0..0x10_0000),
        ram(0x2000_0000..0x2002_0000),
        ram(0x2400_0000..0x2408_0000),
        ram(0x3000_0000..0x3004_8000),
        ram(0x6000_0000..0x7000_0000),
    ];
    let (_, found) = memory_of("STM32H743VI", "armv7em", &regions).unwrap();
    assert_eq!(found, 0x2400_0000..0x2408_0000);
}

#[test]
fn alias_for_data_is_better_than_code() {
    let regions = [
        flash(0..0x10_0000),
        ram(0x80_0000..0x84_0000),
        region("Ram", "R", 0x2000_0000..0x2004_0000, ", is_alias: true"),
    ];
    let (_, found) = memory_of("nRF52840_xxAA", "armv7em", &regions).unwrap();
    assert_eq!(found, 0x2000_0000..0x2004_0000);
    let (_, found) = memory_of("R7FA6T1AD", "armv7em", &regions[..2]).unwrap();
    assert_eq!(found, 0x80_0000..0x84_0000);
}

#[test]
fn memory_of_others_is_left_out() {
    let regions = [
        flash(0x800_0000..0x805_0000),
        ram(0x2000_0000..0x2000_3000),
        region("Ram", "SRAM2", 0x2003_0000..0x2003_9000, ""),
    ];
    let found = |name: &str| memory_of(name, "armv7em", &regions).unwrap().1;
    assert_eq!(found("STM32WB1MMCHx"), 0x2000_0000..0x2000_3000);
    assert_eq!(found("STM32WB55CC"), 0x2003_0000..0x2003_9000);
}

#[test]
fn regions_of_other_cores_are_left_out() {
    let network =
        "!Nvm {range: {start: 0x1000000, end: 0x1040000}, cores: [net], access: {boot: true}}";
    let (own, ram) = (flash(0..0x10_0000), ram(0x2000_0000..0x2004_0000));
    let cores = [("main", "armv8m"), ("net", "armv8m")];
    let memory = described("nRF5340", &cores, &[network, &own, &ram]).memory;
    assert_eq!(memory.unwrap().flash.start, 0);
}

#[test]
fn chips_without_plain_start_have_no_memory() {
    let plain = [flash(0..0x10_0000), ram(0x2000_0000..0x2004_0000)];
    let external = [flash(0x6000_0000..0x6080_0000), plain[1].clone()];
    for (name, kind, regions) in [
        ("GD32E230C8", "armv8m", &plain),
        ("nRF51822", "armv6m", &plain),
        ("fe310", "riscv", &plain),
        ("CC1352R", "armv7em", &plain),
        ("MIMXRT1060", "armv7em", &external),
    ] {
        assert_eq!(memory_of(name, kind, regions), None, "{name}");
    }
}

#[test]
fn packages_are_names_and_m23_is_known() {
    let text = "variants:\n- name: GD32E230C8\n  package_variants: [B, A, B]\n  cores: [{name: c, type: armv8m}]\n";
    let [chip] = &family(text).unwrap()[..] else {
        panic!("one chip");
    };
    assert_eq!(chip.packages, ["A", "B"]);
    assert_eq!(chip.core, "armv8m.base");
    assert_eq!(
        described("X", &[("main", "armv8m")], &[&flash(0..1)]).core,
        "armv8m.main"
    );
    for wrong in ["", "variants: []\n", "variants:\n- name: X\n"] {
        assert!(family(wrong).is_err(), "{wrong}");
    }
}
