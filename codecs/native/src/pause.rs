//! A pause of Python's collector of cycles, in which no Python code runs.

use pyo3::prelude::*;
use pyo3::types::PyModule;

use crate::halt::{Pass, BETWEEN_CHECKS};

/// Elements before a pause: calls that make fewer are over before a collection would begin.
const FEW: u32 = 64;

/// The functions of Python's `gc`.
pub struct Collector {
    disable: Py<PyAny>,
    enable: Py<PyAny>,
    is_enabled: Py<PyAny>,
}

impl Collector {
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        let gc = PyModule::import(py, "gc")?;
        Ok(Collector {
            disable: gc.getattr("disable")?.unbind(),
            enable: gc.getattr("enable")?.unbind(),
            is_enabled: gc.getattr("isenabled")?.unbind(),
        })
    }
}

/// Counts the elements of a pass: it pauses the collector after some, until it is dropped.
pub struct Pause<'a, 'py> {
    py: Python<'py>,
    collector: &'a Collector,
    left: u32,
    begun: bool,
    paused: bool,
}

impl<'a, 'py> Pause<'a, 'py> {
    pub fn new(py: Python<'py>, collector: &'a Collector) -> Self {
        Pause {
            py,
            collector,
            left: FEW,
            begun: false,
            paused: false,
        }
    }

    /// Count one element.
    #[inline]
    pub fn tick(&mut self) -> Pass<()> {
        self.left -= 1;
        if self.left == 0 {
            self.rest()?;
        }
        Ok(())
    }

    #[cold]
    fn rest(&mut self) -> PyResult<()> {
        self.left = BETWEEN_CHECKS;
        let py = self.py;
        self.outside(|| py.check_signals())?;
        self.begun = true;
        self.pause()
    }

    /// The result of a call that may run Python code. The collector works meanwhile, as it did before.
    pub fn outside<T>(&mut self, call: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
        self.resume()?;
        let result = call();
        if self.begun {
            self.pause()?;
        }
        result
    }

    fn pause(&mut self) -> PyResult<()> {
        if !self.paused
            && self
                .collector
                .is_enabled
                .bind(self.py)
                .call0()?
                .is_truthy()?
        {
            self.collector.disable.bind(self.py).call0()?;
            self.paused = true;
        }
        Ok(())
    }

    fn resume(&mut self) -> PyResult<()> {
        if self.paused {
            self.paused = false;
            self.collector.enable.bind(self.py).call0()?;
        }
        Ok(())
    }
}

impl Drop for Pause<'_, '_> {
    fn drop(&mut self) {
        let _ = self.resume();
    }
}
