//! JSON: one shape of output for every value that the tool prints or saves.

use serde::{Serialize, Serializer, ser::SerializeMap};
use serde_json::Value;

/// Returns the value as indented JSON with a closing line feed.
///
/// # Panics
/// If the value cannot be JSON (a map with keys that are not strings): a mistake in the type, not
/// in the data.
#[must_use]
pub fn to_json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("the keys of a map are strings");
    text.push('\n');
    text
}

/// The keys of both objects, the first one's first.
#[must_use]
pub fn joined(first: Value, second: Value) -> Value {
    match (first, second) {
        (Value::Object(mut first), Value::Object(second)) => {
            first.extend(second);
            first.into()
        }
        (first, _) => first,
    }
}

/// Sorts the keys of every object by their letters.
#[must_use]
pub fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}

/// Writes pairs as a JSON object that preserves their order; for `#[serde(serialize_with)]`.
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
    use serde_json::json;

    #[test]
    fn objects_are_joined_and_sorted() {
        let both = joined(json!({ "b": 1 }), json!({ "a": { "d": 2, "c": 3 } }));
        assert_eq!(both.to_string(), r#"{"b":1,"a":{"d":2,"c":3}}"#);
        assert_eq!(sorted(both).to_string(), r#"{"a":{"c":3,"d":2},"b":1}"#);
    }

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
