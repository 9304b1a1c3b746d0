import Glibc

/// Directories that the daemon may have to make before it can put something there.
enum Directories {
    /// Makes the directories above a path that are not there yet. What cannot be made shows when
    /// the path itself is used, with its reason.
    static func makeParents(of path: String) {
        for index in path.indices.dropFirst() where path[index] == "/" {
            _ = mkdir(String(path[..<index]), 0o755)
        }
    }
}

/// Small files of the system.
enum SmallFile {
    /// The text of a file of at most 8 KiB, as it is now; nil if it cannot be read, or is empty.
    static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 8_192)
        let count = read(file, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
