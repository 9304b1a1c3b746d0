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
        var bytes = [UInt8](repeating: 0, count: Self.size)
        guard text.utf8.count == Self.characters, !text.utf8.contains(0),
            zmq_z85_decode(&bytes, text) != nil
        else { return nil }
        self.bytes = bytes
    }

    /// Its 40 characters.
    public var text: String {
        var text = Self.room
        _ = zmq_z85_encode(&text, bytes, Self.size)
        return Self.string(text)
    }

    /// The public key of a secret one.
    public func publicKey() throws(TransportError) -> CurveKey {
        var found = Self.room
        guard zmq_curve_public(&found, text) == 0, let key = CurveKey(Self.string(found)) else {
            throw .last("find the public key of a secret one")
        }
        return key
    }

    /// A new pair.
    public static func makePair() throws(TransportError) -> (publicKey: CurveKey, secret: CurveKey)
    {
        var (open, closed) = (room, room)
        guard zmq_curve_keypair(&open, &closed) == 0, let publicKey = CurveKey(string(open)),
            let secret = CurveKey(string(closed))
        else { throw .last("draw a CURVE key pair") }
        return (publicKey, secret)
    }

    private static let size = 32
    private static let characters = 40
    /// Room for a key's characters and the NUL behind them.
    private static var room: [CChar] { Array(repeating: 0, count: characters + 1) }

    private static func string(_ text: [CChar]) -> String {
        String(decoding: text.prefix(characters).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
