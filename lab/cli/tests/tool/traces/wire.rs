//! Messages in protobuf's wire form, read without the format's own description.

/// A field of a message in protobuf's wire form.
pub enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

/// The fields of a message, with their numbers.
pub fn fields(mut bytes: &[u8]) -> Vec<(u64, Field<'_>)> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let field = match key & 7 {
            0 => Field::Number(varint(&mut bytes)),
            1 => {
                let (inside, rest) = bytes.split_at(8);
                bytes = rest;
                Field::Number(u64::from_le_bytes(inside.try_into().unwrap()))
            }
            2 => {
                let length = varint(&mut bytes) as usize;
                let (inside, rest) = bytes.split_at(length);
                bytes = rest;
                Field::Bytes(inside)
            }
            other => panic!("a field of the wire type {other}"),
        };
        found.push((key >> 3, field));
    }
    found
}

pub fn messages(bytes: &[u8], number: u64) -> impl Iterator<Item = &[u8]> {
    fields(bytes)
        .into_iter()
        .filter_map(move |field| match field {
            (found, Field::Bytes(inside)) if found == number => Some(inside),
            _ => None,
        })
}

pub fn number(bytes: &[u8], wanted: u64) -> Option<u64> {
    fields(bytes).into_iter().find_map(|field| match field {
        (found, Field::Number(value)) if found == wanted => Some(value),
        _ => None,
    })
}

pub fn text(bytes: &[u8], wanted: u64) -> String {
    let inside = messages(bytes, wanted).next().unwrap_or_default();
    String::from_utf8(inside.to_vec()).unwrap()
}
