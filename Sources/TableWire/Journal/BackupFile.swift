import TableHash

// The file format of a backup: a line that names it, the parts, and an end with the number of
// parts. Before each part comes its length, and after it a hash that ties it to everything before.
// So a flipped bit, a missing or moved part, and a missing end are all found.
//
//     trestle-backup 1⏎
//     u32 length, the part's bytes, u64 chain        once for each part
//     u32 0, u64 parts, u64 seal                     the end
//
// Numbers are little-endian. The chain after a part is the part's XXH64. Its seed is the XXH64 of
// the chain before the part and the part's number. The chain before the first part is the hash of
// the line. The seal is the hash of the last chain and the number of parts.

/// Writes a backup file, piece by piece.
public struct BackupWriter {
    private var chain: UInt64
    /// How many parts are written.
    public private(set) var parts: UInt64 = 0

    /// Starts a file without parts.
    public init() { chain = XXH64.hash(BackupFormat.line) }

    /// The start of the file.
    public var beginning: [UInt8] { BackupFormat.line }

    /// The next part in the form of the file. A part is smaller than 4 GiB.
    public mutating func part(_ content: [UInt8]) -> [UInt8] {
        chain = BackupFormat.link(after: chain, number: parts, content)
        parts += 1
        return BackupFormat.bytes(UInt32(content.count)) + content + BackupFormat.bytes(chain)
    }

    /// The end of the file.
    public var end: [UInt8] {
        BackupFormat.bytes(0 as UInt32) + BackupFormat.bytes(parts)
            + BackupFormat.bytes(BackupFormat.seal([chain, parts]))
    }
}

/// Why a file is not a whole backup: the end of a sentence that starts with the file's name.
public struct BackupFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// For example "is cut off", and the reason.
    public var description: String
}

/// Reads a backup file, part by part. Nothing here traps, whatever the bytes.
public struct BackupReader {
    private let bytes: [UInt8]
    private var offset: Int
    private var chain: UInt64
    private var parts: UInt64 = 0
    private var hasEnded = false

    /// How many bytes have been read.
    public var position: Int { offset }

    /// Throws if the bytes are not a backup, or one of a newer version.
    public init(_ bytes: [UInt8]) throws(BackupFault) {
        self.bytes = bytes
        let name = BackupFormat.name
        guard bytes.starts(with: name) else { throw BackupFault(description: "is no backup") }
        let digits = bytes[name.count...].prefix(10).prefix { $0 != BackupFormat.newline }
        guard let version = Int(String(decoding: digits, as: UTF8.self)) else {
            throw BackupFault(description: "is no backup")
        }
        guard version == BackupFormat.version else {
            throw BackupFault(
                description: "is a backup of version \(version); "
                    + "this program reads version \(BackupFormat.version)")
        }
        guard bytes.starts(with: BackupFormat.line) else {
            throw BackupFault(description: "is no backup")
        }
        offset = BackupFormat.line.count
        chain = XXH64.hash(BackupFormat.line)
    }

    /// The next part; nil after the last, if the end of the file is valid.
    public mutating func next() throws(BackupFault) -> [UInt8]? {
        if hasEnded { return nil }
        let length = Int(try word(4))
        if length == 0 { return try end() }
        guard length <= bytes.count - offset else { throw cutOff }
        let content = Array(bytes[offset..<offset + length])
        offset += length
        chain = BackupFormat.link(after: chain, number: parts, content)
        guard try word(8) == chain else { throw damaged }
        parts += 1
        return content
    }

    private mutating func end() throws(BackupFault) -> [UInt8]? {
        let count = try word(8)
        guard count == parts, try word(8) == BackupFormat.seal([chain, parts]) else {
            throw damaged
        }
        guard offset == bytes.count else {
            throw BackupFault(description: "has something after its end")
        }
        hasEnded = true
        return nil
    }

    private mutating func word(_ size: Int) throws(BackupFault) -> UInt64 {
        guard size <= bytes.count - offset else { throw cutOff }
        var value: UInt64 = 0
        for index in (0..<size).reversed() { value = value << 8 | UInt64(bytes[offset + index]) }
        offset += size
        return value
    }

    private var cutOff: BackupFault {
        BackupFault(description: "is cut off: it ends in part \(parts)")
    }

    private var damaged: BackupFault { BackupFault(description: "is damaged in part \(parts)") }
}

/// The format that writer and reader share.
private enum BackupFormat {
    static let version = 1
    static let name = Array("trestle-backup ".utf8)
    static let newline = UInt8(ascii: "\n")
    static let line = name + Array("\(version)\n".utf8)

    static func bytes<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
        (0..<Word.bitWidth / 8).map { UInt8(truncatingIfNeeded: word >> Word(8 * $0)) }
    }

    static func link(after previous: UInt64, number: UInt64, _ content: [UInt8]) -> UInt64 {
        XXH64.hash(content, seed: seal([previous, number]))
    }

    static func seal(_ words: [UInt64]) -> UInt64 { XXH64.hash(words.flatMap { bytes($0) }) }
}
