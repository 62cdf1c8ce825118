use serde_json::{json, Map, Value};

use crate::PROTOCOL;

/// Who is under test, and what is claimed for it. What is left at its default is not said.
#[derive(Default)]
pub struct Hello {
    /// Of the codec.
    pub name: String,
    pub version: String,
    /// "rust" if left empty.
    pub language: String,
    /// The system and processor that the testee was built for, if left empty.
    pub runtime: String,
    pub variant: String,
    /// Name to URL.
    pub links: Vec<(String, String)>,
    /// By Kafka's name of the message; see [`claim`].
    pub claims: Vec<(String, Claim)>,
    /// Likewise of messages in their framing: decode, encode, reencode, size.
    pub embedded: Vec<(String, Claim)>,
    /// Single primitives by name, with "decode", "encode" or both.
    pub primitives: Vec<(String, Vec<String>)>,
    /// Of record sets, the message RecordBatch: "none", "gzip", "snappy", "lz4", "zstd", with the versions of each.
    pub compressions: Claim,
    /// What record sets cannot hold, in the protocol's words, such as "tail": random sets leave it out.
    pub record_limits: Vec<String>,
    /// What the codec's types cannot hold: name to reason.
    pub limits: Vec<(String, String)>,
    /// The Kafka release of the codec's field names, "4.3"; that of the run if left empty.
    pub names: String,
    /// The codec has no defaults: values come with every field.
    pub whole: bool,
    /// The codec promises to decline values that a version cannot hold.
    pub refuses: bool,
    pub registry: Vec<Api>,
    /// What the library has, claimed or not, out of its own index, by message.
    pub index: Vec<(String, Ways)>,
    /// Why some of the index is not claimed; it is asked for a little all the same.
    pub unclaimed: Vec<Unclaimed>,
}

/// The versions of each operation, as ranges: "0-17", "3", "0-3,5-7".
pub type Claim = Vec<(String, String)>;

/// The versions of each direction, as ranges; empty for none.
#[derive(Default)]
pub struct Ways {
    pub encode: String,
    pub decode: String,
}

/// Why versions of some messages are not claimed.
pub struct Unclaimed {
    pub reason: String,
    /// Message to versions.
    pub messages: Vec<(String, String)>,
    /// "encode" or "decode"; empty for both.
    pub way: String,
}

/// A claim of the same versions for some operations.
pub fn claim(operations: &[&str], versions: &str) -> Claim {
    operations.iter().map(|op| (op.to_string(), versions.to_string())).collect()
}

/// An entry of the index: versions that the library both encodes and decodes.
pub fn both_ways(versions: &str) -> Ways {
    Ways { encode: versions.into(), decode: versions.into() }
}

/// All versions from one to another, in the words of the protocol; empty where there are none.
pub fn ranges(lowest: i16, highest: i16) -> String {
    match highest.checked_sub(lowest) {
        Some(0) => lowest.to_string(),
        Some(more) if more > 0 => format!("{lowest}-{highest}"),
        _ => String::new(),
    }
}

/// The version of a package by the text of a `Cargo.lock`, which an adapter includes: `include_str!("Cargo.lock")`.
pub fn locked(lock: &str, package: &str) -> String {
    let wanted = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != wanted).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or("unknown").trim_matches('"').into()
}

/// What the codec believes about one API.
pub struct Api {
    pub key: i16,
    pub request: Option<Direction>,
    pub response: Option<Direction>,
}

/// A message, its versions, and the version of its header for ranges of them.
pub struct Direction {
    pub message: String,
    pub versions: String,
    pub headers: Vec<(String, i16)>,
}

impl Hello {
    /// The content of the answer.
    pub(crate) fn told(self) -> Value {
        let mut codec = Map::new();
        codec.insert("name".into(), self.name.into());
        codec.insert("version".into(), self.version.into());
        codec.insert("language".into(), unless_empty(self.language, "rust".into()).into());
        codec.insert("runtime".into(), unless_empty(self.runtime, platform()).into());
        insert_unless_empty(&mut codec, "variant", self.variant.into());
        insert_unless_empty(&mut codec, "links", named(self.links));
        let mut told = Map::new();
        told.insert("protocol".into(), PROTOCOL.into());
        told.insert("codec".into(), codec.into());
        told.insert("messages".into(), all_claimed(self.claims));
        insert_unless_empty(&mut told, "embedded", all_claimed(self.embedded));
        let primitives: Map<_, _> =
            self.primitives.into_iter().map(|(name, ways)| (name, ways.into())).collect();
        insert_unless_empty(&mut told, "primitives", primitives.into());
        insert_unless_empty(&mut told, "compressions", claimed(self.compressions));
        insert_unless_empty(&mut told, "recordLimits", self.record_limits.into());
        insert_unless_empty(&mut told, "limits", named(self.limits));
        insert_unless_empty(&mut told, "names", self.names.into());
        insert_unless_empty(&mut told, "whole", self.whole.into());
        insert_unless_empty(&mut told, "refuses", self.refuses.into());
        insert_unless_empty(&mut told, "registry", self.registry.into_iter().map(Api::told).collect());
        let index: Map<_, _> = self.index.into_iter().map(|(message, ways)| (message, ways.told())).collect();
        insert_unless_empty(&mut told, "index", index.into());
        let unclaimed = self.unclaimed.into_iter().map(Unclaimed::told);
        insert_unless_empty(&mut told, "unclaimed", unclaimed.collect());
        told.into()
    }
}

impl Ways {
    fn told(self) -> Value {
        claimed(vec![("encode".into(), self.encode), ("decode".into(), self.decode)])
    }
}

impl Unclaimed {
    fn told(self) -> Value {
        let mut told = Map::new();
        told.insert("reason".into(), self.reason.into());
        told.insert("messages".into(), named(self.messages));
        insert_unless_empty(&mut told, "way", self.way.into());
        told.into()
    }
}

impl Api {
    fn told(self) -> Value {
        let mut told = Map::new();
        told.insert("apiKey".into(), self.key.into());
        for (name, direction) in [("request", self.request), ("response", self.response)] {
            if let Some(known) = direction {
                told.insert(name.into(), known.told());
            }
        }
        told.into()
    }
}

impl Direction {
    fn told(self) -> Value {
        let mut told = json!({"message": self.message, "versions": self.versions});
        if !self.headers.is_empty() {
            told["headers"] =
                self.headers.into_iter().map(|(versions, header)| (versions, Value::from(header))).collect();
        }
        told
    }
}

fn all_claimed(claims: Vec<(String, Claim)>) -> Value {
    let told = claims.into_iter().map(|(message, claim)| (message, claimed(claim)));
    told.filter(|(_, claim)| !is_empty(claim)).collect()
}

fn claimed(claim: Claim) -> Value {
    named(claim.into_iter().filter(|(_, versions)| !versions.is_empty()).collect())
}

fn named(pairs: Vec<(String, String)>) -> Value {
    pairs.into_iter().map(|(name, text)| (name, Value::String(text))).collect()
}

fn unless_empty(text: String, otherwise: String) -> String {
    if text.is_empty() {
        otherwise
    } else {
        text
    }
}

fn insert_unless_empty(told: &mut Map<String, Value>, name: &str, value: Value) {
    if !is_empty(&value) {
        told.insert(name.into(), value);
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::String(text) => text.is_empty(),
        other => *other == Value::Bool(false),
    }
}

fn platform() -> String {
    format!("native {} {}", std::env::consts::OS, std::env::consts::ARCH)
}
