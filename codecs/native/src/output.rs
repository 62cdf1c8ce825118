//! Scalars of Python to bytes. A value of any other class than the plain ones is refused.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyString, PyType};

use crate::halt::{asked, Halt, Interrupts, Pass};
use crate::table::Fixed;

/// Integers up to here are floats of the same value.
const EXACT_FLOATS: u64 = 1 << 53;

type Value<'py> = Bound<'py, PyAny>;

/// What the writers know of Python: the key of unknown tags, the class of UUIDs, and its member `int`.
pub struct Names {
    pub tags: Py<PyString>,
    uuid: Py<PyType>,
    int: Py<PyString>,
}

impl Names {
    pub fn new(py: Python<'_>, uuid: Py<PyType>) -> Self {
        Names {
            tags: PyString::intern(py, "_tags").unbind(),
            uuid,
            int: PyString::intern(py, "int").unbind(),
        }
    }
}

pub struct Output<'a, 'py> {
    pub py: Python<'py>,
    pub bytes: Vec<u8>,
    interrupts: Interrupts,
    names: &'a Names,
}

impl<'a, 'py> Output<'a, 'py> {
    pub fn new(py: Python<'py>, names: &'a Names) -> Self {
        Output {
            py,
            bytes: Vec::new(),
            interrupts: Interrupts::new(),
            names,
        }
    }

    /// Count one element.
    #[inline]
    pub fn tick(&mut self) -> Pass<()> {
        self.interrupts.tick(self.py)
    }

    #[inline]
    pub fn put(&mut self, bytes: &[u8]) -> Pass<()> {
        grow(&mut self.bytes, bytes)
    }

    pub fn uvarint(&mut self, number: usize) -> Pass<()> {
        let number = u32::try_from(number).map_err(|_| Halt::Refused)?;
        put_varint(&mut self.bytes, number.into())
    }

    pub fn fixed(&mut self, fixed: Fixed, item: &Value<'py>) -> Pass<()> {
        match fixed {
            Fixed::Bool => {
                let held = item.cast_exact::<PyBool>().map_err(|_| Halt::Refused)?;
                self.put(&[u8::from(held.is_true())])
            }
            Fixed::Int8 => self.put(&[narrow::<i8>(self.integer(item)?)? as u8]),
            Fixed::Int16 => self.put(&narrow::<i16>(self.integer(item)?)?.to_be_bytes()),
            Fixed::Uint16 => self.put(&narrow::<u16>(self.integer(item)?)?.to_be_bytes()),
            Fixed::Int32 => self.put(&narrow::<i32>(self.integer(item)?)?.to_be_bytes()),
            Fixed::Uint32 => self.put(&narrow::<u32>(self.integer(item)?)?.to_be_bytes()),
            Fixed::Int64 => self.put(&self.integer(item)?.to_be_bytes()),
            Fixed::Float64 => self.put(&self.float(item)?.to_be_bytes()),
            Fixed::Uuid => {
                if !item.get_type().is(&self.names.uuid) {
                    return Err(Halt::Refused);
                }
                let number = asked(self.py, item.getattr(self.names.int.bind(self.py)))?;
                let number = number.cast_exact::<PyInt>().map_err(|_| Halt::Refused)?;
                let number: u128 = asked(self.py, number.extract())?;
                self.put(&number.to_be_bytes())
            }
        }
    }

    #[inline]
    fn integer(&self, item: &Value<'py>) -> Pass<i64> {
        if item.is_exact_instance_of::<PyInt>() {
            return asked(self.py, item.extract());
        }
        let held = item.cast_exact::<PyBool>().map_err(|_| Halt::Refused)?;
        Ok(i64::from(held.is_true()))
    }

    fn float(&self, item: &Value<'py>) -> Pass<f64> {
        if item.is_exact_instance_of::<PyFloat>() {
            return asked(self.py, item.extract());
        }
        match self.integer(item)? {
            number if number.unsigned_abs() <= EXACT_FLOATS => Ok(number as f64),
            _ => Err(Halt::Refused),
        }
    }

    /// Write text, with what `head` writes for its length before it.
    pub fn text(
        &mut self,
        item: &Value<'py>,
        head: impl FnOnce(&mut Self, usize) -> Pass<()>,
    ) -> Pass<()> {
        let text = item.cast_exact::<PyString>().map_err(|_| Halt::Refused)?;
        let text = asked(self.py, text.to_str())?.as_bytes();
        head(self, text.len())?;
        self.put(text)
    }

    /// Write bytes, with what `head` writes for their length before them.
    pub fn blob(
        &mut self,
        item: &Value<'py>,
        head: impl FnOnce(&mut Self, usize) -> Pass<()>,
    ) -> Pass<()> {
        if let Ok(held) = item.cast_exact::<PyBytes>() {
            head(self, held.as_bytes().len())?;
            return self.put(held.as_bytes());
        }
        let held = item
            .cast_exact::<PyByteArray>()
            .map_err(|_| Halt::Refused)?;
        let copy = held.to_vec();
        head(self, copy.len())?;
        self.put(&copy)
    }

    /// The value of a key, where the dict has it.
    #[inline]
    pub fn held(
        &self,
        value: &Bound<'py, PyDict>,
        name: &Py<PyString>,
    ) -> Pass<Option<Value<'py>>> {
        asked(self.py, value.get_item(name.bind(self.py)))
    }

    /// The unknown tagged fields of a value that has `met` other keys; refused where it has yet another one,
    /// or a tag that `known` names.
    pub fn unknown_tags(
        &self,
        value: &Bound<'py, PyDict>,
        met: usize,
        known: impl Fn(u32) -> bool,
    ) -> Pass<Vec<(u32, Bound<'py, PyBytes>)>> {
        let tags = self.held(value, &self.names.tags)?.ok_or(Halt::Refused)?;
        let tags = tags.cast_exact::<PyDict>().map_err(|_| Halt::Refused)?;
        if met + 1 != value.len() {
            return Err(Halt::Refused);
        }
        let mut found = Vec::new();
        for (tag, data) in tags.iter() {
            let tag = tag.cast_exact::<PyInt>().map_err(|_| Halt::Refused)?;
            let tag: u32 = asked(self.py, tag.extract())?;
            if known(tag) {
                return Err(Halt::Refused);
            }
            let data = data
                .cast_into_exact::<PyBytes>()
                .map_err(|_| Halt::Refused)?;
            found.push((tag, data));
        }
        found.sort_by_key(|(tag, _)| *tag);
        Ok(found)
    }
}

/// Add bytes; memory that cannot be had is a `MemoryError`.
#[inline]
pub fn grow(out: &mut Vec<u8>, bytes: &[u8]) -> Pass<()> {
    if out.try_reserve(bytes.len()).is_err() {
        return Err(Halt::Raised(PyMemoryError::new_err(())));
    }
    out.extend_from_slice(bytes);
    Ok(())
}

/// Add the shortest unsigned varint of a number.
pub fn put_varint(out: &mut Vec<u8>, mut number: u64) -> Pass<()> {
    let mut bytes = [0; 10];
    let mut count = 0;
    while number > 0x7F {
        bytes[count] = (number & 0x7F) as u8 | 0x80;
        number >>= 7;
        count += 1;
    }
    bytes[count] = number as u8;
    grow(out, &bytes[..=count])
}

fn narrow<T: TryFrom<i64>>(number: i64) -> Pass<T> {
    T::try_from(number).map_err(|_| Halt::Refused)
}
