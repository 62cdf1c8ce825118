//! The adapter of the crate tansu-sans-io: the requests and responses in its own index of messages, with values
//! through serde. The crate decodes and encodes only whole frames, so the adapter puts each body into a frame.

mod bodies;
mod frames;
mod values;

use tansu_model::{MessageKind, MessageMeta};
use tansu_sans_io::{Body, Error, MESSAGE_META};
use wireproof_testee::{claim, locked, ranges, Api, Claim, Codec, Decoded, Direction};
use wireproof_testee::{Hello, Object, Reencoded, Refusal, Unframed, Ways};

fn main() {
    let unknown = MESSAGE_META.iter().find(|(name, _)| !bodies::NAMES.contains(name));
    assert!(unknown.is_none(), "bodies.rs lacks {unknown:?}");
    wireproof_testee::main(Tansu)
}

const LIMITS: [(&str, &str); 3] = [
    ("field", "a field, or unknown tags, that the crate's struct has no place for"),
    ("header", "a request header that says another API or version than its body, or a header with tags"),
    (
        "type",
        "a value outside the Rust type of its field: a null if that is not an Option, a number out of range",
    ),
];

struct Tansu;

impl Codec for Tansu {
    fn hello(&self) -> Hello {
        let link = |(name, text): (&str, &str)| (name.to_string(), text.to_string());
        Hello {
            name: "tansu-sans-io".into(),
            version: locked(include_str!("Cargo.lock"), "tansu-sans-io"),
            links: vec![link(("source", "https://github.com/tansu-io/tansu"))],
            claims: MESSAGE_META.iter().map(|(name, meta)| (name.to_string(), claimed(meta))).collect(),
            limits: LIMITS.into_iter().map(link).collect(),
            names: "3.9".into(),
            whole: true,
            registry: MESSAGE_META.iter().map(|(_, meta)| api(meta)).collect(),
            index: MESSAGE_META.iter().map(|(name, meta)| (name.to_string(), has(meta))).collect(),
            ..Hello::default()
        }
    }

    fn decode(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Decoded, Refusal> {
        let meta = find(message)?;
        let (body, consumed) = read(meta, version, data)?;
        Ok(Decoded { value: values::to_json(meta, version, &body)?, consumed })
    }

    fn encode(&mut self, message: &str, version: i16, value: &Object) -> Result<Vec<u8>, Refusal> {
        let meta = find(message)?;
        written(meta, version, values::from_json(meta, version, value)?)
    }

    fn reencode(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Reencoded, Refusal> {
        let meta = find(message)?;
        let (body, consumed) = read(meta, version, data)?;
        Ok(Reencoded { data: written(meta, version, body)?, consumed })
    }

    fn frame(
        &mut self,
        message: &str,
        version: i16,
        header: &Object,
        value: &Object,
    ) -> Result<Vec<u8>, Refusal> {
        let meta = find(message)?;
        let header = frames::header_from_json(meta, version, header)?;
        let body = values::from_json(meta, version, value)?;
        frames::written(meta, version, header, body).map_err(not_written)
    }

    fn unframe(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Unframed, Refusal> {
        let meta = find(message)?;
        let (frame, consumed) = frames::read(meta, version, data).map_err(not_read)?;
        let header = frames::header_to_json(frame.header);
        Ok(Unframed { header, value: values::to_json(meta, version, &frame.body)?, consumed })
    }
}

/// Decodes a body. Returns it with the number of bytes read.
fn read(meta: &MessageMeta, version: i16, data: &[u8]) -> Result<(Body, usize), Refusal> {
    let framed = frames::around(meta, version, data);
    let (frame, consumed) = frames::read(meta, version, &framed).map_err(not_read)?;
    Ok((frame.body, consumed - (framed.len() - data.len())))
}

fn written(meta: &MessageMeta, version: i16, body: Body) -> Result<Vec<u8>, Refusal> {
    let framed = frames::written(meta, version, frames::plain_header(meta, version), body);
    Ok(framed.map_err(not_written)?.split_off(frames::around(meta, version, &[]).len()))
}

fn not_read(error: Error) -> Refusal {
    Refusal::decode(class(&error), error.to_string())
}

fn not_written(error: Error) -> Refusal {
    Refusal::encode(class(&error), error.to_string())
}

/// Returns the name of the error's variant.
fn class(error: &Error) -> String {
    format!("{error:?}").chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn find(message: &str) -> Result<&'static MessageMeta, Refusal> {
    let found = MESSAGE_META.iter().find(|(name, _)| *name == message);
    Ok(found.ok_or_else(|| Refusal::adapter(format!("the crate has no {message}")))?.1)
}

/// Returns the claim for a message. The crate parses the record sets in a message and drops their bytes, so messages
/// with record sets have no values.
fn claimed(meta: &MessageMeta) -> Claim {
    let operations: &[&str] = if values::has_records(meta.fields) {
        &["reencode"]
    } else {
        &["decode", "encode", "reencode", "frame", "unframe"]
    };
    claim(operations, &versions(meta))
}

fn versions(meta: &MessageMeta) -> String {
    ranges(meta.version.valid.start, meta.version.valid.end)
}

fn has(meta: &MessageMeta) -> Ways {
    Ways { encode: versions(meta), decode: versions(meta) }
}

/// Returns the crate's entry for a message of an API.
fn api(meta: &MessageMeta) -> Api {
    let valid = meta.version.valid;
    let headers =
        (valid.start..=valid.end).map(|each| (each.to_string(), frames::header_version(meta, each)));
    let direction =
        Some(Direction { message: meta.name.into(), versions: versions(meta), headers: headers.collect() });
    match meta.message_kind {
        MessageKind::Request => Api { key: meta.api_key, request: direction, response: None },
        MessageKind::Response => Api { key: meta.api_key, request: None, response: direction },
    }
}
