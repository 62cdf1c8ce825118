use serde_json::{json, Map, Value};

use crate::value::hex;
use crate::{Object, Refusal};

/// The bytes of an embedded message, and the key of the record that has them as its value, if the message depends
/// on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blob {
    pub data: Vec<u8>,
    pub key: Option<Vec<u8>>,
}

/// The result of [`Embedded::decode`].
pub struct Found {
    pub message: String,
    pub version: i16,
    pub value: Object,
    pub consumed: usize,
}

/// Operations on messages that other data carry, such as the values of records. An adapter returns its
/// implementation from [`crate::Codec::embedded`].
///
/// The argument `known` is what a Kafka reader knows before it reads: the name of the message, the topic of a
/// coordinator's key (group, transaction, share), or the empty string.
#[allow(unused_variables)] // of default implementations
pub trait Embedded {
    /// Detects which message a blob holds and decodes it.
    fn decode(&mut self, framing: &str, known: &str, blob: &Blob) -> Result<Found, Refusal> {
        Err(unclaimed("decode", framing))
    }

    /// Encodes a message, including the bytes that its framing puts before it.
    fn encode(
        &mut self,
        framing: &str,
        message: &str,
        version: i16,
        value: &Object,
    ) -> Result<Blob, Refusal> {
        Err(unclaimed("encode", framing))
    }

    /// Decodes a blob and encodes the result. Returns the new blob and the number of bytes read.
    fn reencode(&mut self, framing: &str, known: &str, blob: &Blob) -> Result<(Blob, usize), Refusal> {
        Err(unclaimed("reencode", framing))
    }

    /// Returns the length of the data that [`Embedded::encode`] would return.
    fn size(&mut self, framing: &str, message: &str, version: i16, value: &Object) -> Result<usize, Refusal> {
        Err(unclaimed("size", framing))
    }
}

fn unclaimed(op: &str, framing: &str) -> Refusal {
    Refusal::adapter(format!("{op} in the framing {framing} was not claimed"))
}

impl Blob {
    /// Returns the members of an answer for this blob.
    pub(crate) fn to_json(&self) -> Map<String, Value> {
        let mut object = Map::new();
        object.insert("data".into(), hex(&self.data).into());
        if let Some(key) = &self.key {
            object.insert("key".into(), hex(key).into());
        }
        object
    }
}

impl Found {
    pub(crate) fn into_json(self) -> Value {
        let Self { message, version, value, consumed } = self;
        json!({"message": message, "version": version, "value": value, "consumed": consumed})
    }
}
