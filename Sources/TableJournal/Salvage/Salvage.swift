package import JournalFormat

/// Reads whatever is whole in a state directory into a new one, and reports it in sentences
/// (docs/decisions/0031-salvage.md).
///
/// The result is always a state that the journal once had: a checkpoint that is whole, or the beginning, and
/// every commit behind it up to the first that is not what was written. The chain proves it. The
/// directory is only read.
package final class Salvage {
    /// A fault at a place of a file; without a file: at no particular place.
    package struct Fault: Equatable, Sendable {
        package var file: String?
        package var offset: Int?
        package var what: String
    }

    /// The faults of single files.
    package private(set) var faults: [Fault] = []
    /// The checkpoint that the saved part begins with; nil: with the first commit.
    package private(set) var checkpoint: Checkpoint?
    /// The newest commit that can be saved; position 0: none.
    package private(set) var end = ChainPoint.start
    /// The newest commit that is known to have been there: somebody may have been told of it.
    package private(set) var newest: UInt64 = 0
    /// A commit behind the saved part and behind `newest` that had begun. A start finds a torn end there.
    package var begun: UInt64? { index.begun > max(newest, end.position) ? index.begun : nil }
    /// Whether the file `acknowledged` says how many commits there were.
    package private(set) var knowsNewest = false

    private let files: SalvageFiles
    private var index: EntryIndex
    /// The last entry that can be saved, in its file.
    private var last: EntryIndex.Place?

    /// Takes the directory's lock, and looks at everything in it.
    ///
    /// - Throws: `JournalError` where it is in use, cannot be read, or is of a newer program.
    package init(directory path: String) throws {
        files = try SalvageFiles(path: path)
        let logs = try SalvageLog(files)
        faults = logs.faults
        index = try EntryIndex(files, log: logs.log ?? 0)
        newest = index.newest
        readPromise()
        guard logs.log != nil else { return }
        try findStart()
        findFault()
    }

    /// Whether everything is saved that is known to have been there.
    package var isComplete: Bool { end.position >= newest }

    /// The newest commit that was lost and can still be read by itself.
    package func newestLegible(_ body: (UInt64, UnsafeRawBufferPointer) throws -> Void) throws {
        try index.newestLegible(after: end.position, body)
    }

    // MARK: Looking

    private func readPromise() {
        let name = FileName.acknowledged
        guard let bytes = files.small(name, count: Promise.size) else {
            return faults.append(Fault(file: name, what: "is missing"))
        }
        guard let promise = bytes.withUnsafeBytes({ Promise($0) }) else {
            return faults.append(Fault(file: name, what: "is not what was written"))
        }
        knowsNewest = true
        newest = max(newest, promise.newest.position, promise.checkpoint)
    }

    /// The checkpoint that leads the farthest. An older one may be there that was being removed.
    private func findStart() throws {
        for number in files.checkpoints {
            guard let found = try whole(checkpoint: number) else { continue }
            try consider(found, from: found.covered)
        }
        try consider(nil, from: .start)
    }

    private func consider(_ checkpoint: Checkpoint?, from start: ChainPoint) throws {
        var (point, place) = (start, EntryIndex.Place?.none)
        while let next = try index.next(after: point, { _ in }) {
            point = ChainPoint(position: next.header.position, chain: next.header.chain)
            place = next
        }
        guard point.position > end.position else { return }
        (self.checkpoint, end, last) = (checkpoint, point, place)
    }

    /// A checkpoint all of whose parts are what was written.
    private func whole(checkpoint number: UInt64) throws -> Checkpoint? {
        let name = FileName.checkpoint(number: number).text
        guard let found = try SalvageLog.header(of: name, number, files) else {
            faults.append(
                Fault(file: name, what: "its beginning or its end is not what was written"))
            return nil
        }
        newest = max(newest, found.covered.position)
        guard found.log == index.log else {
            faults.append(Fault(file: name, what: "belongs to the journal of another directory"))
            return nil
        }
        var parts = try PartsRead(of: found, in: files.disk)
        do {
            while try parts.next({ _ in }) {}
            return found
        } catch {
            let what = "part \(parts.index) of \(found.parts) is not what was written"
            faults.append(Fault(file: name, offset: parts.offset, what: what))
            return nil
        }
    }

    // MARK: What is wrong

    /// Where the saved part ends, if it does not end where the journal does.
    private func findFault() {
        for birth in index.headless.sorted() {
            let name = FileName.segment(birth: birth).text
            faults.append(
                Fault(file: name, offset: 0, what: "its beginning is not what was written"))
        }
        guard !isComplete else { return }
        let wanted = end.position + 1
        if let place = index.places[wanted]?.first {
            let what =
                end.position == 0 || last != nil || checkpoint != nil
                ? "the content of commit \(wanted) is not what was written"
                : "what was before commit \(wanted) is missing"
            return faults.append(
                Fault(
                    file: FileName.segment(birth: place.birth).text, offset: place.offset,
                    what: what))
        }
        let what = "commit \(wanted) is not there"
        let begun = index.bases.first { $0.value == end }?.key
        if let birth = begun {
            faults.append(
                Fault(
                    file: FileName.segment(birth: birth).text, offset: SegmentHeader.size,
                    what: what))
        } else if let last {
            let name = FileName.segment(birth: last.birth).text
            faults.append(Fault(file: name, offset: last.end, what: what))
        } else {
            faults.append(Fault(what: "commit \(wanted) is in no file"))
        }
    }

    // MARK: Saving

    /// Writes what is whole as a journal of its own into an empty directory.
    package func write(to directory: StateDirectory) throws {
        try write(to: FileDisk(path: directory.path), Limits())
    }

    func write(to disk: any Disk, _ limits: Limits) throws {
        let manifest = Manifest(log: UInt64.random(in: 1 ... .max))
        let start = checkpoint?.covered ?? .start
        if let checkpoint {
            let copy = Checkpoint(log: manifest.log, number: 1, covering: start)
            let file = try CheckpointFile(disk, limits, copy, bytesCovered: 0)
            var parts = try PartsRead(of: checkpoint, in: files.disk)
            while try parts.next({ try file.add($0) }) {}
            let name = FileName.checkpoint(number: copy.number).text
            try file.finishAtOnce(as: name + FileName.beginning)
        }
        try Beginning.start(in: disk, limits, manifest, base: start) { log in
            while log.head.position < end.position {
                let next = try index.next(after: log.head) { try log.append($0, isSynced: false) }
                guard next != nil else {
                    throw JournalError.entryDamaged(
                        path: files.disk.path, position: log.head.position + 1)
                }
            }
        }
    }
}
