import CSQLite
import Glibc

/// SQLite's own check of the database's structure. It runs in a plain C thread, since it takes a
/// millisecond for each megabyte and cannot be done in slices.
///
/// The file must not change meanwhile: nothing is copied from the write-ahead log into it.
final class StructureCheck {
    private let check: UnsafeMutablePointer<csqlite_check>
    private let path: String

    /// Starts reading the file as it is without the log.
    init(path: String) throws {
        guard let check = csqlite_check_begin("file:" + Self.escaped(path) + "?immutable=1") else {
            throw JournalError.system(doing: "begin to check", path: path, code: EAGAIN)
        }
        self.path = path
        self.check = check
    }

    deinit {
        csqlite_check_end(check)
    }

    /// SQLite's finding: "ok" if all is well; nil while the check is running.
    func finding() throws -> String? {
        guard csqlite_check_is_done(check) != 0 else { return nil }
        let code = csqlite_check_code(check)
        guard code == SQLITE_OK else {
            throw JournalError.sqlite(
                doing: "check the structure", path: path, code: code & 0xFF, extended: code,
                message: String(cString: sqlite3_errstr(code)))
        }
        return String(cString: csqlite_check_found(check))
    }

    /// A path in the form that a URI needs.
    private static func escaped(_ path: String) -> String {
        var bytes: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "%"):
                bytes += Array("%".utf8) + hex(byte)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
}
