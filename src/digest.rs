//! A small digest that is the same on every machine and in every version; no secret depends on it.

/// FNV-1a over 64 bits.
pub(crate) struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Takes bytes in.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Takes a number in.
    pub fn number(&mut self, number: usize) {
        self.bytes(&(number as u64).to_le_bytes());
    }

    /// Takes a text in with its length, so that no two sequences of texts run together.
    pub fn text(&mut self, tag: u8, text: &str) {
        self.bytes(&[tag]);
        self.number(text.len());
        self.bytes(text.as_bytes());
    }

    /// 16 hexadecimal digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}
