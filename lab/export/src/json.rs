//! JSON: one shape of output for every value that the tool prints or saves.

use serde::{Serialize, Serializer, ser::SerializeMap};

/// The value as indented JSON with a closing line feed.
///
/// # Panics
/// When the value cannot be JSON (a map whose keys are no strings): a mistake
/// in the type, not in the data.
#[must_use]
pub fn to_json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("the keys of a map are strings");
    text.push('\n');
    text
}

/// Writes pairs as a JSON object that keeps their order; for
/// `#[serde(serialize_with)]`.
///
/// # Errors
/// Whatever the serializer reports.
pub fn in_order<S: Serializer, V: Serialize>(
    pairs: &[(String, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(pairs.len()))?;
    for (key, value) in pairs {
        map.serialize_entry(key, value)?;
    }
    map.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Ordered {
        #[serde(serialize_with = "in_order")]
        operations: Vec<(String, u32)>,
    }

    #[test]
    fn pairs_keep_their_order() {
        let value = Ordered {
            operations: vec![("yield".into(), 2), ("give".into(), 1)],
        };
        assert_eq!(
            to_json(&value),
            "{\n  \"operations\": {\n    \"yield\": 2,\n    \"give\": 1\n  }\n}\n"
        );
    }
}
