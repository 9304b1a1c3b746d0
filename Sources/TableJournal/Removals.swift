/// Files that nobody needs any more leave the disk one after the other. Only the name goes at once: to let
/// go of the blocks of 8 MiB takes milliseconds, so a thread does that.
///
/// A file that waits here still has its name. A start that finds it reads it as what it is.
final class Removals {
    private let disk: any Disk
    private let limits: Limits
    /// Those that wait, the next one first.
    private var names: [String]
    private var underWay: (any SyncUnderWay)?

    init(_ disk: any Disk, _ limits: Limits, _ names: [String] = []) {
        (self.disk, self.limits, self.names) = (disk, limits, names)
    }

    func add(_ name: String) { names.append(name) }

    /// Goes on; false if there is nothing left to remove.
    func work() throws -> Bool {
        if let underWay {
            guard try underWay.isDone() else { return true }
            self.underWay = nil
        }
        guard let name = names.first else { return false }
        underWay = try disk.beginRemoval(name, piece: limits.cutBytes)
        names.removeFirst()
        return true
    }
}
