use std::any::Any;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

use serde_json::{json, Value};

use crate::value::{bytes_of, hex};
use crate::{Blob, Codec, Embedded, Object, Primitives, Refusal};

/// The largest buffer of a line, in bytes, that is kept for the next line.
const KEPT_LINE: usize = 1 << 20;

/// Reads requests and writes answers, until a stop request or the end of the input.
///
/// # Errors
///
/// Returns an error if a line is not a valid request, or if reading or writing fails.
pub fn serve(codec: &mut impl Codec, mut requests: impl BufRead, answers: impl Write) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, answers);
    let mut line = Vec::new();
    let mut stopped = false;
    while !stopped && requests.read_until(b'\n', &mut line)? > 0 {
        stopped = answer_line(codec, &line, &mut out)?;
        out.flush()?;
        line.clear();
        line.shrink_to(KEPT_LINE);
    }
    Ok(())
}

/// Answers a line: a request with an answer, a list of requests with a list. Returns true after a stop request.
fn answer_line(codec: &mut impl Codec, line: &[u8], out: &mut impl Write) -> io::Result<bool> {
    let mut stopped = false;
    match serde_json::from_slice(line)? {
        Value::Array(requests) => {
            let mut separator = "[";
            for request in requests {
                out.write_all(separator.as_bytes())?;
                separator = ",";
                stopped |= answer(codec, request, out)?;
            }
            out.write_all(b"]")?;
        }
        request => stopped = answer(codec, request, out)?,
    }
    out.write_all(b"\n")?;
    Ok(stopped)
}

/// Answers one request. Returns true after a stop request.
fn answer(codec: &mut impl Codec, request: Value, out: &mut impl Write) -> io::Result<bool> {
    let request =
        Request::of(request).map_err(|problem| io::Error::new(io::ErrorKind::InvalidData, problem))?;
    let (key, content) = match request.op.as_str() {
        "hello" => ("ok", codec.hello().into_json()),
        "stop" => ("ok", json!({})),
        _ => match called(codec, &request) {
            Ok(content) => ("ok", content),
            Err(refusal) => refusal.into_json(),
        },
    };
    write!(out, "{{\"id\":{},\"{key}\":", request.id)?;
    serde_json::to_writer(&mut *out, &content)?;
    out.write_all(b"}")?;
    Ok(request.op == "stop")
}

/// One request. Fields that its operation does not use are empty.
struct Request {
    id: u64,
    op: String,
    framing: String,
    message: String,
    topic: String,
    kind: String,
    reads: bool,
    other: Vec<u8>,
    parts: Vec<Vec<u8>>,
    primitive: Value,
    version: i16,
    blob: Blob,
    value: Object,
    header: Object,
}

impl Request {
    fn of(request: Value) -> Result<Self, String> {
        let Value::Object(mut asked) = request else {
            return Err(format!("a request must be an object, not {request}"));
        };
        let id = asked.get("id").and_then(Value::as_u64).ok_or("a request without an id")?;
        let reads = asked.contains_key("data");
        let primitive = match asked.get("op").and_then(Value::as_str) {
            Some("primitive") => asked.remove("value").unwrap_or_default(),
            _ => Value::Null,
        };
        let mut text = |name: &str| match asked.remove(name) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let (op, message, data) = (text("op"), text("message"), text("data"));
        let (framing, topic, kind) = (text("framing"), text("topic"), text("type"));
        let other = text("other");
        let key = asked.get("key").and_then(Value::as_str).map(str::to_owned);
        let bytes = |name: &str, digits: &str| {
            bytes_of(digits).ok_or_else(|| format!("the {name} of request {id} are not hexadecimal"))
        };
        let parts = match asked.remove("parts") {
            Some(Value::Array(parts)) => parts,
            _ => Vec::new(),
        };
        let parts = parts
            .iter()
            .map(|part| bytes("parts", part.as_str().unwrap_or("?")))
            .collect::<Result<_, _>>()?;
        let version = asked.get("version").and_then(Value::as_i64).unwrap_or_default();
        let mut object = |name: &str| match asked.remove(name) {
            Some(Value::Object(object)) => object,
            _ => Object::new(),
        };
        Ok(Self {
            id,
            op,
            framing,
            message,
            topic,
            kind,
            reads,
            other: bytes("bytes of the other object", &other)?,
            parts,
            primitive,
            version: version.try_into().map_err(|_| format!("the version {version} of request {id}"))?,
            blob: Blob {
                data: bytes("data", &data)?,
                key: key.map(|digits| bytes("digits of the key", &digits)).transpose()?,
            },
            value: object("value"),
            header: object("header"),
        })
    }
}

/// Calls the codec. A panic becomes an internal error, with its location on standard error.
fn called(codec: &mut impl Codec, request: &Request) -> Result<Value, Refusal> {
    catch_unwind(AssertUnwindSafe(|| call(codec, request))).unwrap_or_else(|cause| {
        eprintln!("in {} of {}/{}", request.op, request.message, request.version);
        Err(Refusal::internal("panic", words(cause.as_ref())))
    })
}

fn words(cause: &(dyn Any + Send)) -> &str {
    let owned = cause.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| cause.downcast_ref::<&str>().copied()).unwrap_or("a payload that is not a string")
}

fn call(codec: &mut impl Codec, request: &Request) -> Result<Value, Refusal> {
    if request.op == "primitive" {
        let none = || Refusal::adapter("no primitive was claimed");
        return call_primitive(codec.primitives().ok_or_else(none)?, request);
    }
    if !request.framing.is_empty() {
        let none = || Refusal::adapter("no framing was claimed");
        return call_embedded(codec.embedded().ok_or_else(none)?, request);
    }
    let Request { message, version, blob: Blob { data, .. }, value, header, .. } = request;
    let version = *version;
    Ok(match request.op.as_str() {
        "decode" => {
            let given = codec.decode(message, version, data)?;
            json!({"value": given.value, "consumed": given.consumed})
        }
        "encode" => json!({"data": hex(&codec.encode(message, version, value)?)}),
        "reencode" => {
            let given = codec.reencode(message, version, data)?;
            json!({"data": hex(&given.data), "consumed": given.consumed})
        }
        "size" => json!({"size": codec.size(message, version, value)?}),
        "frame" => json!({"data": hex(&codec.frame(message, version, header, value)?)}),
        "unframe" => {
            let given = codec.unframe(message, version, data)?;
            json!({"header": given.header, "value": given.value, "consumed": given.consumed})
        }
        "feed" => {
            let mut stream = Parts { left: &request.parts, rest: &[], given: 0 };
            let found = codec.feed(message, version, &mut stream)?;
            json!({"value": found.value, "consumed": found.consumed, "parts": stream.given})
        }
        "equal" => codec.equal(message, version, data, &request.other)?.into_json(),
        "copy" => json!({"data": hex(&codec.copy(message, version, data)?)}),
        other => return Err(Refusal::unclaimed(other, message, version)),
    })
}

/// A stream of bytes that arrive in parts. It counts the parts of which bytes were read.
struct Parts<'a> {
    left: &'a [Vec<u8>],
    rest: &'a [u8],
    given: usize,
}

impl Read for Parts<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let (true, false, Some((part, left))) =
            (self.rest.is_empty(), into.is_empty(), self.left.split_first())
        {
            (self.rest, self.left) = (part, left);
            self.given += 1;
        }
        self.rest.read(into)
    }
}

/// Decodes the request's data if it has any, else encodes its value.
fn call_primitive(primitives: &mut dyn Primitives, request: &Request) -> Result<Value, Refusal> {
    if request.reads {
        return Ok(primitives.decode(&request.kind, &request.blob.data)?.into_json());
    }
    Ok(json!({"data": hex(&primitives.encode(&request.kind, &request.primitive)?)}))
}

fn call_embedded(embedded: &mut dyn Embedded, request: &Request) -> Result<Value, Refusal> {
    let Request { framing, message, topic, version, blob, value, .. } = request;
    let known = if message.is_empty() { topic } else { message };
    Ok(match request.op.as_str() {
        "decode" => embedded.decode(framing, known, blob)?.into_json(),
        "encode" => embedded.encode(framing, message, *version, value)?.to_json().into(),
        "reencode" => {
            let (again, consumed) = embedded.reencode(framing, known, blob)?;
            let mut object = again.to_json();
            object.insert("consumed".into(), consumed.into());
            object.into()
        }
        "size" => json!({"size": embedded.size(framing, message, *version, value)?}),
        other => return Err(Refusal::unclaimed(other, message, *version)),
    })
}
