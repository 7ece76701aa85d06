//! Encodings and their classes, and encodings that must have none.

use super::*;

#[test]
fn lengths() {
    assert_eq!(size(0xe7fe), 2); // b .
    assert_eq!(size(0xe800), 4);
    assert_eq!(size(0xf000), 4);
    assert_eq!(size(0xffff), 4);
}

#[test]
fn flows() {
    let flows: &[(&str, u16, u16, Flow)] = &[
        ("bx lr", 0x4770, 0, Flow::Return),
        ("blx r3", 0x4798, 0, Flow::Branch),
        ("cbz r0,.", 0xb100, 0, Flow::Branch),
        ("beq .", 0xd0fe, 0, Flow::Branch),
        ("b.w .", 0xf7ff, 0xbffe, Flow::Branch),
        ("bl .", 0xf7ff, 0xfffe, Flow::Branch),
    ];
    for (name, first, second, flow) in flows {
        assert_eq!(
            classify(*first, *second),
            Some(Class::Branch(*flow)),
            "{name}"
        );
    }
    let returning = Class::Single {
        store: false,
        flow: Flow::Return,
    };
    assert_eq!(classify(0xf85d, 0xfb04), Some(returning)); // ldr pc,[sp],#4
    let popping = Class::Multiple {
        store: false,
        words: 9,
        flow: Flow::Return,
    };
    assert_eq!(classify(0xe8bd, 0x8ff0), Some(popping)); // pop.w {r4-r11,pc}
    assert_eq!(classify(0x4687, 0), Some(Class::Data(Flow::Branch))); // mov pc,r0
}

#[test]
fn undefined_encodings_have_no_class() {
    let undefined: &[(&str, u16, u16)] = &[
        ("16-bit miscellaneous hole", 0xb800, 0),
        ("push of nothing", 0xb400, 0),
        ("rfe (other profile)", 0xe810, 0xc000),
        ("blx to A32", 0xf7ff, 0xeffe),
        ("mcr p15", 0xee01, 0x0f10),
        ("vadd.f64", 0xee30, 0x0b01),
        ("second coprocessor space", 0xfe00, 0x0a00),
        ("signed word load", 0xf958, 0x0000),
        ("vld1 (Advanced SIMD)", 0xf960, 0x070f),
        ("multiplication hole", 0xfb00, 0x0030),
        ("vmov of a byte", 0xee40, 0x0b10),
        ("vldm past the last register", 0xec90, 0xfa03),
        ("vstm past the last register", 0xec80, 0x0bff),
        ("mve/unallocated divide", 0xfb90, 0xf0e0),
    ];
    for (name, first, second) in undefined {
        assert_eq!(classify(*first, *second), None, "{name}");
    }
}
