//! Record sets, with the crate's module `records`. It decodes and encodes lists of records; each record repeats the
//! fields of its batch. Fields of a batch that cannot be derived from its records are a limit.

use bytes::{Buf, Bytes, BytesMut};
use kafka_protocol::indexmap::IndexMap;
use kafka_protocol::protocol::StrBytes;
use kafka_protocol::records::{
    BatchDecodeInfo, Compression, Record, RecordBatchDecoder, RecordBatchEncoder, RecordEncodeOptions,
    TimestampType,
};
use serde_json::json;
use wireproof_testee::value::{as_long, bytes_of, hex, long};
use wireproof_testee::{claim, Claim, Decoded, Object, Refusal, Value};

use crate::{declined, written};

pub const MESSAGE: &str = "RecordBatch";
/// The magic that the crate supports. It rejects the older ones.
pub const VERSION: &str = "2";

const LIMITS: [(&str, &str); 4] = [
    ("batch", "a batch whose header does not follow from its records, or that holds none"),
    ("unused", "attributes of records, and bits of a batch's that have no meaning yet"),
    ("headers", "headers of a record by one key, for they are a map"),
    (
        "hidden",
        "a last offset and a largest timestamp that do not follow from the records: they are not shown",
    ),
];
/// The limits of random record sets, in the protocol's words.
const RECORD_LIMITS: [&str; 6] =
    ["tail", "unused-bits", "derived-header", "first-offset", "rising-times", "header-keys"];
const CODECS: [Compression; 5] =
    [Compression::None, Compression::Gzip, Compression::Snappy, Compression::Lz4, Compression::Zstd];

pub fn limits() -> Vec<(String, String)> {
    LIMITS.iter().map(|(name, reason)| (name.to_string(), reason.to_string())).collect()
}

pub fn record_limits() -> Vec<String> {
    RECORD_LIMITS.iter().map(|name| name.to_string()).collect()
}

pub fn compressions() -> Claim {
    claim(&["none", "gzip", "snappy", "lz4", "zstd"], VERSION)
}

/// Decodes batch after batch until the end of the data, as a consumer does.
pub fn decode(data: &[u8]) -> Result<Decoded, Refusal> {
    let mut left = Bytes::copy_from_slice(data);
    let mut batches = Vec::new();
    while left.has_remaining() {
        let start = data.len() - left.remaining();
        let set = RecordBatchDecoder::decode(&mut left).map_err(declined)?;
        let whole = &data[start..data.len() - left.remaining()];
        let head = RecordBatchDecoder::decode_batch_info(&mut Bytes::copy_from_slice(whole));
        let [head] = head.map_err(declined)?.try_into().map_err(|_| unsupported("batch", "it is not one"))?;
        batches.push(batch_to_json(&head, &set.records, whole)?);
    }
    let mut value = Object::new();
    value.insert("batches".into(), batches.into());
    value.insert("tail".into(), "".into());
    Ok(Decoded { value, consumed: data.len() })
}

fn batch_to_json(head: &BatchDecodeInfo, records: &[Record], whole: &[u8]) -> Result<Value, Refusal> {
    let offset_delta = |record: &Record| record.offset.wrapping_sub(head.min_offset);
    let time_delta = |record: &Record| record.timestamp.wrapping_sub(head.min_timestamp);
    let last = records.iter().map(offset_delta).max().unwrap_or_default();
    let latest = records.iter().map(|record| record.timestamp).max().unwrap_or(head.min_timestamp);
    if whole[LAST_OFFSET..][..4] != (last as i32).to_be_bytes()
        || whole[MAX_TIMESTAMP..][..8] != latest.to_be_bytes()
    {
        return Err(unsupported("hidden", "it does not follow from the records"));
    }
    if u16::from_be_bytes([whole[ATTRIBUTES], whole[ATTRIBUTES + 1]]) >> 7 != 0 {
        return Err(unsupported("unused", "bits of the batch's attributes"));
    }
    let record_to_json = |record: &Record| {
        json!({
            "timestampDelta": long(time_delta(record)),
            "offsetDelta": offset_delta(record),
            "key": record.key.as_deref().map(hex),
            "value": record.value.as_deref().map(hex),
            "headers": record.headers.iter().map(header_to_json).collect::<Vec<_>>(),
        })
    };
    Ok(json!({
        "magic": head.version,
        "compression": head.compression as i8,
        "baseOffset": long(head.min_offset),
        "partitionLeaderEpoch": head.partition_leader_epoch,
        "logAppendTime": head.timestamp_type == TimestampType::LogAppend,
        "transactional": head.transactional,
        "control": head.control,
        "deleteHorizon": head.delete_horizon,
        "lastOffsetDelta": last,
        "baseTimestamp": long(head.min_timestamp),
        "maxTimestamp": long(latest),
        "producerId": long(head.producer_id),
        "producerEpoch": head.producer_epoch,
        "baseSequence": head.base_sequence,
        "records": records.iter().map(record_to_json).collect::<Vec<_>>(),
    }))
}

/// Offset in a batch of a field that the crate reads and does not return.
const ATTRIBUTES: usize = 21;
const LAST_OFFSET: usize = 23;
const MAX_TIMESTAMP: usize = 35;

fn header_to_json((key, value): (&StrBytes, &Option<Bytes>)) -> Value {
    json!({"key": key.as_str(), "value": value.as_deref().map(hex)})
}

/// Encodes a list of records for each batch, as a producer does.
pub fn encode(value: &Object) -> Result<Vec<u8>, Refusal> {
    if value.get("tail").and_then(Value::as_str).is_some_and(|tail| !tail.is_empty()) {
        return Err(unsupported("batch", "bytes of a batch that is cut off"));
    }
    let mut set = Vec::new();
    for batch in list(value, "batches") {
        let batch = batch.as_object().ok_or_else(|| Refusal::adapter("a batch must be an object"))?;
        let codec = CODECS[number(batch, "compression", 0) as usize];
        let records = records_of(batch)?;
        let options = RecordEncodeOptions { version: 2, compression: codec };
        let made: BytesMut = written(|out| RecordBatchEncoder::encode(out, &records, &options))?;
        set.extend_from_slice(&made);
    }
    Ok(set)
}

fn records_of(batch: &Object) -> Result<Vec<Record>, Refusal> {
    let records = list(batch, "records");
    let deltas =
        |name: &'static str| records.iter().filter_map(Value::as_object).map(move |one| number(one, name, 0));
    let time = number(batch, "baseTimestamp", -1);
    let follows = deltas("offsetDelta").min() == Some(0)
        && deltas("offsetDelta").max() == Some(number(batch, "lastOffsetDelta", 0))
        && deltas("timestampDelta").min() == Some(0)
        && deltas("timestampDelta").max().and_then(|most| time.checked_add(most))
            == Some(number(batch, "maxTimestamp", -1));
    if !follows {
        return Err(unsupported("batch", "a header that does not follow from the records"));
    }
    if number(batch, "reserved", 0) != 0 || deltas("attributes").any(|bits| bits != 0) {
        return Err(unsupported("unused", "attributes that have no meaning"));
    }
    records.iter().filter_map(Value::as_object).map(|record| record_of(batch, record)).collect()
}

fn record_of(batch: &Object, record: &Object) -> Result<Record, Refusal> {
    let delta = number(record, "offsetDelta", 0);
    let offset = number(batch, "baseOffset", 0).checked_add(delta);
    let log_append = flag(batch, "logAppendTime");
    Ok(Record {
        transactional: flag(batch, "transactional"),
        control: flag(batch, "control"),
        delete_horizon: flag(batch, "deleteHorizon"),
        partition_leader_epoch: number(batch, "partitionLeaderEpoch", -1) as i32,
        producer_id: number(batch, "producerId", -1),
        producer_epoch: number(batch, "producerEpoch", -1) as i16,
        timestamp_type: if log_append { TimestampType::LogAppend } else { TimestampType::Creation },
        offset: offset.ok_or_else(|| unsupported("batch", "an offset past the end"))?,
        sequence: (number(batch, "baseSequence", -1) as i32).wrapping_add(delta as i32),
        timestamp: number(batch, "baseTimestamp", -1) + number(record, "timestampDelta", 0),
        key: bytes(record, "key"),
        value: bytes(record, "value"),
        headers: headers(record)?,
    })
}

fn headers(record: &Object) -> Result<IndexMap<StrBytes, Option<Bytes>>, Refusal> {
    let mut map = IndexMap::new();
    for header in list(record, "headers").iter().filter_map(Value::as_object) {
        let key = header.get("key").and_then(Value::as_str).unwrap_or_default();
        if map.insert(StrBytes::from_string(key.into()), bytes(header, "value")).is_some() {
            return Err(unsupported("headers", key));
        }
    }
    Ok(map)
}

fn list<'a>(object: &'a Object, name: &str) -> &'a [Value] {
    object.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn number(object: &Object, name: &str, absent: i64) -> i64 {
    object.get(name).and_then(as_long).unwrap_or(absent)
}

fn flag(object: &Object, name: &str) -> bool {
    object.get(name).and_then(Value::as_bool).unwrap_or_default()
}

fn bytes(object: &Object, name: &str) -> Option<Bytes> {
    object.get(name).and_then(Value::as_str).and_then(bytes_of).map(Bytes::from)
}

fn unsupported(reason: &str, message: &str) -> Refusal {
    Refusal::unsupported(reason, message)
}
