use serde_json::{json, Value};

use crate::Refusal;

/// What a primitive was read as, and how many of the bytes it took.
pub struct Read {
    pub value: Value,
    pub consumed: usize,
}

/// What a codec says of two of its objects: whether they are equal, and whether their hashes are the same, where it
/// has any.
pub struct Equality {
    pub equal: bool,
    pub hashes: Option<bool>,
}

/// Single primitives of the protocol, by name (`Varint`, `CompactString`, ...); an adapter gives it by
/// [`crate::Codec::primitives`]. Values are canonical JSON.
#[allow(unused_variables)] // of the ways that a codec does not have
pub trait Primitives {
    /// Reads what bytes hold, whatever stands behind it.
    fn decode(&mut self, name: &str, data: &[u8]) -> Result<Read, Refusal> {
        Err(unclaimed("decode", name))
    }

    /// Makes bytes of a value, which is null where null is one of the primitive's.
    fn encode(&mut self, name: &str, value: &Value) -> Result<Vec<u8>, Refusal> {
        Err(unclaimed("encode", name))
    }
}

fn unclaimed(way: &str, name: &str) -> Refusal {
    Refusal::internal("unclaimed", format!("{way} of the primitive {name} was not claimed"))
}

impl Read {
    pub(crate) fn told(self) -> Value {
        json!({"value": self.value, "consumed": self.consumed})
    }
}

impl Equality {
    pub(crate) fn told(self) -> Value {
        match self.hashes {
            Some(hashes) => json!({"equal": self.equal, "hashes": hashes}),
            None => json!({"equal": self.equal}),
        }
    }
}
