use serde_json::{json, Map, Value};

use crate::value::hex;
use crate::{Object, Refusal};

/// Bytes that hold a message, and the key of the record whose value they are, where that says more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blob {
    pub data: Vec<u8>,
    pub key: Option<Vec<u8>>,
}

/// A message that was embedded.
pub struct Found {
    pub message: String,
    pub version: i16,
    pub value: Object,
    pub consumed: usize,
}

/// Messages in the framings in which other data carry them; an adapter gives it by [`crate::Codec::embedded`].
///
/// Who reads is told what a reader of Kafka's knows beforehand, `known`: the name of the message, the topic of a
/// coordinator's key (group, transaction, share), or nothing.
#[allow(unused_variables)] // of the operations that a codec does not have
pub trait Embedded {
    /// Finds out which message a blob holds, and makes a value of it.
    fn decode(&mut self, framing: &str, known: &str, blob: &Blob) -> Result<Found, Refusal> {
        Err(unclaimed("decode", framing))
    }

    /// Makes bytes of a message, with what stands before it.
    fn encode(
        &mut self,
        framing: &str,
        message: &str,
        version: i16,
        value: &Object,
    ) -> Result<Blob, Refusal> {
        Err(unclaimed("encode", framing))
    }

    /// Decodes, and encodes what was decoded; the number is that of the bytes read.
    fn reencode(&mut self, framing: &str, known: &str, blob: &Blob) -> Result<(Blob, usize), Refusal> {
        Err(unclaimed("reencode", framing))
    }

    /// Tells how long the data would be.
    fn size(&mut self, framing: &str, message: &str, version: i16, value: &Object) -> Result<usize, Refusal> {
        Err(unclaimed("size", framing))
    }
}

fn unclaimed(op: &str, framing: &str) -> Refusal {
    Refusal::internal("unclaimed", format!("{op} in the framing {framing} was not claimed"))
}

impl Blob {
    /// The members of an answer that hold it.
    pub(crate) fn told(&self) -> Map<String, Value> {
        let mut told = Map::new();
        told.insert("data".into(), hex(&self.data).into());
        if let Some(key) = &self.key {
            told.insert("key".into(), hex(key).into());
        }
        told
    }
}

impl Found {
    pub(crate) fn told(self) -> Value {
        let Self { message, version, value, consumed } = self;
        json!({"message": message, "version": version, "value": value, "consumed": consumed})
    }
}
