//! The adapter of my-codec. It only calls the codec: the crate wireproof_testee implements the protocol.

mod codec; // the example codec: replace it with yours, and add your crate in testee.toml

use codec::ApiVersionsRequest;
use wireproof_testee::value::{as_tags, tags, TAGS};
use wireproof_testee::{both_ways, claim, Codec, Decoded, Hello, Object, Reencoded, Refusal, Value};

fn main() {
    wireproof_testee::main(Port)
}

struct Port;

impl Codec for Port {
    fn hello(&self) -> Hello {
        Hello {
            name: "my-codec".into(),
            version: "0.1.0".into(), // better: locked(include_str!("Cargo.lock"), "your-codec")
            claims: vec![("ApiVersionsRequest".into(), claim(&["decode", "encode", "reencode"], "0-3"))],
            // All messages that your codec implements, read from the codec itself. List those without a claim in
            // `unclaimed`, with the reason.
            index: vec![("ApiVersionsRequest".into(), both_ways("0-3"))],
            // Claim record sets as the message RecordBatch, with `compressions`. For messages inside other data
            // implement `Codec::embedded`.
            ..Hello::default()
        }
    }

    fn decode(&mut self, _message: &str, version: i16, data: &[u8]) -> Result<Decoded, Refusal> {
        let (read, consumed) = read(version, data)?;
        Ok(Decoded { value: to_value(version, &read), consumed })
    }

    fn encode(&mut self, _message: &str, version: i16, value: &Object) -> Result<Vec<u8>, Refusal> {
        write(version, &from_value(value)?)
    }

    fn reencode(&mut self, _message: &str, version: i16, data: &[u8]) -> Result<Reencoded, Refusal> {
        let (read, consumed) = read(version, data)?;
        Ok(Reencoded { data: write(version, &read)?, consumed })
    }
}

/// Calls the codec and converts its errors to refusals. The kit reports any other error, and a panic, as a failure of
/// the codec.
fn read(version: i16, data: &[u8]) -> Result<(ApiVersionsRequest, usize), Refusal> {
    ApiVersionsRequest::decode(version, data).map_err(|error| Refusal::decode("Malformed", error.0))
}

fn write(version: i16, made: &ApiVersionsRequest) -> Result<Vec<u8>, Refusal> {
    made.encode(version).map_err(|error| Refusal::encode("Malformed", error.0))
}

/// Converts the codec's struct to an object with Kafka's names and the fields of the version.
fn to_value(version: i16, read: &ApiVersionsRequest) -> Object {
    let mut value = Object::new();
    if version >= 3 {
        value.insert("clientSoftwareName".into(), read.client_software_name.as_str().into());
        value.insert("clientSoftwareVersion".into(), read.client_software_version.as_str().into());
        if !read.tags.is_empty() {
            value.insert(TAGS.into(), tags(read.tags.iter().map(|(tag, data)| (*tag, data.as_slice()))));
        }
    }
    value
}

/// Converts an object to the codec's struct. Absent fields keep the codec's defaults.
fn from_value(value: &Object) -> Result<ApiVersionsRequest, Refusal> {
    let mut made = ApiVersionsRequest::default();
    if let Some(name) = value.get("clientSoftwareName") {
        made.client_software_name = text(name)?;
    }
    if let Some(version) = value.get("clientSoftwareVersion") {
        made.client_software_version = text(version)?;
    }
    made.tags = as_tags(value).ok_or_else(|| Refusal::internal("value", "invalid tags"))?;
    Ok(made)
}

fn text(value: &Value) -> Result<String, Refusal> {
    let text =
        value.as_str().ok_or_else(|| Refusal::internal("value", format!("{value} is not a string")))?;
    Ok(text.into())
}
