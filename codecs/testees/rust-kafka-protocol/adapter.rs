//! The adapter of the crate kafka-protocol. The crate cannot convert its structs to other formats, so the adapter
//! decodes messages and encodes them again: requests and responses by the crate's own index of APIs, headers and data
//! types by name. Only record sets are converted to values.

mod record_sets;

use std::any::type_name;
use std::collections::BTreeMap;

use bytes::{Buf, Bytes, BytesMut};
use kafka_protocol::messages::*;
use kafka_protocol::protocol::{Decodable, Encodable, Message, VersionRange};
use wireproof_testee::{
    both_ways, claim, locked, ranges, Api, Codec, Decoded, Direction, Hello, Object, Reencoded, Refusal, Ways,
};

fn main() {
    wireproof_testee::main(KafkaProtocol { kinds: kinds() })
}

/// The error class: the crate returns `anyhow::Error` everywhere.
const ERROR: &str = "Error";

/// Decodes a message at a version and encodes it again. Leaves the bytes after the message unread.
type Again = Box<dyn Fn(&mut Bytes, i16) -> Result<BytesMut, Refusal>>;

struct Kind {
    versions: VersionRange,
    again: Again,
}

struct KafkaProtocol {
    kinds: BTreeMap<String, Kind>,
}

impl Codec for KafkaProtocol {
    fn hello(&self) -> Hello {
        let claimed = |kind: &Kind| claim(&["reencode"], &ranges(kind.versions.min, kind.versions.max));
        let mut claims: Vec<_> =
            self.kinds.iter().map(|(name, kind)| (name.clone(), claimed(kind))).collect();
        claims.push((record_sets::MESSAGE.into(), claim(&["decode", "encode"], record_sets::VERSION)));
        let mut index: Vec<_> = self.kinds.iter().map(|(name, kind)| (name.clone(), has(kind))).collect();
        index.push((record_sets::MESSAGE.into(), both_ways(record_sets::VERSION)));
        Hello {
            name: "kafka-protocol".into(),
            version: locked(include_str!("Cargo.lock"), "kafka-protocol"),
            links: vec![("source".into(), "https://github.com/tychedelia/kafka-protocol-rs".into())],
            claims,
            compressions: record_sets::compressions(),
            limits: record_sets::limits(),
            record_limits: record_sets::record_limits(),
            registry: ApiKey::iter().map(api).collect(),
            index,
            ..Hello::default()
        }
    }

    fn reencode(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Reencoded, Refusal> {
        let kind = self
            .kinds
            .get(message)
            .ok_or_else(|| Refusal::adapter(format!("{message} is not in the index")))?;
        let mut left = Bytes::copy_from_slice(data);
        let again = (kind.again)(&mut left, version)?;
        Ok(Reencoded { data: again.to_vec(), consumed: data.len() - left.remaining() })
    }

    fn decode(&mut self, _: &str, _: i16, data: &[u8]) -> Result<Decoded, Refusal> {
        record_sets::decode(data)
    }

    fn encode(&mut self, _: &str, _: i16, value: &Object) -> Result<Vec<u8>, Refusal> {
        record_sets::encode(value)
    }
}

fn has(kind: &Kind) -> Ways {
    let versions = ranges(kind.versions.min, kind.versions.max);
    Ways { encode: versions.clone(), decode: versions }
}

fn kinds() -> BTreeMap<String, Kind> {
    let mut kinds = BTreeMap::from([
        data_type::<ConsumerProtocolAssignment>(),
        data_type::<ConsumerProtocolSubscription>(),
        data_type::<DefaultPrincipalData>(),
        data_type::<EndTxnMarker>(),
        data_type::<KRaftVersionRecord>(),
        data_type::<LeaderChangeMessage>(),
        data_type::<RequestHeader>(),
        data_type::<ResponseHeader>(),
        data_type::<SnapshotFooterRecord>(),
        data_type::<SnapshotHeaderRecord>(),
        data_type::<VotersRecord>(),
    ]);
    for key in ApiKey::iter() {
        let request: Again = Box::new(move |data, version| {
            let read = RequestKind::decode(key, data, version).map_err(declined)?;
            written(|out| read.encode(out, version))
        });
        let response: Again = Box::new(move |data, version| {
            let read = ResponseKind::decode(key, data, version).map_err(declined)?;
            written(|out| read.encode(out, version))
        });
        let versions = key.valid_versions();
        kinds.insert(format!("{key:?}Request"), Kind { versions, again: request });
        kinds.insert(format!("{key:?}Response"), Kind { versions, again: response });
    }
    kinds
}

fn data_type<T: Message + Encodable + Decodable>() -> (String, Kind) {
    let again: Again = Box::new(|data, version| {
        let read = T::decode(data, version).map_err(declined)?;
        written(|out| read.encode(out, version))
    });
    let name = type_name::<T>().rsplit("::").next().unwrap_or_default();
    (name.into(), Kind { versions: T::VERSIONS, again })
}

fn written(write: impl FnOnce(&mut BytesMut) -> anyhow::Result<()>) -> Result<BytesMut, Refusal> {
    let mut out = BytesMut::new();
    write(&mut out).map_err(|error| Refusal::encode(ERROR, format!("{error:#}")))?;
    Ok(out)
}

fn declined(error: anyhow::Error) -> Refusal {
    Refusal::decode(ERROR, format!("{error:#}"))
}

/// Returns the crate's entry for an API.
fn api(key: ApiKey) -> Api {
    let VersionRange { min, max } = key.valid_versions();
    let direction = |kind: &str, header: fn(&ApiKey, i16) -> i16| Direction {
        message: format!("{key:?}{kind}"),
        versions: ranges(min, max),
        headers: (min..=max).map(|version| (version.to_string(), header(&key, version))).collect(),
    };
    Api {
        key: key as i16,
        request: Some(direction("Request", ApiKey::request_header_version)),
        response: Some(direction("Response", ApiKey::response_header_version)),
    }
}
