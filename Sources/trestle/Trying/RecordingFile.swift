import Glibc
import TableModel
import TableTransport
import TableWire

/// A recording, read line by line.
final class RecordingFile {
    private let name: String
    private let reader: LineReader
    let header: SessionHeader
    private var number = 0

    init(_ path: String) throws {
        name = Files.name(of: path)
        reader = try LineReader(path)
        number = 1
        guard let line = try reader.next(), case .header(let header)? = try? Self.line(line) else {
            throw Self.fault("no session: the first line does not say so", name, 1)
        }
        self.header = header
    }

    /// The next line; nil at the end. A last line that was cut off is passed over, since the recorder was killed.
    func next() throws -> SessionLine? {
        guard let bytes = try reader.next() else { return nil }
        number += 1
        do {
            return try Self.line(bytes)
        } catch {
            if reader.isCutOff { return nil }
            throw fault("no line of a session: \(error)")
        }
    }

    private static func line(_ bytes: [UInt8]) throws -> SessionLine {
        try Decode.sessionLine(String(decoding: bytes, as: UTF8.self))
    }

    /// The table of a state, which has its digest.
    func table(of state: SessionState) throws -> Table {
        do {
            return try state.table()
        } catch { throw fault("the state is damaged: \(error.sentence)") }
    }

    /// Applies a revision, which leads to its digest.
    func apply(_ diff: Diff, to table: Table?) throws -> Table {
        guard let table else { throw fault("a revision before any state") }
        do {
            try table.apply(diff)
        } catch { throw fault("revision \(diff.revision) does not fit: \(error.sentence)") }
        return table
    }

    /// A failure about the line that was read last.
    func fault(_ message: String) -> Failure { Self.fault(message, name, number) }

    private static func fault(_ message: String, _ name: String, _ line: Int) -> Failure {
        var failure = Failure(.badData, "\(name):\(line): \(message)")
        failure.file = name
        failure.line = line
        return failure
    }
}

extension Mismatch {
    /// A sentence for people, with digests in hexadecimal.
    fileprivate var sentence: String {
        switch self {
        case .base(let table, let diff): return "it leads on from \(diff), and here is \(table)"
        case .op(let what): return what
        case .digest(let table, let diff):
            return "the digest is \(table.lowerHex), not \(diff.lowerHex)"
        }
    }
}

/// Lines of a file of any size.
final class LineReader {
    private let path: String
    private let descriptor: Int32
    private var waiting: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// The last line that was given has no end.
    private(set) var isCutOff = false
    /// A state of a large table is one line.
    private static let mostBytes = 2 << 30

    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw Files.unreadable(path, errno) }
    }

    deinit { if descriptor > 0 { close(descriptor) } }

    /// The next line without its end; nil at the file's end.
    func next() throws(Failure) -> [UInt8]? {
        var searched = start
        while true {
            if let end = waiting[searched...].firstIndex(of: 10) {
                defer { start = end + 1 }
                return Array(waiting[start..<end])
            }
            searched = waiting.count
            if isAtEnd {
                guard start < waiting.count else { return nil }
                isCutOff = true
                defer { start = waiting.count }
                return Array(waiting[start...])
            }
            let before = start
            try fill()
            searched -= before - start
        }
    }

    private func fill() throws(Failure) {
        if start > 0 {
            waiting.removeFirst(start)
            start = 0
        }
        guard waiting.count < Self.mostBytes else {
            throw Failure(.badData, "\(Files.name(of: path)): a line without an end")
        }
        var part = [UInt8](repeating: 0, count: 256 << 10)
        let count = Files.read(descriptor, into: &part)
        if count < 0 { throw Files.unreadable(path, errno) }
        if count == 0 { isAtEnd = true }
        if count > 0 { waiting += part[..<count] }
    }
}

final class OutputFile {
    private let path: String
    private let descriptor: Int32

    /// Makes the file, or empties the one that is there.
    init(_ path: String) throws(Failure) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Failure(.cannotCreate, cannot: "create \(path)") }
    }

    deinit { close(descriptor) }

    /// Writes all of the text, so that the file has whole lines.
    func write(_ text: String) throws(Failure) {
        let code = StandardDescriptors.write(text, to: descriptor)
        guard code == 0 else { throw Failure(cannot: "write to \(path)", code) }
    }
}
