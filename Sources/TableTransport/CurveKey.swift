import CZeroMQ

/// A public or secret key of CURVE: 32 bytes, written as 40 characters of Z85 (rfc.zeromq.org/spec/32).
public struct CurveKey: Hashable, Sendable {
    /// The 32 bytes.
    public let bytes: [UInt8]

    /// From what libzmq hands over.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// From its 40 characters; nil if they are not those of a key.
    public init?(_ text: String) {
        let text = Array(text.utf8)
        guard text.count == Self.characters else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: text.count, by: 5) {
            var word: UInt64 = 0
            for character in text[start..<start + 5] {
                guard let digit = Self.alphabet.firstIndex(of: character) else { return nil }
                word = word * 85 + UInt64(digit)
            }
            guard word <= UInt64(UInt32.max) else { return nil }
            for shift in [24, 16, 8, 0] as [UInt64] { bytes.append(UInt8(word >> shift & 255)) }
        }
        self.bytes = bytes
    }

    /// Its 40 characters.
    public var text: String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 4) {
            var word = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            var five: [UInt8] = []
            for _ in 0..<5 {
                five.append(Self.alphabet[word % 85])
                word /= 85
            }
            text += five.reversed()
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The public key of a secret one.
    public func publicKey() throws(TransportError) -> CurveKey {
        var found = [CChar](repeating: 0, count: Self.characters + 1)
        guard zmq_curve_public(&found, text) == 0,
            let key = CurveKey(
                String(
                    decoding: found.prefix(Self.characters).map { UInt8(bitPattern: $0) },
                    as: UTF8.self))
        else { throw .last("find the public key of a secret one") }
        return key
    }

    /// A new pair.
    public static func makePair() throws(TransportError) -> (publicKey: CurveKey, secret: CurveKey)
    {
        let pair = try SocketOptions.Curve.makeKeyPair()
        guard let publicKey = CurveKey(pair.publicKey), let secret = CurveKey(pair.secretKey) else {
            throw .last("draw a CURVE key pair")
        }
        return (publicKey, secret)
    }

    private static let size = 32
    private static let characters = 40
    private static let alphabet = Array(
        "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
            .utf8)
}
