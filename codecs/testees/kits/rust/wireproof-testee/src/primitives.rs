use serde_json::{json, Value};

use crate::Refusal;

/// The result of [`Primitives::decode`], and the number of bytes read.
pub struct Read {
    pub value: Value,
    pub consumed: usize,
}

/// The result of [`crate::Codec::equal`]. `hashes` is true if the hashes of the two objects are equal, `None` if the
/// codec's objects have no hash.
pub struct Equality {
    pub equal: bool,
    pub hashes: Option<bool>,
}

/// Operations on primitive types by name (`Varint`, `CompactString`, ...). An adapter returns its implementation from
/// [`crate::Codec::primitives`]. Values are canonical JSON.
#[allow(unused_variables)] // of default implementations
pub trait Primitives {
    /// Decodes the value at the start of the bytes, and ignores the bytes after it.
    fn decode(&mut self, name: &str, data: &[u8]) -> Result<Read, Refusal> {
        Err(unclaimed("decode", name))
    }

    /// Encodes a value. It may be null if the type is nullable.
    fn encode(&mut self, name: &str, value: &Value) -> Result<Vec<u8>, Refusal> {
        Err(unclaimed("encode", name))
    }
}

fn unclaimed(way: &str, name: &str) -> Refusal {
    Refusal::adapter(format!("{way} of the primitive {name} was not claimed"))
}

impl Read {
    pub(crate) fn into_json(self) -> Value {
        json!({"value": self.value, "consumed": self.consumed})
    }
}

impl Equality {
    pub(crate) fn into_json(self) -> Value {
        match self.hashes {
            Some(hashes) => json!({"equal": self.equal, "hashes": hashes}),
            None => json!({"equal": self.equal}),
        }
    }
}
