//! Why a pass over a message ends early.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;

/// The reason that a pass gives up.
pub enum Halt {
    /// The input is wrong, or has a form that only the Python codecs take: they answer it.
    Refused,
    /// Python raised, such as `KeyboardInterrupt` or `MemoryError`.
    Raised(PyErr),
}

impl From<PyErr> for Halt {
    fn from(error: PyErr) -> Self {
        Halt::Raised(error)
    }
}

pub type Pass<T> = Result<T, Halt>;

/// The result of a call that may run code of the value's own classes: its exceptions are refusals.
pub fn asked<T>(py: Python<'_>, result: PyResult<T>) -> Pass<T> {
    result.map_err(|error| {
        if error.is_instance_of::<PyException>(py) {
            Halt::Refused
        } else {
            Halt::Raised(error)
        }
    })
}

/// Elements between two looks at signals.
pub const BETWEEN_CHECKS: u32 = 4096;

/// Lets signals reach Python: one check every few thousand elements.
pub struct Interrupts(u32);

impl Interrupts {
    pub fn new() -> Self {
        Interrupts(0)
    }

    /// Count one element.
    #[inline]
    pub fn tick(&mut self, py: Python<'_>) -> Pass<()> {
        self.0 += 1;
        if self.0 >= BETWEEN_CHECKS {
            self.0 = 0;
            py.check_signals()?;
        }
        Ok(())
    }
}
