import CZlib
import GatewayCore
import Glibc
import NIOCore

/// Something of the system refused.
struct SystemFailure: Error, CustomStringConvertible {
    var description: String
    var exitCode: Int32

    /// With the reason in `errno`.
    init(_ what: String, exitCode: Int32 = 74) {
        description = "\(what): \(String(cString: strerror(errno)))"
        self.exitCode = exitCode
    }

    init(saying description: String, exitCode: Int32) {
        self.description = description
        self.exitCode = exitCode
    }
}

/// Files, read and written whole.
enum File {
    /// Nil: there is none. Throws where it cannot be read, or is larger.
    static func read(_ path: String, atMost limit: Int) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SystemFailure("cannot read \(path)")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let got = Glibc.read(descriptor, &piece, piece.count)
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw SystemFailure("cannot read \(path)") }
            if got == 0 { return bytes }
            bytes += piece[..<got]
            guard bytes.count <= limit else {
                throw SystemFailure(saying: "\(path) is larger than \(limit) bytes", exitCode: 65)
            }
        }
    }

    /// Writes it beside, then puts it in place: a reader sees all of the old or all of the new.
    static func write(_ path: String, _ text: String, mode: mode_t = 0o600) throws {
        let new = "\(path).new"
        let descriptor = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw SystemFailure("cannot write \(new)", exitCode: 73) }
        defer { close(descriptor) }
        fchmod(descriptor, mode)
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let put = bytes[done...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { throw SystemFailure("cannot write \(new)") }
            done += put
        }
        let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        try giveToOwner(of: directory, descriptor)
        guard fsync(descriptor) == 0, rename(new, path) == 0 else {
            throw SystemFailure("cannot write \(path)")
        }
        // Else a device that was revoked could be back after a power cut.
        let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw SystemFailure("cannot open \(directory)") }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw SystemFailure("cannot write \(directory)") }
    }

    /// Gives a file that root has made in the gateway's directory to the gateway's user.
    static func giveToOwner(of directory: String, _ descriptor: Int32) throws {
        var found = stat()
        guard geteuid() == 0, stat(directory, &found) == 0, found.st_uid != 0 else { return }
        guard fchown(descriptor, found.st_uid, found.st_gid) == 0 else {
            throw SystemFailure("cannot give a file to the owner of \(directory)")
        }
    }
}

/// A file of the page, as it is sent.
struct Asset: Sendable {
    /// Held once for all who read them.
    var bytes: ByteBuffer
    /// Packed, where that is shorter.
    var packed: ByteBuffer?
    var type: String
    var tag: String
}

/// All files of `web/`, read at the start: no path of a request ever touches the disk.
struct Assets: Sendable {
    private(set) var files: [String: Asset] = [:]
    /// A hash of all of them.
    private(set) var hash = ""

    private static let types = [
        "html": "text/html; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "css": "text/css; charset=utf-8", "json": "application/json",
        "map": "application/json",
        "webmanifest": "application/manifest+json", "svg": "image/svg+xml", "png": "image/png",
        "woff2": "font/woff2", "txt": "text/plain; charset=utf-8",
    ]
    private static let mostBytes = 16 << 20
    private static let mostFiles = 2_000

    init(directory: String) throws {
        var paths: [String] = []
        try Self.list(directory, "", depth: 0, &paths)
        var all = SHA256()
        var total = 0
        for path in paths.sorted() {
            guard let bytes = try File.read(directory + path, atMost: Self.mostBytes) else {
                continue
            }
            total += bytes.count
            guard total <= Self.mostBytes else {
                throw SystemFailure(saying: "\(directory) holds more than 16 MiB", exitCode: 65)
            }
            let hash = SHA256.hash(bytes).hex
            all.add(Array("\(path)\n\(hash)\n".utf8))
            let type = Self.type(of: path) ?? "application/octet-stream"
            var packed: ByteBuffer?
            var packer = GzipPacker(level: 9)
            if !["image/png", "font/woff2"].contains(type), packer.add(bytes),
                let whole = packer.finish(), whole.readableBytes < bytes.count
            {
                packed = whole
            }
            files[path] = Asset(
                bytes: ByteBuffer(bytes: bytes), packed: packed, type: type,
                tag: "\"\(hash.prefix(32))\"")
        }
        hash = String(all.finish().hex.prefix(32))
        guard files["/index.html"] != nil else {
            throw SystemFailure(
                saying: "\(directory) has no index.html: name the page's files with --web",
                exitCode: 66)
        }
    }

    private static func type(of path: String) -> String? {
        path.lastIndex(of: ".").flatMap { types[String(path[path.index(after: $0)...])] }
    }

    private static func list(
        _ directory: String, _ path: String, depth: Int, _ paths: inout [String]
    ) throws {
        guard let stream = opendir(directory + path) else {
            throw SystemFailure("cannot read \(directory + path)", exitCode: 66)
        }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard !name.hasPrefix("."), name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                continue
            }
            let below = "\(path)/\(name)"
            var found = stat()
            guard stat(directory + below, &found) == 0 else { continue }
            if found.st_mode & S_IFMT == S_IFDIR {
                if depth < 8 { try list(directory, below, depth: depth + 1, &paths) }
            } else if found.st_mode & S_IFMT == S_IFREG, type(of: below) != nil {
                paths.append(below)
            }
            guard paths.count <= mostFiles else {
                throw SystemFailure(saying: "\(directory) holds too many files", exitCode: 65)
            }
        }
    }
}

/// A snapshot as it is sent.
typealias GzipSnapshot = PackedSnapshot<ByteBuffer>

/// Packs bytes as gzip, by zlib.
struct GzipPacker: Packing {
    /// zlib's state must not move.
    private final class Stream {
        var z = z_stream()
        var isOpen = false

        init?(level: Int32) {
            // 31: a window of 32 KiB, with gzip's head and sum.
            isOpen =
                deflateInit2_(
                    &z, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                    Int32(MemoryLayout<z_stream>.size)) == Z_OK
            if !isOpen { return nil }
        }

        deinit {
            if isOpen { deflateEnd(&z) }
        }
    }

    /// Nil where zlib has no memory: then it packs nothing.
    private let stream: Stream?
    private var packed = ByteBuffer()

    var count: Int { packed.readableBytes }

    init(level: Int32 = 4) { stream = Stream(level: level) }

    mutating func add(_ bytes: [UInt8]) -> Bool { run(bytes, Z_NO_FLUSH) }

    mutating func finish() -> ByteBuffer? { run([], Z_FINISH) ? packed : nil }

    private mutating func run(_ bytes: [UInt8], _ flush: Int32) -> Bool {
        guard let stream, bytes.count <= 1 << 30 else { return false }
        var bytes = bytes
        var room = [UInt8](repeating: 0, count: 65_536)
        return bytes.withUnsafeMutableBufferPointer { input in
            stream.z.next_in = input.baseAddress
            stream.z.avail_in = UInt32(input.count)
            while true {
                let (status, count) = room.withUnsafeMutableBufferPointer { output in
                    stream.z.next_out = output.baseAddress
                    stream.z.avail_out = UInt32(output.count)
                    let status = deflate(&stream.z, flush)
                    return (status, output.count - Int(stream.z.avail_out))
                }
                packed.writeBytes(room[..<count])
                // What is larger is not kept either.
                guard packed.readableBytes <= 128 << 20 else { return false }
                if status == Z_STREAM_END { return true }
                guard status == Z_OK || status == Z_BUF_ERROR else { return false }
                if count < room.count, flush == Z_NO_FLUSH { return true }
                if status == Z_BUF_ERROR, count == 0 { return flush == Z_NO_FLUSH }
            }
        }
    }
}
