//! A position in bytes, and varints.

use crate::halt::{Halt, Pass};

pub const MAX_STRING_BYTES: usize = 32767;
pub const MAX_LENGTH: i64 = (1 << 31) - 1;
pub const MAX_UNKNOWN_TAG: u32 = (1 << 31) - 2;

pub struct Cursor<'a> {
    data: &'a [u8],
    pub pos: usize,
}

impl<'a> Cursor<'a> {
    /// `pos` is at most the number of bytes.
    pub fn new(data: &'a [u8], pos: usize) -> Self {
        Cursor { data, pos }
    }

    pub fn left(&self) -> usize {
        self.data.len() - self.pos
    }

    #[inline]
    pub fn take(&mut self, count: usize) -> Pass<&'a [u8]> {
        let data = self.data;
        let rest = data.get(self.pos..).ok_or(Halt::Refused)?;
        let found = rest.get(..count).ok_or(Halt::Refused)?;
        self.pos += count;
        Ok(found)
    }

    #[inline]
    pub fn array<const N: usize>(&mut self) -> Pass<[u8; N]> {
        let rest = self.data.get(self.pos..).ok_or(Halt::Refused)?;
        let found = rest.first_chunk::<N>().ok_or(Halt::Refused)?;
        self.pos += N;
        Ok(*found)
    }

    /// An unsigned varint of at most 5 bytes and 32 bits.
    #[inline]
    pub fn uvarint(&mut self) -> Pass<u32> {
        let first = self.array::<1>()?[0];
        if first < 0x80 {
            return Ok(u32::from(first));
        }
        let mut result = u64::from(first & 0x7F);
        for shift in [7, 14, 21, 28] {
            let byte = self.array::<1>()?[0];
            result |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return u32::try_from(result).map_err(|_| Halt::Refused);
            }
        }
        Err(Halt::Refused)
    }
}

/// The shortest unsigned varint of a number, and how many of the bytes it takes.
pub fn uvarint(mut number: u32) -> ([u8; 5], usize) {
    let mut bytes = [0; 5];
    let mut count = 0;
    while number > 0x7F {
        bytes[count] = (number & 0x7F) as u8 | 0x80;
        number >>= 7;
        count += 1;
    }
    bytes[count] = number as u8;
    (bytes, count + 1)
}
