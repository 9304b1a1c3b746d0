import Glibc

extension Database {
    /// Opens `journal.db`, migrates it, and makes sure that its commits will be durable.
    ///
    /// Writes nothing before it is certain that the file is ours to write.
    /// - Parameter promised: the newest position known to have been acknowledged.
    static func open(
        in directory: StateDirectory, promised: UInt64, migrations: [Migration],
        now: () -> Int64
    ) throws -> Database {
        // SQLite would create it, and then its log, readable by everybody whom the umask allows.
        close(try openFile(directory.file("journal.db"), O_RDWR | O_CREAT | O_CLOEXEC))
        let database = try Database(path: directory.file("journal.db"))
        // Before the first read: then the log's index is in our memory, not in a file that others
        // can map, and nobody else can open the database.
        try database.set("locking_mode", to: "EXCLUSIVE", reads: "exclusive")
        let schema = try database.schema(known: migrations.count)
        if schema == 0, promised > 0 {
            throw JournalError.acknowledgedLost(
                path: database.path, end: 0, acknowledged: promised)
        }
        try database.execute(
            """
            PRAGMA page_size = 4096;
            PRAGMA cell_size_check = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA cache_size = -256; -- KiB; what is appended is not read again (decision 19)
            PRAGMA mmap_size = 0; -- a mapped page that cannot be read would be a fatal signal
            PRAGMA secure_delete = OFF; -- Debian's default would write each removed payload again
            PRAGMA wal_autocheckpoint = 0; -- see copyLog
            PRAGMA journal_size_limit = \(Limits.logBytesKept);
            """, doing: "configure the database")
        try database.set("journal_mode", to: "WAL", reads: "wal")
        try database.set("synchronous", to: "FULL", reads: "2")
        // Setting the autocheckpoint replaces the hook that counts the log's pages.
        database.watchLog()
        try database.migrate(from: schema, migrations, in: directory, now: now)
        return database
    }

    /// Sets what durability depends on, and checks that the setting took effect.
    func set(_ setting: String, to wanted: String, reads expected: String) throws {
        let doing = "set \(setting)"
        try execute("PRAGMA \(setting) = \(wanted)", doing: doing)
        let found = try text("PRAGMA \(setting)", doing: doing) ?? "unknown"
        guard found == expected else {
            throw JournalError.settingRefused(
                path: path, setting: setting, wanted: wanted, found: found)
        }
    }

    /// The number of applied migrations; 0 for a new database.
    private func schema(known: Int) throws -> Int {
        let doing = "read the header"
        let application = try integer("PRAGMA application_id", doing: doing) ?? 0
        let version = try integer("PRAGMA user_version", doing: doing) ?? 0
        let tables = try integer("SELECT count(*) FROM sqlite_schema", doing: doing) ?? 0
        guard application == SQLiteJournal.applicationID else {
            guard application == 0, version == 0, tables == 0 else {
                throw JournalError.foreignFile(path: path, applicationID: application)
            }
            return 0
        }
        guard version > 0 else {
            throw JournalError.structureDamaged(
                path: path, message: "its schema number is \(version)")
        }
        guard version <= known else {
            throw JournalError.newerSchema(path: path, found: version, known: known)
        }
        return Int(version)
    }

    private func migrate(
        from schema: Int, _ migrations: [Migration], in directory: StateDirectory,
        now: () -> Int64
    ) throws {
        let pending = migrations.enumerated().dropFirst(schema)
        guard let first = pending.first?.element else { return }
        if schema > 0 {
            try backUp(to: directory.file("journal.db.before-\(first.name)"), in: directory)
        }
        for (index, migration) in pending {
            let doing = "apply the migration \(migration.name)"
            try transaction(doing) {
                try execute(migration.sql, doing: doing)
                let record = try prepare(
                    "INSERT INTO migrations (name, applied_ms) VALUES (?1, ?2)")
                try record.bind(text: migration.name)
                try record.bind(UInt64(bitPattern: now()), at: 2)
                _ = try record.step(doing)
                try execute("PRAGMA user_version = \(index + 1)", doing: doing)
            }
        }
        try directory.sync()
    }

    /// Copies the database to `copy`, which is then either complete and durable or absent.
    private func backUp(to copy: String, in directory: StateDirectory) throws {
        let partial = copy + ".partial"
        unlink(partial)
        close(try openFile(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC))
        let statement = try prepare("VACUUM INTO ?1")
        try statement.bind(text: partial)
        _ = try statement.step("copy the database to \(partial)")
        let descriptor = try openFile(partial, O_RDWR | O_CLOEXEC)
        defer { close(descriptor) }
        guard fsync(descriptor) == 0, rename(partial, copy) == 0 else {
            throw JournalError.system(doing: "complete the copy", path: copy, code: errno)
        }
        try directory.sync()
    }
}
