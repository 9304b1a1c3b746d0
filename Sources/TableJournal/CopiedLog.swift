import Glibc
import JournalFormat

/// A copy of another daemon's journal that comes piece by piece, in a directory of its own below the state directory.
/// `finish` makes a journal of it; `settle` puts that journal in the place of the one that was there.
///
/// The copy has the log's number and its chain, so that both journals go on alike, and can tell whether they do.
package final class CopiedLog {
    private let disk: FileDisk
    private let limits = Limits()
    /// The place that the copy leads to.
    package let place: LogPlace
    /// The number of the checkpoint that is copied; 0: none is.
    package let checkpoint: UInt64
    /// The bytes of all pieces.
    package let size: Int
    /// The bytes that are here.
    package private(set) var count = 0
    private let file: (any DiskFile)?

    private static let name = "copy"
    /// The directory for files that are being set apart, until all of them are.
    private static let moving = "apart.moving"
    private static let apart = "apart-"

    /// Begins a copy; what was left of another goes.
    package init(
        in directory: StateDirectory, _ place: LogPlace, checkpoint: UInt64, size: Int
    ) throws {
        (self.place, self.checkpoint, self.size) = (place, checkpoint, size)
        let path = directory.file(Self.name)
        disk = FileDisk(path: path)
        try Self.make(path)
        for name in try disk.names() { try disk.remove(name) }
        let name = FileName.checkpoint(number: checkpoint).text + FileName.beginning
        file = checkpoint > 0 ? try disk.make(name) : nil
    }

    private static func make(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw JournalError.system(doing: "create the directory", path: path, code: errno)
        }
    }

    /// Whether all pieces are here.
    package var isWhole: Bool { count == size }

    /// Adds the next piece. False: it is more than there should be.
    package func add(_ bytes: [UInt8]) throws -> Bool {
        guard let file, bytes.count <= size - count else { return bytes.isEmpty }
        try bytes.withUnsafeBytes { try file.write($0, at: count) }
        count += bytes.count
        return true
    }

    /// Makes a journal of the pieces. False: they are not the checkpoint that was told.
    package func finish() throws -> Bool {
        let covered = place.point
        if let file {
            guard let found = try file.checkpoint(), found.number == checkpoint,
                found.log == place.log, found.covered == covered, found.fileBytes == size
            else { return false }
            try LogReader.check(form: found.form, disk.path)
            try file.sync()
        } else if covered != .start {
            return false
        }
        try Beginning.start(in: disk, limits, Manifest(log: place.log), base: covered)
        return true
    }

    // MARK: Into its place

    /// Puts a copy that is whole in the place of the journal in the directory, also after an end of the process in
    /// between. No journal in the directory is open.
    ///
    /// - Returns: the directory to which the journal that was there was moved; nil: there was no copy.
    package static func settle(in directory: StateDirectory) throws -> String? {
        let disk = FileDisk(path: directory.path)
        let inside = name + "/"
        guard access(directory.file(inside + FileName.manifest), F_OK) == 0 else { return nil }
        // The journal's own file is the last to go, and the last to come: while it is here, all files are old ones.
        if directory.holdsJournal {
            try make(directory.file(moving))
            for one in try disk.names() where isOfJournal(one) {
                try disk.rename(one, to: moving + "/" + one)
            }
            try disk.rename(FileName.manifest, to: moving + "/" + FileName.manifest)
            try FileDisk(path: directory.file(moving)).sync()
            try disk.sync()
        }
        let names = try disk.names()
        let number = (names.compactMap(apartNumber).max() ?? 0) + 1
        if names.contains(moving) { try disk.rename(moving, to: apart + "\(number)") }
        let copy = FileDisk(path: directory.file(name))
        for one in try copy.names() where one != FileName.manifest {
            try disk.rename(inside + one, to: one)
        }
        try disk.sync()
        try disk.rename(inside + FileName.manifest, to: FileName.manifest)
        try disk.sync()
        rmdir(directory.file(name))
        return directory.file(apart + "\(number)")
    }

    /// Removes a journal that was set apart and has nothing in it.
    package static func remove(apart path: String) throws {
        let disk = FileDisk(path: path)
        for name in try disk.names() { try disk.remove(name) }
        rmdir(path)
    }

    private static func apartNumber(_ name: String) -> Int? {
        name.hasPrefix(apart) ? Int(name.dropFirst(apart.count)) : nil
    }

    /// Whether it is a file of the journal other than the one that says that there is a journal.
    private static func isOfJournal(_ name: String) -> Bool {
        FileName(name) != nil || name == FileName.acknowledged
            || name.hasSuffix(FileName.beginning) || name.hasSuffix(FileName.unfinished)
    }
}
