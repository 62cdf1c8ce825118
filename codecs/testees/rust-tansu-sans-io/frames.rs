//! Frames of tansu-sans-io, and their headers.

use tansu_model::{MessageKind, MessageMeta};
use tansu_sans_io::{Body, Error, Frame, Header};
use wireproof_testee::value::{as_long, TAGS};
use wireproof_testee::{Object, Refusal, Value};

const API_VERSIONS: i16 = 18;

/// Returns the header version that the crate uses. It has no table of them: it uses the flexible header for flexible
/// messages, except for the response to ApiVersions.
pub fn header_version(meta: &MessageMeta, version: i16) -> i16 {
    let flexible = meta.is_flexible(version);
    match meta.message_kind {
        MessageKind::Request => 1 + i16::from(flexible),
        MessageKind::Response => i16::from(flexible && meta.api_key != API_VERSIONS),
    }
}

/// Builds a frame with a plain header around the bytes of a body.
pub fn around(meta: &MessageMeta, version: i16, data: &[u8]) -> Vec<u8> {
    let mut framed = vec![0; 4];
    if meta.message_kind == MessageKind::Request {
        framed.extend(meta.api_key.to_be_bytes());
        framed.extend(version.to_be_bytes());
    }
    framed.extend(0_i32.to_be_bytes()); // the correlation id
    match (meta.message_kind, header_version(meta, version)) {
        (MessageKind::Request, 1) => framed.extend([0xff, 0xff]), // no client id
        (MessageKind::Request, _) => framed.extend([0xff, 0xff, 0]),
        (MessageKind::Response, 0) => {}
        (MessageKind::Response, _) => framed.push(0),
    }
    framed.extend(data);
    let size = framed.len() as i32 - 4;
    framed[..4].copy_from_slice(&size.to_be_bytes());
    framed
}

/// Returns the header that `around` writes.
pub fn plain_header(meta: &MessageMeta, version: i16) -> Header {
    match meta.message_kind {
        MessageKind::Request => Header::Request {
            api_key: meta.api_key,
            api_version: version,
            correlation_id: 0,
            client_id: None,
        },
        MessageKind::Response => Header::Response { correlation_id: 0 },
    }
}

/// Decodes a frame. Returns it with the number of bytes read.
pub fn read(meta: &MessageMeta, version: i16, data: &[u8]) -> Result<(Frame, usize), Error> {
    let mut left = data;
    let frame = match meta.message_kind {
        MessageKind::Request => Frame::request_from_bytes(&mut left)?,
        MessageKind::Response => Frame::response_from_bytes(&mut left, meta.api_key, version)?,
    };
    Ok((frame, data.len() - left.len()))
}

pub fn written(meta: &MessageMeta, version: i16, header: Header, body: Body) -> Result<Vec<u8>, Error> {
    let framed = match meta.message_kind {
        MessageKind::Request => Frame::request(header, body)?,
        MessageKind::Response => Frame::response(header, body, meta.api_key, version)?,
    };
    Ok(framed.into())
}

/// Converts a header to canonical JSON.
pub fn header_to_json(header: Header) -> Object {
    let mut object = Object::new();
    match header {
        Header::Request { api_key, api_version, correlation_id, client_id } => {
            object.insert("requestApiKey".into(), api_key.into());
            object.insert("requestApiVersion".into(), api_version.into());
            object.insert("correlationId".into(), correlation_id.into());
            object.insert("clientId".into(), client_id.into());
        }
        Header::Response { correlation_id } => {
            object.insert("correlationId".into(), correlation_id.into());
        }
    }
    object
}

/// Converts canonical JSON to a header. An absent client id is empty, as in Kafka.
pub fn header_from_json(meta: &MessageMeta, version: i16, value: &Object) -> Result<Header, Refusal> {
    let number = |name: &str| value.get(name).and_then(as_long);
    let another = |name: &str, own: i16| number(name).is_some_and(|said| said != i64::from(own));
    if value.contains_key(TAGS) {
        return Err(Refusal::unsupported("header", "tags"));
    }
    if another("requestApiKey", meta.api_key) || another("requestApiVersion", version) {
        return Err(Refusal::unsupported("header", "of another message"));
    }
    let correlation_id = number("correlationId").unwrap_or_default().try_into()?;
    let client_id = value.get("clientId").map_or(Some(""), Value::as_str).map(String::from);
    Ok(match meta.message_kind {
        MessageKind::Request => {
            Header::Request { api_key: meta.api_key, api_version: version, correlation_id, client_id }
        }
        MessageKind::Response => Header::Response { correlation_id },
    })
}
