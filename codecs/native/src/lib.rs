//! The native back end of kafkawire: tables made from layouts drive a decoder, an encoder, and a writer of the canonical
//! binary; records of a batch are read and written.
//!
//! It holds no error messages. Where it refuses an input, the Python codec given to it answers the same input.

mod canonical;
mod decode;
mod encode;
mod halt;
mod output;
mod pause;
mod records;
mod table;
mod uuids;
mod wire;

use std::panic::{catch_unwind, AssertUnwindSafe};

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};

use decode::Decoder;
use encode::encode;
use halt::{Halt, Pass};
use output::Names;
use pause::{Collector, Pause};
use table::{Count, Struct};
use uuids::Uuids;
use wire::Cursor;

/// The form of the table and of `Codec`. `kafkawire.compiler.native` has the same number, or uses nothing of this.
const INTERFACE: u32 = 3;

/// One layout's decoder, encoder and sizer.
#[pyclass(frozen, module = "kafkawire_native")]
struct Codec {
    root: Struct,
    count: Count,
    names: Names,
    uuids: Uuids,
    collector: Collector,
    refused_decode: Py<PyAny>,
    refused_decode_from: Py<PyAny>,
    refused_encode: Py<PyAny>,
    refused_size: Py<PyAny>,
}

#[pymethods]
impl Codec {
    /// Args:
    ///     table: what `kafkawire.compiler.native.plan_table` makes.
    ///     uuid: the class, and the member `is_safe` of one made of bytes.
    ///     refused: what answers the inputs that are refused here: decode, decode_from, encode, size.
    #[new]
    fn new(
        table: &Bound<'_, PyAny>,
        uuid: (Py<PyType>, Py<PyAny>),
        refused: (Py<PyAny>, Py<PyAny>, Py<PyAny>, Py<PyAny>),
    ) -> PyResult<Self> {
        let mut count = Count::default();
        Ok(Codec {
            root: Struct::parse(table, &mut count)?,
            count,
            names: Names::new(table.py(), uuid.0.clone_ref(table.py())),
            uuids: Uuids::new(table.py(), uuid.0, uuid.1)?,
            collector: Collector::new(table.py())?,
            refused_decode: refused.0,
            refused_decode_from: refused.1,
            refused_encode: refused.2,
            refused_size: refused.3,
        })
    }

    /// A whole message.
    fn decode<'py>(&self, data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.attempt(data, 0, true)?;
        match found {
            Some((value, _)) => Ok(value.into_any()),
            None => self.refused_decode.bind(data.py()).call1((data,)),
        }
    }

    /// A message that begins at `offset`, and the position after it.
    fn decode_from<'py>(
        &self,
        buffer: &Bound<'py, PyAny>,
        offset: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = buffer.py();
        if let Ok(start) = offset.extract::<usize>() {
            if let Some((value, end)) = self.attempt(buffer, start, false)? {
                return Ok((value, end).into_pyobject(py)?.into_any());
            }
        }
        let answer = self.refused_decode_from.bind(py);
        answer.call1(PyTuple::new(py, [buffer, offset])?)
    }

    fn encode<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        match self.encoded(value)? {
            None => self.refused_encode.bind(py).call1((value,)),
            Some(found) => shared(py, &found),
        }
    }

    fn size<'py>(&self, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = value.py();
        match self.encoded(value)? {
            None => self.refused_size.bind(py).call1((value,)),
            Some(found) => Ok(found.len().into_pyobject(py)?.into_any()),
        }
    }
}

impl Codec {
    /// The value and the position after it; None where the input is refused.
    fn attempt<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        start: usize,
        whole: bool,
    ) -> PyResult<Option<(Bound<'py, PyDict>, usize)>> {
        let py = data.py();
        let Ok(held) = data.cast_exact::<PyBytes>() else {
            return Ok(None);
        };
        let bytes = held.as_bytes();
        if start > bytes.len() {
            return Ok(None);
        }
        guarded(|| {
            let (tags, uuids) = (self.names.tags.bind(py), &self.uuids);
            let (cursor, pause) = (Cursor::new(bytes, start), Pause::new(py, &self.collector));
            let mut decoder = Decoder::new(py, cursor, pause, tags, uuids, &self.count);
            let value = decoder.read_struct(&self.root)?;
            if whole && decoder.cursor.left() > 0 {
                return Err(Halt::Refused);
            }
            Ok((value, decoder.cursor.pos))
        })
    }

    /// The bytes of a value; None where it is refused.
    fn encoded(&self, value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<u8>>> {
        guarded(|| encode(&self.root, value, &self.names))
    }
}

/// Bytes for Python; memory that cannot be had is a `MemoryError`.
fn shared<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let held = PyBytes::new_with(py, bytes.len(), |room| {
        room.copy_from_slice(bytes);
        Ok(())
    })?;
    Ok(held.into_any())
}

/// Run a pass. A panic, which only a failed allocation of Python causes, is a `MemoryError`.
fn guarded<T>(pass: impl FnOnce() -> Pass<T>) -> PyResult<Option<T>> {
    match catch_unwind(AssertUnwindSafe(pass)) {
        Ok(Ok(found)) => Ok(Some(found)),
        Ok(Err(Halt::Refused)) => Ok(None),
        Ok(Err(Halt::Raised(error))) => Err(error),
        Err(_) => Err(PyMemoryError::new_err("the native codec ran out of memory")),
    }
}

#[pymodule]
fn kafkawire_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("INTERFACE", INTERFACE)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Codec>()?;
    module.add_class::<canonical::Canonical>()?;
    module.add_class::<records::Records>()
}
