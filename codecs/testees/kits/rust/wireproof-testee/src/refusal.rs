use serde_json::{json, Value};

/// Why there is no result.
#[derive(Debug)]
pub enum Refusal {
    /// The codec declined the bytes in its orderly way.
    Decode { class: String, message: String, offset: Option<usize> },
    /// The codec declined the value in its orderly way.
    Encode { class: String, message: String, path: Option<String> },
    /// The codec's types cannot hold the value; the reason is a name in the limits of the hello.
    Unsupported { reason: String, message: String },
    /// Anything else: an error that the codec does not declare, or a panic.
    Internal { class: String, message: String },
}

impl Refusal {
    /// The bytes are declined; `class` is the codec's own name for the error.
    pub fn decode(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Decode { class: class.into(), message: message.into(), offset: None }
    }

    /// The value is declined; `class` is the codec's own name for the error.
    pub fn encode(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Encode { class: class.into(), message: message.into(), path: None }
    }

    /// The codec cannot express the question; `reason` is a name in the limits of the hello.
    pub fn unsupported(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Unsupported { reason: reason.into(), message: message.into() }
    }

    /// Something that the codec does not declare.
    pub fn internal(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Internal { class: class.into(), message: message.into() }
    }

    pub(crate) fn unclaimed(op: &str, message: &str, version: i16) -> Self {
        Self::internal("unclaimed", format!("{op} of {message}/{version} was not claimed"))
    }

    /// The member of an answer that tells it.
    pub(crate) fn told(self) -> (&'static str, Value) {
        match self {
            Self::Decode { class, message, offset } => (
                "decode_error",
                with("offset", offset.map(Value::from), json!({"class": class, "message": message})),
            ),
            Self::Encode { class, message, path } => (
                "encode_error",
                with("path", path.map(Value::from), json!({"class": class, "message": message})),
            ),
            Self::Unsupported { reason, message } => {
                ("unsupported", json!({"reason": reason, "message": message}))
            }
            Self::Internal { class, message } => {
                ("internal_error", json!({"class": class, "message": message}))
            }
        }
    }
}

fn with(key: &str, known: Option<Value>, mut told: Value) -> Value {
    if let Some(value) = known {
        told[key] = value;
    }
    told
}

/// What `?` makes of any other error: its type, without the path of its module, and its words.
impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Self {
        let class = std::any::type_name::<E>();
        Self::internal(class.rsplit("::").next().unwrap_or(class), error.to_string())
    }
}
