//! The adapter of my-codec. It only calls the codec: the crate wireproof_testee implements the protocol.

mod codec; // the example codec: replace it with yours, and add your crate in testee.toml

use codec::{Bytes, Message, Tags, Uuid};
use wireproof_testee::value;
use wireproof_testee::{claim, Codec, Hello, Object, Refusal, Value, Ways};
// <decode>
use wireproof_testee::Decoded;
// </decode>
// <both>
use wireproof_testee::Reencoded;
// </both>

fn main() {
    wireproof_testee::main(Port)
}

struct Port;

impl Codec for Port {
    fn hello(&self) -> Hello {
        Hello {
            name: "my-codec".into(),
            version: "0.1.0".into(), // better: locked(include_str!("Cargo.lock"), "your-codec")
            claims: vec![("MESSAGE".into(), claim(&[OPERATIONS], codec::VERSIONS))],
            // All messages that your codec implements, read from the codec itself. List those without a claim in
            // `unclaimed`, with the reason.
            index: vec![("MESSAGE".into(), Ways { WAYS, ..Ways::default() })],
            // Claim record sets as the message RecordBatch, with `compressions`. For messages inside other data
            // implement `Codec::embedded`.
            ..Hello::default()
        }
    }

    // <decode>
    fn decode(&mut self, _message: &str, version: i16, data: &[u8]) -> Result<Decoded, Refusal> {
        let (mut read, consumed) = read(version, data)?;
        Ok(Decoded { value: to_object(&mut read, version)?, consumed })
    }

    // </decode>
    // <encode>
    fn encode(&mut self, _message: &str, version: i16, value: &Object) -> Result<Vec<u8>, Refusal> {
        write(version, &mut from_object(value)?)
    }
    // </encode>
    // <both>

    fn reencode(&mut self, _message: &str, version: i16, data: &[u8]) -> Result<Reencoded, Refusal> {
        let (mut read, consumed) = read(version, data)?;
        Ok(Reencoded { data: write(version, &mut read)?, consumed })
    }
    // </both>
}

// <decode>
/// Calls the codec and converts its errors to refusals. The kit reports any other error, and a panic, as a failure of
/// the codec.
fn read(version: i16, data: &[u8]) -> Result<(codec::MESSAGE, usize), Refusal> {
    codec::MESSAGE::decode(data, version).map_err(|error| Refusal::decode("Malformed", error.0))
}

// </decode>
// <encode>
fn write(version: i16, made: &mut codec::MESSAGE) -> Result<Vec<u8>, Refusal> {
    made.encode(version).map_err(|error| Refusal::encode("Malformed", error.0))
}

// </encode>
/// A struct of Kafka as a struct of the codec: each field has Kafka's name, the versions that have it, and its place.
trait Shape: Default {
    fn fields(&mut self, object: &mut Conversion) -> Result<(), Refusal>;
}

// SHAPES
/// The object that is made of a struct, in a version; or, without a version, the one of which a struct is made.
struct Conversion {
    value: Object,
    version: Option<i16>,
}

impl Conversion {
    #[allow(unused_variables)] // if one direction is claimed
    fn field<T: Json>(&mut self, name: &str, versions: &str, held: &mut T) -> Result<(), Refusal> {
        // <decode>
        if let Some(version) = self.version {
            if has(version, versions) {
                self.value.insert(name.into(), held.to_json(version)?);
            }
            return Ok(());
        }
        // </decode>
        // <encode>
        if let Some(value) = self.value.get(name) {
            *held = T::from_json(value)?;
        }
        // </encode>
        Ok(())
    }

    fn tags(&mut self, held: &mut Tags) -> Result<(), Refusal> {
        // <decode>
        if self.version.is_some() {
            if !held.is_empty() {
                let tags = value::tags(held.iter().map(|(tag, data)| (*tag, data.as_slice())));
                self.value.insert(value::TAGS.into(), tags);
            }
            return Ok(());
        }
        // </decode>
        // <encode>
        let tags = value::as_tags(&self.value).ok_or_else(|| Refusal::internal("value", "invalid tags"))?;
        *held = tags.into_iter().collect();
        // </encode>
        Ok(())
    }
}

// <decode>
fn has(version: i16, versions: &str) -> bool {
    let (first, last) = versions.split_once('-').unwrap_or((versions, versions));
    match (first.parse::<i16>(), last.parse::<i16>()) {
        (Ok(first), Ok(last)) => first <= version && version <= last,
        _ => false,
    }
}

/// Converts the codec's struct to an object with Kafka's names and the fields of the version.
fn to_object(read: &mut impl Shape, version: i16) -> Result<Object, Refusal> {
    let mut made = Conversion { value: Object::new(), version: Some(version) };
    read.fields(&mut made)?;
    Ok(made.value)
}

// </decode>
// <encode>
/// Converts an object to the codec's struct. Absent fields keep the codec's defaults.
fn from_object<T: Shape>(value: &Object) -> Result<T, Refusal> {
    let mut made = T::default();
    made.fields(&mut Conversion { value: value.clone(), version: None })?;
    Ok(made)
}

fn fitting<T>(held: Option<T>, value: &Value) -> Result<T, Refusal> {
    held.ok_or_else(|| Refusal::internal("value", format!("{value} does not fit")))
}

// </encode>
/// What a field holds, as canonical JSON.
trait Json: Sized {
    // <decode>
    fn to_json(&mut self, version: i16) -> Result<Value, Refusal>;
    // </decode>
    // <encode>
    fn from_json(value: &Value) -> Result<Self, Refusal>;
    // </encode>
}

impl<T: Shape> Json for T {
    // <decode>
    fn to_json(&mut self, version: i16) -> Result<Value, Refusal> {
        to_object(self, version).map(Value::Object)
    }
    // </decode>
    // <encode>
    fn from_json(value: &Value) -> Result<Self, Refusal> {
        from_object(fitting(value.as_object(), value)?)
    }
    // </encode>
}

impl<T: Json> Json for Option<T> {
    // <decode>
    fn to_json(&mut self, version: i16) -> Result<Value, Refusal> {
        self.as_mut().map_or(Ok(Value::Null), |held| held.to_json(version))
    }
    // </decode>
    // <encode>
    fn from_json(value: &Value) -> Result<Self, Refusal> {
        if value.is_null() { Ok(None) } else { T::from_json(value).map(Some) }
    }
    // </encode>
}

impl<T: Json> Json for Vec<T> {
    // <decode>
    fn to_json(&mut self, version: i16) -> Result<Value, Refusal> {
        self.iter_mut().map(|each| each.to_json(version)).collect()
    }
    // </decode>
    // <encode>
    fn from_json(value: &Value) -> Result<Self, Refusal> {
        fitting(value.as_array(), value)?.iter().map(T::from_json).collect()
    }
    // </encode>
}

/// Scalars: how one becomes a value, and how a value becomes one, if it fits.
macro_rules! scalars {
    ($($kind:ty: $to:expr, $from:expr;)*) => {$(impl Json for $kind {
        // <decode>
        fn to_json(&mut self, _: i16) -> Result<Value, Refusal> {
            let to: fn(&Self) -> Value = $to;
            Ok(to(self))
        }
        // </decode>
        // <encode>
        fn from_json(value: &Value) -> Result<Self, Refusal> {
            let from: fn(&Value) -> Option<Self> = $from;
            fitting(from(value), value)
        }
        // </encode>
    })*};
}

scalars! {
    bool: |held| (*held).into(), Value::as_bool;
    i8: |held| (*held).into(), |value| value::as_long(value)?.try_into().ok();
    i16: |held| (*held).into(), |value| value::as_long(value)?.try_into().ok();
    u16: |held| (*held).into(), |value| value::as_long(value)?.try_into().ok();
    i32: |held| (*held).into(), |value| value::as_long(value)?.try_into().ok();
    u32: |held| value::long(*held), |value| value::as_long(value)?.try_into().ok();
    i64: |held| value::long(*held), value::as_long;
    f64: |held| value::float(*held), value::as_float;
    String: |held| held.as_str().into(), |value| value.as_str().map(Into::into);
    Bytes: |held| value::hex(&held.0).into(), |value| value::bytes_of(value.as_str()?).map(Bytes);
    Uuid: |held| {
        let digits = value::hex(held);
        [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-").into()
    }, |value| value::bytes_of(&value.as_str()?.replace('-', ""))?.try_into().ok();
}
