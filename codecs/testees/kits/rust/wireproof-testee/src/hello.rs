use serde_json::{json, Map, Value};

use crate::PROTOCOL;

/// A description of the codec, and the adapter's claims for it. The answer omits empty fields.
#[derive(Default)]
pub struct Hello {
    /// The name of the codec.
    pub name: String,
    /// The version of the codec.
    pub version: String,
    /// The codec's language; "rust" if empty.
    pub language: String,
    /// The runtime; if empty, the operating system and processor of the build.
    pub runtime: String,
    /// The variant of the codec, if it has several.
    pub variant: String,
    /// Pairs of a name and a URL.
    pub links: Vec<(String, String)>,
    /// The claims by Kafka's name of the message; see [`claim`].
    pub claims: Vec<(String, Claim)>,
    /// The claims for embedded messages: decode, encode, reencode, size.
    pub embedded: Vec<(String, Claim)>,
    /// Primitives by name, with "decode", "encode" or both.
    pub primitives: Vec<(String, Vec<String>)>,
    /// The compressions of record sets ("none", "gzip", "snappy", "lz4", "zstd"), with the versions that support
    /// each. Claim record sets as the message `RecordBatch`.
    pub compressions: Claim,
    /// The parts of record sets that the codec cannot represent, in the protocol's words, such as "tail". Random
    /// record sets omit them.
    pub record_limits: Vec<String>,
    /// The codec reads the records with the message: values hold record sets, in the form of `RecordBatch`, in place
    /// of the bytes of the fields of type records.
    pub record_values: bool,
    /// What the codec's types cannot hold: pairs of a name and a reason.
    pub limits: Vec<(String, String)>,
    /// The Kafka release whose field names the codec uses, "4.3"; empty for the run's release.
    pub names: String,
    /// The codec has no defaults: values must have every field.
    pub whole: bool,
    /// The codec rejects values that a version cannot hold.
    pub refuses: bool,
    /// The codec's table of APIs.
    pub registry: Vec<Api>,
    /// All messages that the library implements, claimed or not, read from the library itself.
    pub index: Vec<(String, Ways)>,
    /// Reasons for the messages in `index` without a claim.
    pub unclaimed: Vec<Unclaimed>,
}

/// The claimed versions of each operation, as ranges: "0-17", "3", "0-3,5-7".
pub type Claim = Vec<(String, String)>;

/// The versions that a library encodes and decodes, as ranges; empty for none.
#[derive(Default)]
pub struct Ways {
    pub encode: String,
    pub decode: String,
}

/// The reason why versions of some messages are not claimed.
pub struct Unclaimed {
    pub reason: String,
    /// Pairs of a message and its versions.
    pub messages: Vec<(String, String)>,
    /// "encode" or "decode"; empty for both.
    pub way: String,
}

/// Claims the same versions for several operations.
pub fn claim(operations: &[&str], versions: &str) -> Claim {
    operations.iter().map(|op| (op.to_string(), versions.to_string())).collect()
}

/// Creates an entry of the index for versions that the library both encodes and decodes.
pub fn both_ways(versions: &str) -> Ways {
    Ways { encode: versions.into(), decode: versions.into() }
}

/// Formats the versions from `lowest` to `highest` as a range; empty if there are none.
pub fn ranges(lowest: i16, highest: i16) -> String {
    match highest.checked_sub(lowest) {
        Some(0) => lowest.to_string(),
        Some(more) if more > 0 => format!("{lowest}-{highest}"),
        _ => String::new(),
    }
}

/// Returns the version of a package in the text of a `Cargo.lock`, which an adapter gets with
/// `include_str!("Cargo.lock")`, or "unknown".
pub fn locked(lock: &str, package: &str) -> String {
    let wanted = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != wanted).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or("unknown").trim_matches('"').into()
}

/// The codec's entry for one API key.
pub struct Api {
    pub key: i16,
    pub request: Option<Direction>,
    pub response: Option<Direction>,
}

/// The request or the response of an API: its message, its versions, and the header versions by range.
pub struct Direction {
    pub message: String,
    pub versions: String,
    pub headers: Vec<(String, i16)>,
}

impl Hello {
    /// Returns the content of the answer to a hello request.
    pub(crate) fn into_json(self) -> Value {
        let mut codec = Map::new();
        codec.insert("name".into(), self.name.into());
        codec.insert("version".into(), self.version.into());
        codec.insert("language".into(), unless_empty(self.language, "rust".into()).into());
        codec.insert("runtime".into(), unless_empty(self.runtime, platform()).into());
        insert_unless_empty(&mut codec, "variant", self.variant.into());
        insert_unless_empty(&mut codec, "links", named(self.links));
        let mut object = Map::new();
        object.insert("protocol".into(), PROTOCOL.into());
        object.insert("codec".into(), codec.into());
        object.insert("messages".into(), all_claimed(self.claims));
        insert_unless_empty(&mut object, "embedded", all_claimed(self.embedded));
        let primitives: Map<_, _> =
            self.primitives.into_iter().map(|(name, ways)| (name, ways.into())).collect();
        insert_unless_empty(&mut object, "primitives", primitives.into());
        insert_unless_empty(&mut object, "compressions", claimed(self.compressions));
        insert_unless_empty(&mut object, "recordLimits", self.record_limits.into());
        insert_unless_empty(&mut object, "recordValues", self.record_values.into());
        insert_unless_empty(&mut object, "limits", named(self.limits));
        insert_unless_empty(&mut object, "names", self.names.into());
        insert_unless_empty(&mut object, "whole", self.whole.into());
        insert_unless_empty(&mut object, "refuses", self.refuses.into());
        insert_unless_empty(&mut object, "registry", self.registry.into_iter().map(Api::into_json).collect());
        let index: Map<_, _> =
            self.index.into_iter().map(|(message, ways)| (message, ways.into_json())).collect();
        insert_unless_empty(&mut object, "index", index.into());
        let unclaimed = self.unclaimed.into_iter().map(Unclaimed::into_json);
        insert_unless_empty(&mut object, "unclaimed", unclaimed.collect());
        object.into()
    }
}

impl Ways {
    fn into_json(self) -> Value {
        claimed(vec![("encode".into(), self.encode), ("decode".into(), self.decode)])
    }
}

impl Unclaimed {
    fn into_json(self) -> Value {
        let mut object = Map::new();
        object.insert("reason".into(), self.reason.into());
        object.insert("messages".into(), named(self.messages));
        insert_unless_empty(&mut object, "way", self.way.into());
        object.into()
    }
}

impl Api {
    fn into_json(self) -> Value {
        let mut object = Map::new();
        object.insert("apiKey".into(), self.key.into());
        for (name, direction) in [("request", self.request), ("response", self.response)] {
            if let Some(known) = direction {
                object.insert(name.into(), known.into_json());
            }
        }
        object.into()
    }
}

impl Direction {
    fn into_json(self) -> Value {
        let mut object = json!({"message": self.message, "versions": self.versions});
        if !self.headers.is_empty() {
            object["headers"] =
                self.headers.into_iter().map(|(versions, header)| (versions, Value::from(header))).collect();
        }
        object
    }
}

fn all_claimed(claims: Vec<(String, Claim)>) -> Value {
    let claims = claims.into_iter().map(|(message, claim)| (message, claimed(claim)));
    claims.filter(|(_, claim)| !is_empty(claim)).collect()
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

fn insert_unless_empty(object: &mut Map<String, Value>, name: &str, value: Value) {
    if !is_empty(&value) {
        object.insert(name.into(), value);
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
