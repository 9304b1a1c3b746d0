import TableHash

// All numbers in the journal's files are 64 bits, least significant byte first.

extension UnsafeRawBufferPointer {
    /// The number at an offset that lies within the bytes.
    func word(_ offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Numbers and the seal behind them; nil if they are not what was sealed, or not all there.
    func sealedWords(_ count: Int, at offset: Int = 0, seed: UInt64 = 0) -> [UInt64]? {
        guard offset >= 0, offset <= self.count, self.count - offset >= 8 * (count + 1) else {
            return nil
        }
        let body = UnsafeRawBufferPointer(rebasing: self[offset..<offset + 8 * count])
        guard word(offset + 8 * count) == XXH64.hash(body, seed: seed) else { return nil }
        return (0..<count).map { word(offset + 8 * $0) }
    }
}

extension UnsafeMutableRawBufferPointer {
    func store(_ word: UInt64, at offset: Int) {
        storeBytes(of: word.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Stores numbers and a seal behind them. They are no array: each entry has some.
    func storeSealed<let number: Int>(_ words: [number of UInt64], seed: UInt64 = 0) {
        for index in words.indices { store(words[index], at: 8 * index) }
        let body = UnsafeRawBufferPointer(rebasing: self[..<(8 * number)])
        store(XXH64.hash(body, seed: seed), at: 8 * number)
    }
}

/// The numbers that the files of the journal begin with, and the number of their form.
package enum Form {
    /// The form that this program writes, and the newest that it reads.
    package static let newest: UInt64 = 1
    /// More entries, checkpoints and lives of a segment than any log has. There is always a next one, so
    /// who counts on from what a file says cannot overflow.
    package static let largestNumber: UInt64 = 1 << 62

    /// "TRSTLJRN"
    static let manifest: UInt64 = 0x4E52_4A4C_5453_5254
    /// "TRSTLLOG"
    static let segment: UInt64 = 0x474F_4C4C_5453_5254
    /// "TRSTLENT"
    static let entry: UInt64 = 0x544E_454C_5453_5254
    /// "TRSTLCKP"
    static let checkpoint: UInt64 = 0x504B_434C_5453_5254
    /// "TRSTLPRT"
    static let part: UInt64 = 0x5452_504C_5453_5254
    /// "TRSTLEND"
    static let end: UInt64 = 0x444E_454C_5453_5254
    /// "TRSTLACK"
    static let acknowledged: UInt64 = 0x4B43_414C_5453_5254
}
