import CSQLite
import JournalFormat

/// A thin wrapper of one SQLite connection. Every failure becomes a `JournalError` that says what
/// was being done.
final class Database {
    let path: String
    fileprivate let handle: OpaquePointer

    init(path: String) throws {
        self.path = path
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let message = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(opened)
            throw JournalError.sqlite(
                doing: "open the database", path: path, code: code & 0xFF, extended: code,
                message: message)
        }
        handle = opened
        sqlite3_extended_result_codes(handle, 1)
        // Closing must not write: the old journal stays as it is.
        _ = csqlite_no_checkpoint_on_close(handle)
        // A size in a damaged file must not cause a larger allocation than our own.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(EntryHeader.mostBytes + 4096))
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Keeps other programs out, and reads what is in the write-ahead log without a file beside it.
    func beAlone() throws {
        let doing = "take the database"
        let found = try text("PRAGMA locking_mode = EXCLUSIVE", doing: doing)
        guard found == "exclusive" else { throw failure(doing) }
        // A mapped page that cannot be read would be a fatal signal.
        try execute(
            "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF",
            doing: doing)
    }

    func failure(_ doing: String) -> JournalError {
        let extended = sqlite3_extended_errcode(handle)
        return .sqlite(
            doing: doing, path: path, code: extended & 0xFF, extended: extended,
            message: String(cString: sqlite3_errmsg(handle)))
    }

    func execute(_ sql: String, doing: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure(doing) }
    }

    func prepare(_ sql: String) throws -> Statement {
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK,
            let statement
        else { throw failure("prepare a statement") }
        return Statement(statement, of: self)
    }

    /// The first column of the first row as text; nil without a row.
    func text(_ sql: String, doing: String) throws -> String? {
        let statement = try prepare(sql)
        return try statement.step(doing) ? statement.text(0) : nil
    }

    /// The first column of the first row, if it is an integer.
    func integer(_ sql: String, doing: String) throws -> Int64? {
        let statement = try prepare(sql)
        return try statement.step(doing) ? statement.integer(0) : nil
    }
}

/// A prepared statement. As in SQLite, parameters count from 1 and columns from 0.
final class Statement {
    private let handle: OpaquePointer
    private let database: Database

    fileprivate init(_ handle: OpaquePointer, of database: Database) {
        self.handle = handle
        self.database = database
    }

    deinit {
        sqlite3_finalize(handle)
    }

    func bind(_ values: [UInt64]) throws {
        for (index, value) in values.enumerated() {
            try bind(value, at: index + 1)
        }
    }

    private func bind(_ value: UInt64, at index: Int) throws {
        let code = sqlite3_bind_int64(handle, Int32(index), Int64(bitPattern: value))
        guard code == SQLITE_OK else { throw database.failure("bind a parameter") }
    }

    /// Advances to the next row.
    ///
    /// - Returns: false if there is none.
    func step(_ doing: @autoclosure () -> String) throws -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw database.failure(doing())
        }
    }

    func integer(_ column: Int32) -> Int64? {
        guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { return nil }
        return sqlite3_column_int64(handle, column)
    }

    /// A hash: 64 bits that SQLite keeps as a signed integer.
    func word(_ column: Int32) -> UInt64? {
        integer(column).map { UInt64(bitPattern: $0) }
    }

    /// A position or a count: an integer that is not negative.
    func count(_ column: Int32) -> UInt64? {
        integer(column).flatMap { UInt64(exactly: $0) }
    }

    func text(_ column: Int32) -> String? {
        sqlite3_column_text(handle, column).map { String(cString: $0) }
    }

    /// Bytes that are valid until the next step.
    func blob(_ column: Int32) -> UnsafeRawBufferPointer? {
        guard sqlite3_column_type(handle, column) == SQLITE_BLOB else { return nil }
        let start = sqlite3_column_blob(handle, column)
        let count = Int(sqlite3_column_bytes(handle, column))
        guard 0...EntryHeader.mostBytes ~= count, count == 0 || start != nil else { return nil }
        return UnsafeRawBufferPointer(start: start, count: count)
    }
}
