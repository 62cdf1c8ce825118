//! A testee for the tests of the Rust kit: each operation, each kind of answer, and output of the codec.

use std::io::Write;

use wireproof_testee::value::{as_float, bytes_of, float, hex, long, tags};
use wireproof_testee::{
    claim, locked, Api, Blob, Codec, Decoded, Direction, Embedded, Equality, Found, Hello, Object, Primitives,
    Read, Reencoded, Refusal, Unclaimed, Unframed, Value, Ways,
};

extern "C" {
    fn write(descriptor: i32, data: *const u8, count: usize) -> isize;
}

fn main() {
    wireproof_testee::main(Tiny)
}

struct Tiny;

impl Codec for Tiny {
    fn hello(&self) -> Hello {
        let mut all = claim(&["encode", "reencode", "size", "frame", "unframe", "feed", "equal", "copy"], "0");
        all.push(("decode".into(), "0-1".into()));
        let headers = vec![("0".into(), 2)];
        let request = Direction { message: "Tiny".into(), versions: "0".into(), headers };
        Hello {
            name: "tiny".into(),
            version: locked(include_str!("Cargo.lock"), "wireproof-testee"),
            claims: vec![("Tiny".into(), all), ("Nothing".into(), claim(&["decode"], ""))],
            embedded: vec![("Tiny".into(), claim(&["decode", "encode", "reencode", "size"], "0"))],
            primitives: vec![
                ("Int8".into(), vec!["decode".into(), "encode".into()]),
                ("NullableString".into(), vec!["encode".into()]),
                ("NullableBytes".into(), vec!["decode".into()]),
            ],
            compressions: vec![("none".into(), "0-2".into()), ("gzip".into(), "2".into())],
            record_limits: vec!["tail".into()],
            record_values: true,
            limits: vec![("mood".into(), "it has none".into())],
            refuses: true,
            index: vec![("Tiny".into(), Ways { encode: "0-1".into(), decode: "0-1".into() })],
            unclaimed: vec![Unclaimed {
                reason: "not yet".into(),
                messages: vec![("Tiny".into(), "1".into())],
                way: "encode".into(),
            }],
            registry: vec![Api { key: -1, request: Some(request), response: None }],
            ..Hello::default()
        }
    }

    /// The first byte of a frame is the number of bytes after it.
    fn feed(&mut self, _: &str, _: i16, stream: &mut dyn std::io::Read) -> Result<Decoded, Refusal> {
        let mut frame = [0; 256];
        stream.read_exact(&mut frame[..1])?;
        let length = usize::from(frame[0]);
        if let Err(error) = stream.read_exact(&mut frame[1..=length]) {
            let (class, message) = ("Incomplete".into(), error.to_string());
            return Err(Refusal::Decode { class, message, offset: None });
        }
        Ok(Decoded { value: Object::from_iter([("length".to_string(), length.into())]), consumed: length + 1 })
    }

    fn equal(&mut self, _message: &str, _version: i16, data: &[u8], other: &[u8]) -> Result<Equality, Refusal> {
        Ok(Equality { equal: data == other, hashes: Some(data.len() == other.len()) })
    }

    fn copy(&mut self, _message: &str, _version: i16, data: &[u8]) -> Result<Vec<u8>, Refusal> {
        Ok(data.to_vec())
    }

    fn primitives(&mut self) -> Option<&mut dyn Primitives> {
        Some(self)
    }

    fn decode(&mut self, _message: &str, version: i16, data: &[u8]) -> Result<Decoded, Refusal> {
        print!("printed by the codec, ");
        std::io::stdout().flush()?;
        let text = b"written by the codec\n";
        unsafe { write(1, text.as_ptr(), text.len()) };
        match data.len() {
            0 => {
                let (class, message) = ("Empty".into(), "nothing".into());
                return Err(Refusal::Decode { class, message, offset: Some(2) });
            }
            1 => panic!("{} byte", data.len()),
            2 => drop(std::str::from_utf8(data)?),
            _ => {}
        }
        let mut value = Object::new();
        value.insert("version".into(), version.into());
        value.insert("data".into(), hex(data).into());
        value.insert("long".into(), long(i64::MIN));
        value.insert("floats".into(), vec![float(f64::NAN), float(-0.0), float(1.5)].into());
        value.insert("_tags".into(), tags([(7, &data[..1])]));
        Ok(Decoded { value, consumed: data.len() })
    }

    fn encode(&mut self, _message: &str, _version: i16, value: &Object) -> Result<Vec<u8>, Refusal> {
        match value.get("data") {
            None => {
                let (class, message) = ("Missing".into(), "no data".into());
                Err(Refusal::Encode { class, message, path: Some("data".into()) })
            }
            Some(data) => match data.as_str() {
                None => Err(Refusal::unsupported("mood", "not today")),
                Some(digits) => bytes_of(digits).ok_or_else(|| Refusal::internal("Odd", "no digits")),
            },
        }
    }

    fn reencode(&mut self, _message: &str, _version: i16, data: &[u8]) -> Result<Reencoded, Refusal> {
        Ok(Reencoded { data: data.to_vec(), consumed: data.len() })
    }

    fn size(&mut self, _message: &str, _version: i16, value: &Object) -> Result<usize, Refusal> {
        Ok(value.len())
    }

    fn frame(&mut self, _: &str, _: i16, _header: &Object, value: &Object) -> Result<Vec<u8>, Refusal> {
        let number = value.get("float").and_then(as_float).unwrap_or_default();
        Ok(number.to_be_bytes().to_vec())
    }

    fn unframe(&mut self, _message: &str, _version: i16, data: &[u8]) -> Result<Unframed, Refusal> {
        Ok(Unframed { header: Object::new(), value: Object::new(), consumed: data.len() })
    }

    fn embedded(&mut self) -> Option<&mut dyn Embedded> {
        Some(self)
    }
}

impl Primitives for Tiny {
    fn decode(&mut self, name: &str, data: &[u8]) -> Result<Read, Refusal> {
        match name {
            "Int8" => Ok(Read { value: (data[0] as i8).into(), consumed: 1 }),
            _ => Ok(Read { value: Value::Null, consumed: 4 }),
        }
    }

    fn encode(&mut self, name: &str, value: &Value) -> Result<Vec<u8>, Refusal> {
        match name {
            "Int8" => Ok(vec![value.as_i64().unwrap_or_default() as u8]),
            _ => Ok(if value.is_null() { vec![255, 255] } else { vec![0, 0] }),
        }
    }
}

impl Embedded for Tiny {
    fn decode(&mut self, framing: &str, known: &str, blob: &Blob) -> Result<Found, Refusal> {
        let mut value = Object::new();
        value.insert("framing".into(), framing.into());
        value.insert("known".into(), known.into());
        value.insert("key".into(), blob.key.as_deref().map(hex).into());
        Ok(Found { message: "Tiny".into(), version: 3, value, consumed: blob.data.len() })
    }

    fn encode(
        &mut self,
        _framing: &str,
        _message: &str,
        version: i16,
        value: &Object,
    ) -> Result<Blob, Refusal> {
        Ok(Blob { data: vec![version as u8, value.len() as u8], key: Some(vec![9]) })
    }

    fn reencode(&mut self, _framing: &str, _known: &str, blob: &Blob) -> Result<(Blob, usize), Refusal> {
        Ok((blob.clone(), blob.data.len()))
    }

    fn size(&mut self, _: &str, _: &str, _: i16, value: &Object) -> Result<usize, Refusal> {
        Ok(value.len())
    }
}
