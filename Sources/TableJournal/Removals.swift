/// Files that nobody needs any more. Their names go at once, and their blocks in a thread: to let go of
/// 8 MiB takes milliseconds.
final class Removals {
    private let disk: any Disk
    private let limits: Limits
    /// Those that still have their names, the next one first.
    private var waiting: [String]
    private var underWay: [any SyncUnderWay] = []

    init(_ disk: any Disk, _ limits: Limits, _ waiting: [String] = []) {
        (self.disk, self.limits, self.waiting) = (disk, limits, waiting)
    }

    /// Removes a file when those before it are gone. A start before that must not mind it.
    func add(_ name: String) { waiting.append(name) }

    /// Removes a file now: its name is gone when this returns.
    func begin(_ name: String) throws {
        underWay.append(try disk.beginRemoval(name, piece: limits.cutBytes))
    }

    /// Goes on; false if there is nothing left to remove.
    func work() throws -> Bool {
        while let first = underWay.first {
            guard try first.isDone() else { return true }
            underWay.removeFirst()
        }
        guard !waiting.isEmpty else { return false }
        try begin(waiting.removeFirst())
        return true
    }
}
