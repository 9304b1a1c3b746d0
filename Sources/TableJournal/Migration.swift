/// One named change of the database's layout. New ones are only ever added at the end.
struct Migration: Sendable {
    /// Lower-case letters, digits and hyphens: the name becomes part of a file's name.
    let name: String
    let sql: String

    /// All migrations. A database's `user_version` says how many were applied.
    static let all = [Migration(name: "entries-and-checkpoints", sql: entriesAndCheckpoints)]

    /// `chain` precedes `payload`, so that reading it does not pass through a long payload's pages.
    ///
    /// `base` is where the retained entries begin: the position before the first of them, and the
    /// chain there. `checkpoint` is the header of the newest complete checkpoint. Parts outside its
    /// range belong to a replaced or an unfinished one.
    private static let entriesAndCheckpoints = """
        PRAGMA application_id = \(SQLiteJournal.applicationID);
        CREATE TABLE migrations (
            name TEXT PRIMARY KEY,
            applied_ms INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE entries (
            position INTEGER PRIMARY KEY,
            chain INTEGER NOT NULL,
            payload BLOB NOT NULL
        ) STRICT;
        CREATE TABLE base (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            position INTEGER NOT NULL,
            chain INTEGER NOT NULL,
            seal INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE checkpoint (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            position INTEGER NOT NULL,
            chain INTEGER NOT NULL,
            first_part INTEGER NOT NULL,
            parts INTEGER NOT NULL,
            last_chain INTEGER NOT NULL,
            seal INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE parts (
            number INTEGER PRIMARY KEY,
            chain INTEGER NOT NULL,
            payload BLOB NOT NULL
        ) STRICT;
        INSERT INTO base VALUES (
            1, 0, \(Chain.start), \(Int64(bitPattern: ChainPoint.start.seal))
        );
        """
}
