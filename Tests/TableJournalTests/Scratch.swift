import Glibc
import JournalFormat
import JournalPort
import TableHash
import Testing

@testable import TableJournal

/// A state directory of a test's own, removed with it.
final class Scratch {
    let path: String

    init() {
        let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(temporary)/trestle-journal-XXXXXX".utf8CString)
        path = mkdtemp(&template).map { String(cString: $0) } ?? temporary
    }

    deinit {
        for name in names { unlink(file(name)) }
        rmdir(path)
    }

    var names: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// Dropping the journal without `close` leaves the files as the end of the process would.
    func open(_ limits: Limits = small) throws -> LogJournal {
        try LogJournal(
            FileDisk(path: path), limits, directory: StateDirectory(path: path))
    }

    /// Segments are small, so that tests have several, and are quick.
    static let small: Limits = {
        var limits = Limits()
        limits.segmentBytes = 64 << 10
        return limits
    }()

    /// Opens the journal, uses it and drops it.
    @discardableResult
    func session<Result>(_ body: (LogJournal) throws -> Result) throws -> Result {
        try body(open())
    }

    /// Opens, recovers and drops the journal.
    func content() throws -> Content { try session { try Content(of: $0) } }

    func read(_ name: String) throws -> [UInt8] {
        let descriptor = try openFile(file(name), O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
        try #require(pread(descriptor, &bytes, bytes.count, 0) == bytes.count)
        return bytes
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        let descriptor = try openFile(file(name), O_WRONLY | O_CREAT | O_TRUNC)
        defer { close(descriptor) }
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }
}

extension LogJournal {
    /// The entry for the next position.
    func append(_ entry: [UInt8]) throws {
        try submit(entry, position: durable + 1, term: 1)
    }

    /// Asks until it is durable.
    func finishWhole() throws {
        while try !finishCheckpoint() {}
    }

    /// A checkpoint of everything up to now.
    func wholeCheckpoint(_ parts: [[UInt8]]) throws {
        try beginCheckpoint()
        for part in parts { try appendToCheckpoint(part) }
        try finishWhole()
    }
}

/// Everything that a journal hands over.
struct Content: Equatable {
    var checkpoint: UInt64?
    var parts: [[UInt8]] = []
    var positions: [UInt64] = []
    var entries: [[UInt8]] = []

    init(of journal: LogJournal) throws {
        let summary = try journal.recover { item in
            switch item {
            case .checkpoint(let position, _): checkpoint = position
            case .part(let bytes): parts.append(Array(bytes))
            case .entry(let position, let bytes):
                positions.append(position)
                entries.append(Array(bytes))
            }
        }
        #expect(summary.checkpoint == checkpoint)
        #expect(summary.parts == UInt64(parts.count))
        #expect(summary.entries == UInt64(entries.count))
        #expect(summary.entryBytes == UInt64(entries.joined().count))
        #expect(summary.position == journal.durable)
    }
}

/// A small generator with a seed, so that every run can be repeated.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return XXH64.hash([], seed: state)
    }
}

/// Bytes that depend on `seed` and nothing else.
func payload(_ seed: Int, count: Int) -> [UInt8] {
    var generator = SplitMix64(seed: UInt64(bitPattern: Int64(seed)))
    return [UInt8](unsafeUninitializedCapacity: count) { room, filled in
        for start in stride(from: 0, to: count, by: 8) {
            let word = generator.next()
            for index in start..<min(start + 8, count) {
                room[index] = UInt8(truncatingIfNeeded: word >> (8 * UInt64(index - start)))
            }
        }
        filled = count
    }
}
