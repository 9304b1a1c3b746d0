import TableModel

/// SHA-1, for the one thing that it is still for: the answer to a WebSocket's key (RFC 6455).
public enum SHA1 {
    /// The server's answer to a client's key.
    public static func accept(_ key: String) -> String {
        Base64.text(hash(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [
            0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0,
        ]
        let bits = UInt64(bytes.count) * 8
        var all = bytes + [0x80]
        all += [UInt8](repeating: 0, count: (120 - all.count % 64) % 64)
        all += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
        for start in stride(from: 0, to: all.count, by: 64) {
            mix(&state, all[start..<(start + 64)])
        }
        return state.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) }
        }
    }

    private static func mix(_ state: inout [UInt32], _ block: ArraySlice<UInt8>) {
        var words = [UInt32](repeating: 0, count: 80)
        for (index, byte) in block.enumerated() {
            words[index / 4] |= UInt32(byte) << UInt32(24 - 8 * (index % 4))
        }
        for t in 16..<80 {
            words[t] = (words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16]).left(1)
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for t in 0..<80 {
            let (f, k): (UInt32, UInt32) =
                switch t {
                case 0..<20: ((b & c) | (~b & d), 0x5a82_7999)
                case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
                case 40..<60: ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc)
                default: (b ^ c ^ d, 0xca62_c1d6)
                }
            let next = a.left(5) &+ f &+ e &+ k &+ words[t]
            (a, b, c, d, e) = (next, a, b.left(30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }
}

extension UInt32 {
    fileprivate func left(_ count: UInt32) -> UInt32 { self << count | self >> (32 - count) }
}
