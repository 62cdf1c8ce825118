//! Implements the testee protocol of wireproof. An adapter implements [`Codec`], whose functions call the codec, and
//! passes it to [`main`]:
//!
//! ```no_run
//! use wireproof_testee::{claim, Codec, Hello, Reencoded, Refusal};
//!
//! struct Port;
//!
//! impl Codec for Port {
//!     fn hello(&self) -> Hello {
//!         Hello {
//!             name: "my-codec".into(),
//!             version: "1.0.0".into(),
//!             claims: vec![("FetchRequest".into(), claim(&["reencode"], "0-17"))],
//!             ..Hello::default()
//!         }
//!     }
//!
//!     fn reencode(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Reencoded, Refusal> {
//!         todo!("call the codec: {message}/{version}: {data:?}")
//!     }
//! }
//!
//! fn main() {
//!     wireproof_testee::main(Port)
//! }
//! ```
//!
//! Functions return a result or a [`Refusal`]: [`Refusal::decode`] or [`Refusal::encode`] if the codec rejected its
//! input with an error of its own, [`Refusal::unsupported`] if its types cannot hold the value. Any other error that
//! `?` converts, and any panic, is reported as an internal_error.
//!
//! Record sets are the message `RecordBatch`; list their compressions in [`Hello::compressions`]. For messages that
//! other data carry implement [`Embedded`].
//!
//! Values are canonical JSON, as [`serde_json::Value`]. Values without a JSON number, such as NaN or an int64, are
//! strings: the functions in [`value`] convert them.

use std::io;

mod embedded;
mod hello;
mod primitives;
mod refusal;
mod serve;
mod stdout;
pub mod value;

pub use embedded::{Blob, Embedded, Found};
pub use hello::{both_ways, claim, locked, ranges, Api, Claim, Direction, Hello, Unclaimed, Ways};
pub use primitives::{Equality, Primitives, Read};
pub use refusal::Refusal;
pub use serde_json::{Map, Value};
pub use serve::serve;

/// The version of the testee protocol that this crate implements.
pub const PROTOCOL: u32 = 1;

/// A struct: its fields under Kafka's names.
pub type Object = Map<String, Value>;

/// The result of [`Codec::decode`], and the number of bytes read.
pub struct Decoded {
    pub value: Object,
    pub consumed: usize,
}

/// The result of [`Codec::reencode`], and the number of bytes read.
pub struct Reencoded {
    pub data: Vec<u8>,
    pub consumed: usize,
}

/// The result of [`Codec::unframe`]. The four bytes of the size count as consumed.
pub struct Unframed {
    pub header: Object,
    pub value: Object,
    pub consumed: usize,
}

/// A codec under test. The harness calls only the operations that its hello claims: implement those.
#[allow(unused_variables)] // of default implementations
pub trait Codec {
    /// Returns the description of the codec and the claims for it.
    fn hello(&self) -> Hello;

    /// Decodes bytes into a value.
    fn decode(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Decoded, Refusal> {
        Err(Refusal::unclaimed("decode", message, version))
    }

    /// Encodes a value. Absent fields have their defaults.
    fn encode(&mut self, message: &str, version: i16, value: &Object) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::unclaimed("encode", message, version))
    }

    /// Decodes bytes and encodes the result at the same version.
    fn reencode(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Reencoded, Refusal> {
        Err(Refusal::unclaimed("reencode", message, version))
    }

    /// Returns the length of the encoded value in bytes.
    fn size(&mut self, message: &str, version: i16, value: &Object) -> Result<usize, Refusal> {
        Err(Refusal::unclaimed("size", message, version))
    }

    /// Encodes a whole frame: size, header and body.
    fn frame(
        &mut self,
        message: &str,
        version: i16,
        header: &Object,
        value: &Object,
    ) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::unclaimed("frame", message, version))
    }

    /// Decodes a whole frame.
    fn unframe(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Unframed, Refusal> {
        Err(Refusal::unclaimed("unframe", message, version))
    }

    /// Decodes a frame from a stream with the codec's own reader. Each `read` returns bytes of one part of the frame,
    /// then none. `consumed` has no bytes of a next frame.
    fn feed(&mut self, message: &str, version: i16, stream: &mut dyn io::Read) -> Result<Decoded, Refusal> {
        Err(Refusal::unclaimed("feed", message, version))
    }

    /// Decodes both inputs and compares the two objects with the codec's own equality.
    fn equal(&mut self, message: &str, version: i16, data: &[u8], other: &[u8]) -> Result<Equality, Refusal> {
        Err(Refusal::unclaimed("equal", message, version))
    }

    /// Decodes bytes, clones the object, and encodes the clone.
    fn copy(&mut self, message: &str, version: i16, data: &[u8]) -> Result<Vec<u8>, Refusal> {
        Err(Refusal::unclaimed("copy", message, version))
    }

    /// Returns the implementation of primitives, if [`Hello::primitives`] claims any.
    fn primitives(&mut self) -> Option<&mut dyn Primitives> {
        None
    }

    /// Returns the implementation of embedded messages, if [`Hello::embedded`] claims any.
    fn embedded(&mut self) -> Option<&mut dyn Embedded> {
        None
    }
}

/// Serves requests on standard input until a stop request or the end of the input, and exits the process.
///
/// Redirects standard output to standard error, so that output of the codec does not mix with the answers.
pub fn main(mut codec: impl Codec) -> ! {
    let served = stdout::take().and_then(|answers| serve(&mut codec, std::io::stdin().lock(), answers));
    std::process::exit(match served {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("testee: {error}");
            2
        }
    })
}
