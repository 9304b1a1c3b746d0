package import JournalFormat

// The names of the keys below `/trestle/NAME/`, and the bytes of their values.

/// Beyond it numbers could not be counted on.
private let largestPosition: UInt64 = 1 << 62

/// The names.
package struct EtcdKeys: Equatable, Sendable {
    package let prefix: String

    package init(name: String) { prefix = "/trestle/\(name)/" }

    package var leader: [UInt8] { bytes("leader") }
    package var head: [UInt8] { bytes("head") }
    /// The key of the newest complete checkpoint's manifest.
    package var manifest: [UInt8] { bytes("checkpoint") }
    /// Behind everything that a standby is woken by: the head and the leader.
    package var wakeEnd: [UInt8] { bytes("leader") + [0] }
    package var members: [UInt8] { bytes("members/") }
    package var membersEnd: [UInt8] { bytes("members0") }
    package var log: [UInt8] { bytes("log/") }
    package var logEnd: [UInt8] { bytes("log0") }
    package var pieces: [UInt8] { bytes("checkpoint/") }
    package var piecesEnd: [UInt8] { bytes("checkpoint0") }

    package func entry(_ position: UInt64) -> [UInt8] { bytes("log/" + Self.hex(position)) }
    /// The key of a part of a large entry, which is sent ahead of it.
    package func part(_ position: UInt64, _ index: Int) -> [UInt8] {
        bytes("log/\(Self.hex(position))/\(Self.hex(UInt64(index), digits: 4))")
    }
    package func member(_ id: String) -> [UInt8] { bytes("members/\(id)") }
    package func piece(_ checkpoint: String, _ index: Int) -> [UInt8] {
        bytes("checkpoint/\(checkpoint)/\(Self.hex(UInt64(index), digits: 6))")
    }
    package func piecesBegin(_ checkpoint: String) -> [UInt8] { bytes("checkpoint/\(checkpoint)/") }
    package func piecesEnd(_ checkpoint: String) -> [UInt8] { bytes("checkpoint/\(checkpoint)0") }

    /// The position of an entry, and of which part of it this key is.
    package func place(of key: [UInt8]) -> (position: UInt64, part: Int?)? {
        let rest = key.dropFirst(log.count)
        guard key.starts(with: log), let text = String(validating: rest, as: UTF8.self) else {
            return nil
        }
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = words.first, first.utf8.count == 16, words.count <= 2,
            let position = UInt64(first, radix: 16), position < largestPosition
        else { return nil }
        if words.count == 1 { return (position, nil) }
        guard let part = Int(words[1], radix: 16), part >= 0 else { return nil }
        return (position, part)
    }

    private func bytes(_ rest: String) -> [UInt8] { Array((prefix + rest).utf8) }

    static func hex(_ number: UInt64, digits: Int = 16) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

/// The newest entry: what the next one goes behind. Its bytes are never the same twice.
package struct EtcdHead: Equatable, Sendable {
    package var position: UInt64
    /// The hash chain after the entry.
    package var chain: UInt64
    /// The term that wrote it.
    package var term: UInt64

    static let form: UInt8 = 1

    package var bytes: [UInt8] {
        var bytes = [Self.form]
        for word in [position, chain, term] { bytes.append(word) }
        return bytes
    }
}

extension EtcdHead {
    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.byte() == Self.form, let position = reader.word(), position < largestPosition,
            let chain = reader.word(), let term = reader.word(), reader.isAtEnd
        else { return nil }
        self.init(position: position, chain: chain, term: term)
    }
}

/// The value of an entry's key: the chain after it, and its payload or how many parts that is in.
struct EtcdEntry: Equatable {
    var parts: UInt32
    var chain: UInt64
    var payload: [UInt8]

    static let form: UInt8 = 1

    var bytes: [UInt8] {
        var bytes = [Self.form]
        bytes.append(UInt64(parts))
        bytes.append(chain)
        return bytes + payload
    }
}

extension EtcdEntry {
    init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.byte() == Self.form, let parts = reader.word(), parts <= 4_096,
            let chain = reader.word()
        else { return nil }
        self.init(parts: UInt32(parts), chain: chain, payload: reader.rest)
    }
}

/// The newest complete checkpoint, as its key describes it.
package struct EtcdManifest: Equatable, Sendable {
    /// The entry that it covers.
    package var covered: ChainPoint
    /// The position of the checkpoint before: entries up to there are removed.
    package var previous: UInt64
    package var pieces: UInt64
    package var parts: UInt64
    /// The bytes of all its parts.
    package var partBytes: UInt64
    /// The hash chain over its pieces.
    package var chain: UInt64
    /// In the names of its pieces.
    package var name: String

    static let form: UInt8 = 1

    package var bytes: [UInt8] {
        var bytes = [Self.form]
        for word in [
            covered.position, covered.chain, previous, pieces, parts, partBytes, chain,
        ] {
            bytes.append(word)
        }
        return bytes + Array(name.utf8)
    }
}

extension EtcdManifest {
    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.byte() == Self.form, let position = reader.word(), position < largestPosition,
            let link = reader.word(), let previous = reader.word(), previous < largestPosition,
            let pieces = reader.word(), pieces <= 1 << 20, let parts = reader.word(),
            let partBytes = reader.word(), let chain = reader.word(),
            let name = String(validating: reader.rest, as: UTF8.self), name.utf8.count <= 64
        else { return nil }
        self.init(
            covered: ChainPoint(position: position, chain: link), previous: previous,
            pieces: pieces, parts: parts, partBytes: partBytes, chain: chain, name: name)
    }
}

/// A member's description of itself, in its own key and in that of the leader.
package struct EtcdMemberNote: Equatable, Sendable {
    package var id: String
    /// Where clients reach it.
    package var endpoints: [String]
    package var position: UInt64
    package var version: String

    package var bytes: [UInt8] {
        Array(([id, "\(position)", version] + endpoints).joined(separator: "\n").utf8)
    }
}

extension EtcdMemberNote {
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= 4_096, let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count >= 3, lines.count <= 3 + 16, let position = UInt64(lines[1]) else {
            return nil
        }
        self.init(
            id: lines[0], endpoints: Array(lines[3...]), position: position, version: lines[2])
    }
}

/// Reads numbers, the smallest byte first.
struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }
    var rest: [UInt8] { Array(bytes[place...]) }

    mutating func byte() -> UInt8? {
        guard place < bytes.count else { return nil }
        place += 1
        return bytes[place - 1]
    }

    mutating func word() -> UInt64? {
        guard place + 8 <= bytes.count else { return nil }
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(bytes[place + index]) << (8 * index) }
        place += 8
        return word
    }

    /// So many bytes.
    mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= bytes.count - place else { return nil }
        place += count
        return bytes[(place - count)..<place]
    }
}

extension [UInt8] {
    mutating func append(_ word: UInt64) {
        for index in 0..<8 { append(UInt8(truncatingIfNeeded: word >> (8 * index))) }
    }
}
