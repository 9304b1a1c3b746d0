import CSQLite

/// A thin wrapper of one SQLite connection. Every failure becomes a `JournalError` that says what
/// was being done.
final class Database {
    let path: String
    fileprivate let handle: OpaquePointer
    /// Pages in the write-ahead log after the last commit. SQLite's hook updates it.
    private let logPages: UnsafeMutablePointer<Int32>
    /// Set while the file's structure is being checked: the file must not change then.
    var isCopyingHeld = false

    init(path: String) throws {
        self.path = path
        var opened: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let opened else {
            let message = String(cString: sqlite3_errstr(code))
            sqlite3_close_v2(opened)
            throw JournalError.sqlite(
                doing: "open the database", path: path, code: code & 0xFF, extended: code,
                message: message)
        }
        handle = opened
        logPages = .allocate(capacity: 1)
        logPages.initialize(to: 0)
        sqlite3_extended_result_codes(handle, 1)
        // Closing must not write: a refused or poisoned journal stays as it is.
        _ = csqlite_no_checkpoint_on_close(handle)
        // A size in a damaged file must not cause a larger allocation than our own.
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(Limits.payloadBytes + 4096))
    }

    deinit {
        sqlite3_close_v2(handle)
        logPages.deallocate()
    }

    /// Starts counting the pages of the write-ahead log.
    func watchLog() {
        sqlite3_wal_hook(
            handle,
            { pages, _, _, count in
                pages?.storeBytes(of: count, as: Int32.self)
                return SQLITE_OK
            }, logPages)
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

    /// Runs `body` in one transaction. When this returns, all of it is durable.
    func transaction<Result>(_ doing: String, _ body: () throws -> Result) throws -> Result {
        try execute("BEGIN IMMEDIATE", doing: doing)
        do {
            let result = try body()
            try execute("COMMIT", doing: doing)
            return result
        } catch {
            // The first error is the one to report; SQLite may have rolled back by itself.
            sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }

    /// Runs `body`. Its commits wait only until they are in the log, not on disk. The next synced
    /// commit makes them durable.
    func unsynced<Result>(_ body: () throws -> Result) throws -> Result {
        try set("synchronous", to: "NORMAL", reads: "1")
        let result = try body()
        try set("synchronous", to: "FULL", reads: "2")
        return result
    }

    /// Copies the write-ahead log into the database if it has grown to `pages`.
    ///
    /// Not left to `wal_autocheckpoint`: that ignores a failed sync and tries again later. The
    /// kernel may then report success for pages that never reached the disk.
    func copyLog(from pages: Int32) throws {
        guard logPages.pointee >= pages, !isCopyingHeld else { return }
        try copyLog(mode: SQLITE_CHECKPOINT_PASSIVE)
    }

    /// Returns free pages to the disk if they are most of the file. True if it did.
    func shrink() throws -> Bool {
        let doing = "look for free pages"
        let size = try integer("PRAGMA page_size", doing: doing) ?? 0
        let pages = try integer("PRAGMA page_count", doing: doing) ?? 0
        let free = try integer("PRAGMA freelist_count", doing: doing) ?? 0
        guard free > pages / 2, free * size >= Limits.freeBytes,
            (pages - free) * size <= Limits.keptBytes
        else { return false }
        try execute("PRAGMA temp_store = MEMORY", doing: doing)
        try execute("VACUUM", doing: "give free pages back to the disk")
        try emptyLog()
        return true
    }

    /// Copies the whole write-ahead log into the database and empties it.
    func emptyLog() throws {
        try copyLog(mode: SQLITE_CHECKPOINT_TRUNCATE)
    }

    /// Copies the whole write-ahead log into the database, including what an earlier process left
    /// in it, which `logPages` does not count. False if some of it must stay for now.
    func copyWholeLog() throws -> Bool {
        guard !isCopyingHeld else { return false }
        var (pages, copied): (Int32, Int32) = (0, 0)
        guard
            sqlite3_wal_checkpoint_v2(
                handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &copied) == SQLITE_OK
        else { throw failure("copy the write-ahead log into the database") }
        return pages == copied
    }

    private func copyLog(mode: Int32) throws {
        guard sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil) == SQLITE_OK else {
            throw failure("copy the write-ahead log into the database")
        }
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

    /// Executes with integer parameters. They are stored as the same 64 bits, signed.
    func run(_ doing: String, _ values: UInt64...) throws {
        defer { reset() }
        try bind(values)
        guard try !step(doing) else { throw database.failure(doing) }
    }

    /// Executes with integer parameters followed by a payload, which is not copied.
    func run(_ doing: String, _ values: UInt64..., payload: UnsafeRawBufferPointer) throws {
        defer {
            reset()
            sqlite3_clear_bindings(handle)
        }
        try bind(values)
        let index = Int32(values.count + 1)
        let code =
            if let start = payload.baseAddress, !payload.isEmpty {
                sqlite3_bind_blob64(handle, index, start, UInt64(payload.count), nil)
            } else {
                // A null pointer would be stored as NULL, not as zero bytes.
                sqlite3_bind_zeroblob(handle, index, 0)
            }
        guard code == SQLITE_OK else { throw database.failure(doing) }
        guard try !step(doing) else { throw database.failure(doing) }
    }

    func bind(_ values: [UInt64]) throws {
        for (index, value) in values.enumerated() {
            try bind(value, at: index + 1)
        }
    }

    func bind(_ value: UInt64, at index: Int) throws {
        let code = sqlite3_bind_int64(handle, Int32(index), Int64(bitPattern: value))
        guard code == SQLITE_OK else { throw database.failure("bind a parameter") }
    }

    func bind(text: String) throws {
        // SQLITE_TRANSIENT: SQLite makes its own copy.
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        guard sqlite3_bind_text(handle, 1, text, -1, transient) == SQLITE_OK else {
            throw database.failure("bind a parameter")
        }
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

    func reset() {
        sqlite3_reset(handle)
    }

    /// How many rows the last execution changed.
    var changes: Int { Int(sqlite3_changes64(database.handle)) }

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
        guard 0...Limits.payloadBytes ~= count, count == 0 || start != nil else { return nil }
        return UnsafeRawBufferPointer(start: start, count: count)
    }
}
