import JournalFormat

/// Which log a directory holds: every seal needs its number. Where the file `journal` does not say, the
/// headers of the other files do.
struct SalvageLog {
    /// Nil: nothing says it.
    private(set) var log: UInt64?
    private(set) var faults: [Salvage.Fault] = []

    init(_ files: SalvageFiles) throws {
        let name = FileName.manifest
        let bytes = files.small(name, count: Manifest.size)
        if let manifest = bytes?.withUnsafeBytes({ Manifest($0) }) {
            try LogReader.check(form: manifest.form, files.disk.path(of: name))
            log = manifest.log
            return
        }
        let others = try Self.named(files)
        guard !others.isEmpty || bytes != nil else {
            faults.append(.init(what: "there is no journal in this directory"))
            return
        }
        faults.append(
            .init(file: name, what: bytes == nil ? "is missing" : "is not what was written"))
        guard others.count < 2 else {
            faults.append(.init(what: "the files are of \(others.count) different journals"))
            return
        }
        log = others.first
    }

    /// The logs that whole headers name.
    private static func named(_ files: SalvageFiles) throws -> Set<UInt64> {
        var logs: Set<UInt64> = []
        for number in files.checkpoints {
            let name = FileName.checkpoint(number: number).text
            if let found = try header(of: name, number, files) { logs.insert(found.log) }
        }
        for birth in files.births {
            let name = FileName.segment(birth: birth).text
            guard let page = files.small(name, count: SegmentHeader.size) else { continue }
            page.withUnsafeBytes { page in
                guard let log = SegmentHeader.log(in: page),
                    SegmentHeader(page, of: SegmentIdentity(log: log, birth: birth)) != nil
                else { return }
                logs.insert(log)
            }
        }
        return logs
    }

    /// A checkpoint by its beginning and its end; nil if they are not what was written.
    static func header(
        of name: String, _ number: UInt64, _ files: SalvageFiles
    ) throws -> Checkpoint? {
        guard let found = try? files.disk.open(name).checkpoint(), found.number == number
        else { return nil }
        try LogReader.check(form: found.form, files.disk.path(of: name))
        return found
    }
}
