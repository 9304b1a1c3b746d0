/// One named step forward in the layout of the database. Steps are only ever added at the end.
struct Migration: Sendable {
    /// Lower-case letters, digits and hyphens: it becomes part of a file's name.
    let name: String
    let sql: String

    /// Every step there is; a database's `user_version` says how many it has taken.
    static let all = [Migration(name: "entries-and-checkpoints", sql: entriesAndCheckpoints)]

    /// `chain` precedes `payload` so that reading it does not walk through a long payload's pages.
    ///
    /// `base` says where the retained entries begin: the position before the first of them and the
    /// chain there. `checkpoint` is the header of the newest complete checkpoint; parts that lie
    /// outside its range belong to a replaced or an unfinished one.
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
