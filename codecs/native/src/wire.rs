//! A position in bytes, and varints.

use crate::halt::{Halt, Pass};

pub const MAX_STRING_BYTES: usize = 32767;
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

    /// A cursor over as many bytes from here.
    pub fn part(&self, count: usize) -> Pass<Self> {
        let end = self.pos.checked_add(count).ok_or(Halt::Refused)?;
        let data = self.data.get(..end).ok_or(Halt::Refused)?;
        Ok(Cursor::new(data, self.pos))
    }

    /// Pass over as many bytes as `count` if they are those at `before`.
    #[inline]
    pub fn same(&mut self, before: usize, count: usize) -> bool {
        let bytes = |at: usize| self.data.get(at..)?.get(..count);
        let same = bytes(self.pos).is_some_and(|found| Some(found) == bytes(before));
        if same {
            self.pos += count;
        }
        same
    }

    #[inline]
    pub fn same_array<const N: usize>(&mut self, before: usize) -> bool {
        let bytes = |at: usize| self.data.get(at..)?.first_chunk::<N>();
        let same = bytes(self.pos).is_some_and(|found| Some(found) == bytes(before));
        if same {
            self.pos += N;
        }
        same
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
        Ok(self.groups::<32>()? as u32)
    }

    /// A zig-zag varint of at most 5 bytes and 32 bits.
    #[inline]
    pub fn varint(&mut self) -> Pass<i32> {
        let raw = self.uvarint()?;
        Ok((raw >> 1) as i32 ^ -((raw & 1) as i32))
    }

    /// A zig-zag varint of at most 10 bytes and 64 bits.
    #[inline]
    pub fn varlong(&mut self) -> Pass<i64> {
        let raw = self.groups::<64>()?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }

    #[inline]
    fn groups<const BITS: u32>(&mut self) -> Pass<u64> {
        let mut result = 0;
        for shift in (0..BITS).step_by(7) {
            let byte = self.array::<1>()?[0];
            let group = u64::from(byte & 0x7F);
            if shift > 0 && group >> (BITS - shift) != 0 {
                return Err(Halt::Refused);
            }
            result |= group << shift;
            if byte < 0x80 {
                return Ok(result);
            }
        }
        Err(Halt::Refused)
    }
}
