import EtcdJournal
import Glibc
import TableJournal
import TableModel
import TableSync
import TableTurn

/// `trestled move-journal`: what a state directory holds goes to etcd, or back, with histories, what can be
/// undone, and remembered answers. Positions go on, so clients go on with the numbers that they have.
///
/// The target is begun with a checkpoint of all tables, and read again before this says that it is done.
/// Nothing of the source is lost; a directory is opened as at a start, which may tidy its files.
public struct Moving {
    private let configuration: Configuration
    private let etcd: EtcdSettings

    /// `configuration` is that of the daemons of the service.
    ///
    /// - Throws: `DaemonError`.
    public init(_ configuration: Configuration) throws {
        guard let etcd = configuration.etcd else {
            throw DaemonError(
                .badConfiguration,
                "the configuration names no journal on etcd: give the file of the service's daemons"
                    + " with --config")
        }
        (self.configuration, self.etcd) = (configuration, etcd)
    }

    // MARK: To etcd

    /// Moves what is in `directory` to etcd, and says what that was.
    ///
    /// - Throws: what its description says. There is no journal on etcd then, unless it says that what was
    ///   written is not what is read.
    public func toService(from directory: String) throws -> String {
        try Salvaging.refuseIfNoDirectory(directory)
        // An empty one would be given a journal.
        guard access(directory + "/journal", F_OK) == 0 else {
            throw DaemonError(.noInput, "there is no journal in \(directory)")
        }
        let journal = try LogJournal(directory: try StateDirectory(path: directory))
        let source = makeServer()
        try Recovery.bring(source, upTo: journal)
        try refuseIfEmpty(source)
        let store = try EtcdStore(etcd)
        try store.refuseIfInUse()
        try store.refuseIfNotEmpty()
        var parts: [[UInt8]] = []
        Checkpointer.parts(of: source) { parts.append($0) }
        try store.begin(covering: source.position, parts: parts)
        let target = makeServer()
        try Recovery.bring(target) { try store.read($0) }
        try compare(source, target)
        try journal.close()
        return said(source, "etcd, below \(store.place)")
    }

    // MARK: From etcd

    /// Moves what is on etcd to a new state directory, and says what that was.
    ///
    /// - Throws: what its description says. There is no new directory then.
    public func fromService(to directory: String) throws -> String {
        try Salvaging.refuseIfThere(directory)
        let store = try EtcdStore(etcd)
        try store.refuseIfInUse()
        let source = makeServer()
        try Recovery.bring(source) { try store.read($0) }
        try refuseIfEmpty(source)
        try Salvaging.making(directory) {
            try write(source, to: $0)
            try store.refuseIfChanged()
        }
        return said(source, directory)
    }

    private func write(_ source: Server, to path: String) throws {
        let directory = try StateDirectory(path: path)
        let log = try StartedLog(in: directory, covering: source.position)
        try Checkpointer.parts(of: source) { try log.add($0) }
        try log.finish()
        let journal = try LogJournal(directory: directory)
        let target = makeServer()
        try Recovery.bring(target, upTo: journal)
        try compare(source, target)
        try journal.close()
    }

    // MARK: Both

    private func makeServer() -> Server {
        Server(limits: configuration.limits, retention: configuration.keptPast)
    }

    private func refuseIfEmpty(_ server: Server) throws {
        guard server.position > 0 else {
            throw DaemonError(.noInput, "there is nothing to move: nothing was ever written")
        }
        // Its parts are no part of a checkpoint.
        guard !server.copies.isRestoring else {
            throw DaemonError(
                .noInput,
                "a restore was begun and not finished: start the daemon, and finish it or wait until it"
                    + " has given up")
        }
    }

    /// Throws unless the journal that was written is read as the same state.
    private func compare(_ source: Server, _ target: Server) throws {
        let isSame =
            source.position == target.position && source.tables.count == target.tables.count
            && source.tables.allSatisfy { name, live in
                guard let other = target.tables[name] else { return false }
                return other.table.digest == live.table.digest
                    && other.table.history == live.table.history
                    && other.table.revision == live.table.revision
                    && other.keptDiffs == live.keptDiffs
            }
            && source.sessions.count == target.sessions.count
        guard isSame else {
            throw DaemonError(
                .badData, "what was written is not what is read: nothing is to be used of it")
        }
    }

    private func said(_ server: Server, _ place: String) -> String {
        (["Moved to \(place): all up to commit \(server.position)."] + server.tableLines)
            .joined(separator: "\n")
    }
}
