//! Plans of images that are made here: the places in the machine and in its guests.

use object::write;
use std::path::Path;
use taktos_abi::vm::{Linkage, Wait};

use super::*;
use crate::configuration::Configuration;

/// A folder for the images of one test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("taktos-vm-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for tests");
    folder
}

/// An ELF image for the processor with one segment, of which half is filled.
fn elf(folder: &Path, at: u64, bytes: &[u8], memory: u64) -> PathBuf {
    let mut file = vec![0u8; 64 + 56];
    file[..20].copy_from_slice(&[
        0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 183, 0,
    ]);
    let mut put =
        |place: usize, bytes: &[u8]| file[place..place + bytes.len()].copy_from_slice(bytes);
    put(20, &1u32.to_le_bytes());
    put(24, &(at + 8).to_le_bytes()); // entry
    put(32, &64u64.to_le_bytes()); // program headers
    put(52, &64u16.to_le_bytes());
    put(54, &56u16.to_le_bytes());
    put(56, &1u16.to_le_bytes());
    put(64, &1u32.to_le_bytes()); // PT_LOAD
    put(64 + 8, &120u64.to_le_bytes());
    put(64 + 16, &at.to_le_bytes());
    put(64 + 24, &at.to_le_bytes());
    put(64 + 32, &(bytes.len() as u64).to_le_bytes());
    put(64 + 40, &memory.to_le_bytes());
    file.extend(bytes);
    let path = folder.join(format!("elf-{at:x}-{}", bytes.len()));
    std::fs::write(&path, file).expect("it can be written");
    path
}

/// An image with the header of Linux, for the length that it says it needs.
fn linux(folder: &Path, offset: u64, needs: u64) -> PathBuf {
    let mut file = vec![0u8; 4096];
    file[8..16].copy_from_slice(&offset.to_le_bytes());
    file[16..24].copy_from_slice(&needs.to_le_bytes());
    file[24..32].copy_from_slice(&0xAu64.to_le_bytes());
    file[56..60].copy_from_slice(b"ARM\x64");
    let path = folder.join(format!("linux-{offset:x}-{needs:x}"));
    std::fs::write(&path, file).expect("it can be written");
    path
}

fn source(kernel: PathBuf) -> Sources {
    Sources {
        kernel,
        initrd: None,
        arguments: "own words".into(),
    }
}

const TWO: &str = "[machine]\ncpus=2\n\
    [[pool]]\nname='p'\ncpus=0\npolicy='rtds'\n[[pool]]\nname='q'\ncpus=1\npolicy='arinc653'\nframe='10 ms'\n\
    [[pool.window]]\npartition='b'\nvcpu=1\nruntime='3 ms'\n[[pool.window]]\npartition='b'\nruntime='2 ms'\n\
    [[partition]]\nname='a'\nmemory='4 MiB'\npool='p'\nimage='x'\n[[partition.vcpu]]\nperiod='1 ms'\nbudget='500 us'\n\
    [[partition]]\nname='b'\nmemory='64 MiB'\npool='q'\nimage='x'\nvcpus=2\n\
    [[channel]]\nname='c'\nbetween=['a','b']\n";

fn configuration(text: &str) -> Configuration {
    let made = Configuration::parse(text, "x.toml").unwrap();
    made.check().unwrap();
    made
}

#[test]
fn an_image_for_a_bare_board_is_remarked() {
    let folder = folder("bare");
    let made = configuration("[[partition]]\nname='a'\nmemory='4 MiB'\nimage='x'\n");
    let remarks = |code: &[u32]| {
        let code: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let image = source(elf(&folder, 0x4020_0000, &code, 4000));
        Plan::new(&made, &[image]).unwrap().remarks
    };
    // mov x0, #0x18; hlt #0xf000, and another one that is the guest's own affair.
    let bare = remarks(&[0xD280_0300, 0xD45E_0000]);
    assert!(bare[0].contains("`a` is for a bare board"), "{bare:?}");
    assert_eq!(remarks(&[0xD280_0300, 0xD45E_0020]), [""; 0]);
}

#[test]
fn two_guests_are_laid_out() {
    let folder = folder("two");
    let made = configuration(TWO);
    let initrd = folder.join("files");
    std::fs::write(&initrd, [7; 5000]).unwrap();
    let kernel = linux(&folder, 0x1000, 20 << 20);
    let linux = Sources {
        initrd: Some(initrd.clone()),
        ..source(kernel.clone())
    };
    let sources = [source(elf(&folder, 0x4020_0000, &[9; 300], 4000)), linux];
    let plan = Plan::new(&made, &sources).unwrap();
    let described = &plan.description;
    assert_eq!(described.check(), Ok(()));
    let [a, b] = described.partitions() else {
        panic!("two partitions");
    };
    assert_eq!(
        (a.memory, a.bytes, a.entry, a.argument),
        (0x4100_0000, 4 << 20, 0x4020_0008, 0x4000_0000)
    );
    assert_eq!((b.memory, b.entry), (0x4140_0000, 0x4000_1000));
    assert_eq!(
        (a.name(), b.name(), b.first_vcpu, b.vcpus),
        ("a", "b", 1, 2)
    );
    assert_eq!((a.wait, b.wait), (Wait::Native, Wait::Trapped));
    // The image, the file system after the memory that Linux needs, the tree at the end.
    let [image, files, tree] = b.segments() else {
        panic!("three segments");
    };
    assert_eq!((image.at, image.bytes), (0x4000_1000, 4096));
    assert_eq!((files.at, files.bytes), (0x4141_0000, 5000));
    assert_eq!(tree.at, 0x4400_0000 - 0x1_0000);
    assert_eq!(b.argument, tree.at);
    assert_eq!(
        (a.segments()[0].at, a.segments()[0].bytes),
        (0x4020_0000, 300)
    );
    // A window names the unit by its number in the machine.
    let taktos_abi::vm::Policy::Arinc653 { windows, count, .. } = described.pools[1].policy else {
        panic!("a table");
    };
    assert_eq!((count, windows[0].vcpu, windows[1].vcpu), (2, 2, 1));
    assert_eq!(described.vcpus[0].server.budget, 500_000);
    assert_eq!((described.vcpus[0].hard, described.vcpus[2].hard), (1, 2));
    // Linux has a serial line there, the other the memory.
    let ends = described.channels[0].ends;
    assert_eq!(
        (ends[0].linkage, ends[1].linkage),
        (Linkage::Memory, Linkage::Uart)
    );
    let loaded = plan.write(&folder.join("out")).unwrap();
    let find = |at: u64| {
        loaded
            .files
            .iter()
            .find(|(place, _)| *place == at)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(find(image.store), kernel);
    assert_eq!(find(files.store), initrd);
    assert_eq!(
        std::fs::read(find(a.segments()[0].store)).unwrap(),
        [9; 300]
    );
    let description = std::fs::read(find(layout::DESCRIPTION)).unwrap();
    assert_eq!(Description::decode(&description), Ok(*described));
    let flat = std::fs::read(find(tree.store)).unwrap();
    assert_eq!(flat, plan.trees[1].flattened());
    assert!(plan.trees[1].shown().contains("bootargs = \"own words\""));
    // No place overlaps another, and the same files make the same plan.
    let overlaps = |pair: &[Place]| pair[0].at + pair[0].bytes > pair[1].at;
    assert!(!plan.places.windows(2).any(overlaps), "{}", plan.map());
    let again = Plan::new(&made, &sources).unwrap();
    assert_eq!(
        (again.places, again.description),
        (plan.places, plan.description)
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_emulator_is_told_everything() {
    let folder = folder("line");
    let made = configuration(
        "[machine]\nmemory='64 MiB'\ncpu='cortex-a57'\nemulator=['-x']\n[[partition]]\nname='a'\nmemory='2 MiB'\nimage='x'\n",
    );
    let plan = Plan::new(&made, &[source(elf(&folder, 0x4000_0000, &[1; 16], 16))]).unwrap();
    let loaded = Loaded {
        files: vec![(0x4100_0000, "with,comma".into())],
    };
    let line = plan.qemu_arguments(&loaded, Path::new("hypervisor"));
    assert_eq!(
        line.join(" "),
        "-M virt,virtualization=on,gic-version=3 -cpu cortex-a57 -smp 1 -m 64M -nodefaults -display none -x \
         -chardev stdio,id=console,signal=off -serial chardev:console \
         -device loader,file=with,,comma,addr=0x41000000,force-raw=on -kernel hypervisor"
    );
    // The image begins at the usual place of the tree: the tree is at the end then.
    assert_eq!(
        plan.description.partitions[0].argument,
        0x4020_0000 - 0x1_0000
    );
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn equal_bytes_are_kept_once() {
    let folder = folder("once");
    let text = "[[partition]]\nname='a'\nmemory='4 MiB'\nimage='x'\n[[partition]]\nname='b'\nmemory='4 MiB'\nimage='x'\n";
    let kernel = elf(&folder, 0x4020_0000, &[9; 300], 4000);
    let plan = Plan::new(
        &configuration(text),
        &[source(kernel.clone()), source(kernel)],
    )
    .unwrap();
    let [a, b] = plan.description.partitions() else {
        panic!("two partitions");
    };
    assert_eq!(a.segments()[0], b.segments()[0]);
    assert_eq!(a.segments()[1], b.segments()[1]);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_does_not_fit_is_told() {
    let folder = folder("small");
    let one = |memory: &str| {
        configuration(&format!(
            "[machine]\nmemory='32 MiB'\n[[partition]]\nname='a'\nmemory='{memory}'\nimage='x'\n"
        ))
    };
    let plan = |memory: &str, kernel: PathBuf| {
        let error = Plan::new(&one(memory), &[source(kernel)]).unwrap_err();
        format!("{error}; {}", error.hint())
    };
    let said = plan("2 MiB", linux(&folder, 0, 3 << 20));
    assert!(
        said.contains("the image does not fit into its memory of 2 MiB; give it 4 MiB"),
        "{said}"
    );
    let said = plan("2 MiB", linux(&folder, 0, 2 << 20));
    assert!(
        said.contains("the image with its device tree does not fit"),
        "{said}"
    );
    let said = plan("2 MiB", elf(&folder, 0x8000, &[1; 16], 16));
    assert!(said.contains("lies at 0x8000"), "{said}");
    let said = plan("16 MiB", elf(&folder, 0x4000_0000, &[1; 16], 16));
    assert!(said.contains("no room for store: a-image"), "{said}");
    let said = plan("2 MiB", folder.join("nothing"));
    assert!(said.contains("nothing: cannot be read"), "{said}");
    let big = configuration(
        "[machine]\nmemory='32 MiB'\n[[partition]]\nname='a'\nmemory='10 MiB'\naddress=0x4120_0000\nimage='x'\n[[partition]]\nname='b'\nmemory='6 MiB'\nimage='x'\n",
    );
    let kernel = elf(&folder, 0x4000_0000, &[1; 16], 16);
    let said = Plan::new(&big, &[source(kernel.clone()), source(kernel)])
        .unwrap_err()
        .to_string();
    assert!(said.contains("no room for memory of b (6 MiB)"), "{said}");
    assert!(matches!(
        Plan::new(&big, &[]),
        Err(Error::Sources {
            given: 0,
            wanted: 2
        })
    ));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_no_image_is_told() {
    let folder = folder("image");
    let made = configuration("[[partition]]\nname='a'\nmemory='2 MiB'\nimage='x'\n");
    let said = |bytes: &[u8]| {
        let path = folder.join("some");
        std::fs::write(&path, bytes).unwrap();
        let error = Plan::new(&made, &[source(path)]).unwrap_err();
        format!("{error}; {}", error.hint())
    };
    assert!(said(b"").contains("neither ELF nor"));
    assert!(said(&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0]).contains("gunzip"));
    assert!(said(b"MZ\0\0zimg....").contains("plain Image"));
    assert!(said(b"\x7fELF").contains("damaged"));
    let other = write::Object::new(
        object::BinaryFormat::Elf,
        object::Architecture::X86_64,
        object::Endianness::Little,
    );
    assert!(said(&other.write().unwrap()).contains("another processor"));
    let empty = write::Object::new(
        object::BinaryFormat::Elf,
        object::Architecture::Aarch64,
        object::Endianness::Little,
    );
    assert!(said(&empty.write().unwrap()).contains("holds nothing"));
    let mut header = std::fs::read(linux(&folder, 0, 1 << 20)).unwrap();
    header[24] |= 1;
    assert!(said(&header).contains("big-endian"));
    header[24] = 0;
    header[16..24].fill(0);
    assert!(said(&header).contains("older than Linux 3.17"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn space_is_taken_where_it_is_free() {
    let mut space = Space::new(layout::PARTITIONS + 0x10_000);
    let mut place = |bytes, border| space.place(bytes, border, String::new()).ok();
    assert_eq!(place(0x1001, 0x1000), Some(layout::PARTITIONS));
    assert_eq!(place(0x1000, 0x4000), Some(layout::PARTITIONS + 0x4000));
    // Into the gap, then after all, then nowhere.
    assert_eq!(place(0x2000, 0x1000), Some(layout::PARTITIONS + 0x2000));
    assert_eq!(place(0xB000, 0x1000), Some(layout::PARTITIONS + 0x5000));
    assert_eq!(place(0x1000, 0x1000), None);
}
