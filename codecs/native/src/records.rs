//! Records of a batch of magic 2, both ways: what `kafkawire.records` does with those that are right.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyString, PyTuple, PyType};

use crate::halt::{asked, Halt, Interrupts, Pass};
use crate::output::{grow, put_varint};
use crate::wire::Cursor;
use crate::{guarded, shared};

type Value<'py> = Bound<'py, PyAny>;

/// The fields of a record in Python, in their order; a header has two.
const RECORD_FIELDS: usize = 6;
const HEADER_FIELDS: usize = 2;

#[pyclass(frozen, module = "kafkawire_native")]
pub struct Records {
    make: Py<PyAny>,
    record: Py<PyType>,
    header: Py<PyType>,
}

#[pymethods]
impl Records {
    /// Args:
    ///     make: `tuple.__new__`.
    ///     record, header: the classes, which are named tuples.
    #[new]
    fn new(make: Py<PyAny>, record: Py<PyType>, header: Py<PyType>) -> Self {
        Records {
            make,
            record,
            header,
        }
    }

    /// Append records up to the first that is wrong or has no room, as `_record_loop` of `kafkawire.records`.
    ///
    /// Return its start, and the room left: below 0 where the last records have more headers than that.
    fn read(
        &self,
        data: &Bound<'_, PyBytes>,
        start: usize,
        stop: usize,
        count: i64,
        room: i64,
        records: &Bound<'_, PyList>,
    ) -> PyResult<(usize, i64)> {
        let py = data.py();
        let (mut at, mut left, mut made) = (start, room, 0);
        let _ = guarded(|| {
            let mut cursor =
                Cursor::new(data.as_bytes(), start).part(stop.saturating_sub(start))?;
            let mut interrupts = Interrupts::new();
            while made < count.min(room) {
                interrupts.tick(py)?;
                let (record, headers) = self.read_record(py, &mut cursor, left)?;
                records.append(record)?;
                left -= headers;
                made += 1;
                at = cursor.pos;
            }
            Ok(())
        })?;
        Ok((at, left - made))
    }

    /// The records, one after the other; None where one is wrong, or not of plain classes.
    fn write<'py>(&self, records: &Value<'py>) -> PyResult<Option<Value<'py>>> {
        let py = records.py();
        let written = guarded(|| {
            let records = match records.cast_exact::<PyList>() {
                Ok(list) => list.to_tuple(),
                Err(_) => exact::<PyTuple>(records)?.clone(),
            };
            let (mut out, mut body) = (Vec::new(), Vec::new());
            let mut interrupts = Interrupts::new();
            for record in records.iter() {
                interrupts.tick(py)?;
                body.clear();
                self.write_record(&record, &mut body)?;
                put_signed(&mut out, short(body.len())?)?;
                grow(&mut out, &body)?;
            }
            Ok(out)
        })?;
        written.map(|out| shared(py, &out)).transpose()
    }
}

impl Records {
    /// A record and the number of its headers, at most `room`.
    fn read_record<'py>(
        &self,
        py: Python<'py>,
        cursor: &mut Cursor<'_>,
        room: i64,
    ) -> Pass<(Value<'py>, i64)> {
        let length = usize::try_from(cursor.varint()?).map_err(|_| Halt::Refused)?;
        let mut body = cursor.part(length)?;
        let attributes = i8::from_be_bytes(body.array()?);
        let timestamp = body.varlong()?;
        let offset = body.varint()?;
        let (key, value) = (block(py, &mut body)?, block(py, &mut body)?);
        let count = body.varint()?;
        if i64::from(count) > room {
            return Err(Halt::Refused);
        }
        let count = usize::try_from(count).map_err(|_| Halt::Refused)?;
        let mut headers = Vec::new();
        for _ in 0..count {
            let size = usize::try_from(body.varint()?).map_err(|_| Halt::Refused)?;
            let key = std::str::from_utf8(body.take(size)?).map_err(|_| Halt::Refused)?;
            let fields = (PyString::new(py, key), block(py, &mut body)?);
            headers.push(self.make.bind(py).call1((&self.header, fields))?);
        }
        if body.left() > 0 {
            return Err(Halt::Refused);
        }
        cursor.pos = body.pos;
        let headers = PyTuple::new(py, headers)?;
        let fields = (offset, timestamp, key, value, headers, attributes);
        let record = self.make.bind(py).call1((&self.record, fields))?;
        Ok((record, count as i64))
    }

    fn write_record(&self, record: &Value<'_>, body: &mut Vec<u8>) -> Pass<()> {
        let fields = parts::<RECORD_FIELDS>(record, &self.record)?;
        let number = |place| integer(&*fields.get_borrowed_item(place)?);
        let attributes = i8::try_from(number(5)?).map_err(|_| Halt::Refused)?;
        grow(body, &[attributes as u8])?;
        put_signed(body, number(1)?)?;
        let offset = i32::try_from(number(0)?).map_err(|_| Halt::Refused)?;
        put_signed(body, offset.into())?;
        put_block(body, &*fields.get_borrowed_item(2)?)?;
        put_block(body, &*fields.get_borrowed_item(3)?)?;
        let headers = fields.get_item(4)?;
        let headers = exact::<PyTuple>(&headers)?;
        put_signed(body, short(headers.len())?)?;
        for header in headers.iter() {
            let fields = parts::<HEADER_FIELDS>(&header, &self.header)?;
            let key = fields.get_item(0)?;
            let key = asked(record.py(), exact::<PyString>(&key)?.to_str())?;
            put_signed(body, short(key.len())?)?;
            grow(body, key.as_bytes())?;
            put_block(body, &fields.get_item(1)?)?;
        }
        Ok(())
    }
}

fn exact<'a, 'py, T: pyo3::PyTypeInfo>(item: &'a Value<'py>) -> Pass<&'a Bound<'py, T>> {
    item.cast_exact::<T>().map_err(|_| Halt::Refused)
}

/// The fields of a named tuple of this very class.
fn parts<'a, 'py, const COUNT: usize>(
    item: &'a Value<'py>,
    class: &Py<PyType>,
) -> Pass<&'a Bound<'py, PyTuple>> {
    if !item.get_type().is(class) {
        return Err(Halt::Refused);
    }
    match item.cast::<PyTuple>() {
        Ok(fields) if fields.len() == COUNT => Ok(fields),
        _ => Err(Halt::Refused),
    }
}

fn integer(item: &Value<'_>) -> Pass<i64> {
    asked(item.py(), exact::<PyInt>(item)?.extract())
}

/// A length or count as the records hold it.
fn short(length: usize) -> Pass<i64> {
    i32::try_from(length)
        .map(i64::from)
        .map_err(|_| Halt::Refused)
}

fn put_signed(out: &mut Vec<u8>, number: i64) -> Pass<()> {
    put_varint(out, (number << 1 ^ number >> 63) as u64)
}

/// Nullable bytes after their length.
fn block<'py>(py: Python<'py>, body: &mut Cursor<'_>) -> Pass<Option<Bound<'py, PyBytes>>> {
    let length = body.varint()?;
    if length == -1 {
        return Ok(None);
    }
    let size = usize::try_from(length).map_err(|_| Halt::Refused)?;
    Ok(Some(PyBytes::new(py, body.take(size)?)))
}

fn put_block(body: &mut Vec<u8>, item: &Value<'_>) -> Pass<()> {
    if item.is_none() {
        return put_signed(body, -1);
    }
    let data = exact::<PyBytes>(item)?.as_bytes();
    put_signed(body, short(data.len())?)?;
    grow(body, data)
}
