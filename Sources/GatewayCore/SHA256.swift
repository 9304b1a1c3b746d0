/// SHA-256 (FIPS 180-4). The gateway keeps hashes of secrets, and tells files apart by them.
///
/// Ours, because a library for it would be a second BoringSSL: minutes of each build for these
/// lines, which the standard's own vectors test.
public struct SHA256 {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a,
        0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    /// Nothing was hashed yet.
    public init() {}

    /// The hash of some bytes.
    public static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.add(Array(bytes))
        return hash.finish()
    }

    /// The hash of a text, in hexadecimal digits.
    public static func hex(_ text: String) -> String { hash(text.utf8).hex }

    /// Goes on with these bytes.
    public mutating func add(_ bytes: [UInt8]) {
        length &+= UInt64(bytes.count)
        rest += bytes
        var start = 0
        while rest.count - start >= 64 {
            mix(rest[start..<(start + 64)])
            start += 64
        }
        rest.removeFirst(start)
    }

    /// The hash of all bytes so far.
    public mutating func finish() -> [UInt8] {
        let bits = length &* 8
        let zeros = (119 - Int(length % 64)) % 64
        add([0x80] + [UInt8](repeating: 0, count: zeros))
        add((0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) })
        return state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        }
    }

    private mutating func mix(_ block: ArraySlice<UInt8>) {
        var words = [UInt32](repeating: 0, count: 64)
        for (index, byte) in block.enumerated() {
            words[index / 4] |= UInt32(byte) << UInt32(24 - 8 * (index % 4))
        }
        for t in 16..<64 {
            let (a, b) = (words[t - 15], words[t - 2])
            let small = a.turned(7) ^ a.turned(18) ^ a >> 3
            let large = b.turned(17) ^ b.turned(19) ^ b >> 10
            words[t] = words[t - 16] &+ small &+ words[t - 7] &+ large
        }
        var s = state
        for t in 0..<64 {
            let e = s[4].turned(6) ^ s[4].turned(11) ^ s[4].turned(25)
            let choice = (s[4] & s[5]) ^ (~s[4] & s[6])
            let one = s[7] &+ e &+ choice &+ Self.constants[t] &+ words[t]
            let a = s[0].turned(2) ^ s[0].turned(13) ^ s[0].turned(22)
            let majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2])
            s = [one &+ a &+ majority, s[0], s[1], s[2], s[3] &+ one, s[4], s[5], s[6]]
        }
        for index in state.indices { state[index] &+= s[index] }
    }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
    private static let constants: [UInt32] = [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
        0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
        0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
        0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
        0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
        0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
        0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
        0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
        0xc67178f2,
    ]
}

extension UInt32 {
    fileprivate func turned(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}

extension [UInt8] {
    /// In lower-case hexadecimal digits.
    public var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }
}
