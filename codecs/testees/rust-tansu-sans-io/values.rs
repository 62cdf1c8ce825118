//! Conversions between bodies and canonical JSON, with the crate's own index of fields.

use ciborium::Value as Plain;
use tansu_model::{FieldMeta, KindMeta, MessageMeta};
use tansu_sans_io::Body;
use wireproof_testee::value::{as_float, as_long, bytes_of, float, hex, long};
use wireproof_testee::{Object, Refusal, Value};

use crate::bodies;

type Fields = &'static [(&'static str, &'static FieldMeta)];

pub fn has_records(fields: Fields) -> bool {
    fields.iter().any(|(_, field)| field.kind.is_records() || has_records(field.fields))
}

/// Converts a body to an object with Kafka's names and the fields of the version.
pub fn to_json(meta: &MessageMeta, version: i16, body: &Body) -> Result<Object, Refusal> {
    object(meta.fields, version, &bodies::opened(body)?)
}

/// Converts canonical JSON to a body. The value must have every field: the crate has no defaults.
pub fn from_json(meta: &MessageMeta, version: i16, value: &Object) -> Result<Body, Refusal> {
    let plain = plain_struct(meta.fields, version, value)?;
    bodies::made(meta.name, &plain).map_err(|error| Refusal::unsupported("type", error.to_string()))
}

/// Converts a struct to canonical JSON. None becomes null, or an absent tagged field.
fn object(fields: Fields, version: i16, value: &Plain) -> Result<Object, Refusal> {
    let members = value.as_map().ok_or_else(|| odd("struct", value))?;
    let mut object = Object::new();
    for (name, field) in fields.iter().filter(|(_, field)| field.version.within(version)) {
        let member = members.iter().find(|(key, _)| key.as_text() == Some(name));
        let (_, held) = member.ok_or_else(|| Refusal::internal("field", format!("there is no {name}")))?;
        if !held.is_null() || !field.tagged.is_some_and(|tagged| tagged.within(version)) {
            object.insert(camel(name), json(field.kind, field.fields, version, held)?);
        }
    }
    Ok(object)
}

fn json(kind: KindMeta, fields: Fields, version: i16, held: &Plain) -> Result<Value, Refusal> {
    let wrong = || odd(kind.name(), held);
    let integer = || i64::try_from(held.as_integer().ok_or_else(wrong)?).map_err(|_| wrong());
    if held.is_null() {
        return Ok(Value::Null);
    }
    if let Some(inner) = kind.kind_of_sequence() {
        let items = held.as_array().ok_or_else(wrong)?.iter();
        return items.map(|item| json(inner, fields, version, item)).collect();
    }
    Ok(match kind.name() {
        "bool" => held.as_bool().ok_or_else(wrong)?.into(),
        "int8" | "int16" | "int32" | "uint16" => integer()?.into(),
        "int64" | "uint32" => long(integer()?),
        "float64" => float(held.as_float().ok_or_else(wrong)?),
        "string" => held.as_text().ok_or_else(wrong)?.into(),
        "bytes" => hex(held.as_bytes().ok_or_else(wrong)?).into(),
        "uuid" => {
            let bytes = held.as_array().ok_or_else(wrong)?.iter().map(byte).collect::<Option<Vec<_>>>();
            dashed(&bytes.ok_or_else(wrong)?).into()
        }
        _ => object(fields, version, held)?.into(),
    })
}

fn plain_struct(fields: Fields, version: i16, value: &Object) -> Result<Plain, Refusal> {
    let mut members = Vec::new();
    for (key, held) in value {
        let field = fields.iter().find(|(name, _)| camel(name) == *key);
        let (name, field) = field.ok_or_else(|| Refusal::unsupported("field", key))?;
        members.push((Plain::from(*name), plain(field.kind, field.fields, version, held)?));
    }
    Ok(Plain::Map(members))
}

fn plain(kind: KindMeta, fields: Fields, version: i16, held: &Value) -> Result<Plain, Refusal> {
    let wrong = || Refusal::unsupported("type", format!("{held} as {}", kind.name()));
    if held.is_null() {
        return Ok(Plain::Null);
    }
    if let Some(inner) = kind.kind_of_sequence() {
        let items = held.as_array().ok_or_else(wrong)?.iter();
        let items = items.map(|item| plain(inner, fields, version, item)).collect::<Result<_, _>>();
        return Ok(Plain::Array(items?));
    }
    Ok(match kind.name() {
        "bool" => held.as_bool().ok_or_else(wrong)?.into(),
        "int8" | "int16" | "int32" | "uint16" | "int64" | "uint32" => as_long(held).ok_or_else(wrong)?.into(),
        "float64" => as_float(held).ok_or_else(wrong)?.into(),
        "string" => held.as_str().ok_or_else(wrong)?.into(),
        "bytes" => Plain::Bytes(held.as_str().and_then(bytes_of).ok_or_else(wrong)?),
        "uuid" => {
            let digits = held.as_str().ok_or_else(wrong)?.replace('-', "");
            let bytes = bytes_of(&digits).ok_or_else(wrong)?;
            Plain::Array(bytes.into_iter().map(Plain::from).collect())
        }
        _ => plain_struct(fields, version, held.as_object().ok_or_else(wrong)?)?,
    })
}

fn odd(kind: &str, held: &Plain) -> Refusal {
    Refusal::internal("value", format!("the crate holds {held:?} as {kind}"))
}

fn byte(held: &Plain) -> Option<u8> {
    held.as_integer().and_then(|number| u8::try_from(number).ok())
}

/// Formats a UUID with dashes.
fn dashed(bytes: &[u8]) -> String {
    let digits = hex(bytes);
    let part = |from, to| digits.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

/// Converts the crate's snake case name of a field to Kafka's camel case.
fn camel(name: &str) -> String {
    let mut upper = false;
    let mut kept = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '_' => upper = true,
            _ if upper => {
                kept.push(letter.to_ascii_uppercase());
                upper = false;
            }
            _ => kept.push(letter),
        }
    }
    kept
}
