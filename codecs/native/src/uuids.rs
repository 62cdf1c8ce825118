//! Python's UUIDs, made as their class makes them. No Python code runs.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// The class, `object`'s functions that make one and set its members, and the members.
pub struct Uuids {
    class: Py<PyType>,
    new: Py<PyAny>,
    set: Py<PyAny>,
    int: Py<PyString>,
    is_safe: Py<PyString>,
    unknown: Py<PyAny>,
}

impl Uuids {
    /// `unknown` is the `is_safe` of a UUID that came as bytes.
    pub fn new(py: Python<'_>, class: Py<PyType>, unknown: Py<PyAny>) -> PyResult<Self> {
        let object = py.get_type::<PyAny>();
        Ok(Uuids {
            class,
            new: object.getattr("__new__")?.unbind(),
            set: object.getattr("__setattr__")?.unbind(),
            int: PyString::intern(py, "int").unbind(),
            is_safe: PyString::intern(py, "is_safe").unbind(),
            unknown,
        })
    }

    pub fn make<'py>(&self, py: Python<'py>, raw: [u8; 16]) -> PyResult<Bound<'py, PyAny>> {
        let made = self.new.bind(py).call1((&self.class,))?;
        let set = self.set.bind(py);
        set.call1((&made, &self.int, u128::from_be_bytes(raw)))?;
        set.call1((&made, &self.is_safe, &self.unknown))?;
        Ok(made)
    }
}
