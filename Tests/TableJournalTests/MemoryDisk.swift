import TableHash

@testable import TableJournal

/// A disk in memory. What was not synced may be lost, torn, or written in another order; calls may fail.
final class MemoryDisk: Disk {
    /// Bytes of a file: those that the system shows, those that are surely on the disk, and the
    /// changes between.
    final class Inode {
        var content: [UInt8] = []
        var durable: [UInt8] = []
        /// In order; nil: the file was cut there.
        var pending: [(at: Int, bytes: [UInt8]?)] = []
        /// How many changes there were before those that are pending.
        var settled = 0

        func change(_ at: Int, _ bytes: [UInt8]?) {
            Self.apply((at, bytes), to: &content)
            pending.append((at, bytes))
        }

        /// All changes up to so many become durable.
        func settle(upTo count: Int) {
            while settled < count, !pending.isEmpty {
                Self.apply(pending.removeFirst(), to: &durable)
                settled += 1
            }
        }

        static func apply(_ change: (at: Int, bytes: [UInt8]?), to bytes: inout [UInt8]) {
            let end = change.at + (change.bytes?.count ?? 0)
            if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
            if let new = change.bytes {
                bytes.replaceSubrange(change.at..<end, with: new)
            } else {
                bytes.removeLast(bytes.count - change.at)
            }
        }
    }

    /// The error that a fault throws in a call.
    struct Broken: Error {}

    let path = "/disk"
    var files: [String: Inode] = [:]
    private var durableNames: [String: Inode] = [:]
    private var pendingNames: [(name: String, file: Inode?)] = []
    private var settledNames = 0
    var dice: SplitMix64
    /// Calls that change something, until one fails; nil: none does.
    var fuse: Int?
    /// All later calls fail too: the power is off.
    var isOff = false
    var losesPower = false
    /// Calls that changed something.
    private(set) var calls = 0
    /// It says that it synced, and did not.
    var liesAboutSyncs = false
    /// Nothing is free after so many calls: what makes a file, or makes one longer, fails.
    var fullAfter: Int?
    /// Where overwriting needs room too, as it does on a disk that copies on write.
    var copiesOnWrite = false

    init(seed: UInt64) { dice = SplitMix64(seed: seed) }

    /// Whether a call goes well; a write that does not is done in part.
    func mayGoOn(counts: Bool = true) throws {
        if isOff { throw Broken() }
        if counts { calls += 1 }
        guard let left = fuse else { return }
        fuse = left - 1
        guard left > 0 else {
            fuse = nil
            isOff = losesPower
            throw Broken()
        }
    }

    /// Whether a call that changed something finds the disk full.
    var isFull: Bool { fullAfter.map { calls > $0 } ?? false }

    func hasRoom(_ isLonger: Bool) -> Bool { !isFull || !(isLonger || copiesOnWrite) }

    static func full(_ name: String) -> JournalError {
        .system(doing: "write", path: name, code: 28)
    }

    func names() throws -> [String] { files.keys.sorted() }

    func open(_ name: String) throws -> any DiskFile {
        guard let file = files[name] else {
            throw JournalError.system(doing: "open", path: name, code: 2)
        }
        return MemoryFile(file, of: self)
    }

    func make(_ name: String) throws -> any DiskFile {
        guard files[name] == nil else {
            throw JournalError.system(doing: "open", path: name, code: 17)
        }
        try mayGoOn()
        if isFull { throw Self.full(name) }
        let file = Inode()
        set(name, file)
        return MemoryFile(file, of: self)
    }

    func rename(_ name: String, to newName: String) throws {
        guard let file = files[name] else {
            throw JournalError.system(doing: "rename", path: name, code: 2)
        }
        try mayGoOn()
        if isFull, copiesOnWrite { throw Self.full(name) }
        // One step: a journalled directory does both or none.
        files[name] = nil
        files[newName] = file
        pendingNames.append(("\(name)\n\(newName)", file))
    }

    func remove(_ name: String) throws {
        guard files[name] != nil else {
            throw JournalError.system(doing: "remove", path: name, code: 2)
        }
        try mayGoOn()
        set(name, nil)
    }

    func beginRemoval(_ name: String, piece: Int) throws -> any SyncUnderWay {
        try remove(name)
        return MemorySync(self) {}
    }

    private func set(_ name: String, _ file: Inode?) {
        files[name] = file
        pendingNames.append((name, file))
    }

    func sync() throws {
        try mayGoOn()
        if !liesAboutSyncs { settleNames(upTo: settledNames + pendingNames.count) }
    }

    func beginSync() throws -> any SyncUnderWay {
        let count = settledNames + pendingNames.count
        return MemorySync(self) { [self] in if !liesAboutSyncs { settleNames(upTo: count) } }
    }

    private func settleNames(upTo count: Int) {
        while settledNames < count, !pendingNames.isEmpty {
            Self.apply(pendingNames.removeFirst(), to: &durableNames)
            settledNames += 1
        }
    }

    private static func apply(
        _ change: (name: String, file: Inode?), to names: inout [String: Inode]
    ) {
        let both = change.name.split(separator: "\n").map(String.init)
        for name in both { names[name] = nil }
        names[both[both.count - 1]] = change.file
    }

    // MARK: After a cut

    /// A content that the disk may hold after the power was lost.
    func afterACut() -> MemoryDisk {
        var names = durableNames
        for change in pendingNames.prefix(Int.random(in: 0...pendingNames.count, using: &dice)) {
            Self.apply(change, to: &names)
        }
        let disk = MemoryDisk(seed: dice.next())
        disk.liesAboutSyncs = liesAboutSyncs
        // In one order: a seed means the same in each process.
        for (name, file) in names.sorted(by: { $0.key < $1.key }) {
            let new = Inode()
            new.durable = torn(file)
            new.content = new.durable
            disk.files[name] = new
        }
        disk.durableNames = disk.files
        return disk
    }

    private func torn(_ file: Inode) -> [UInt8] {
        let granularity = [1, 7, 512, 4096].randomElement(using: &dice) ?? 512
        var parts = file.pending.flatMap { Self.pieces($0, granularity) }
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: parts = Array(parts.prefix(Int.random(in: 0...parts.count, using: &dice)))
        case 1: break
        default:
            let keep = [0, 10, 50, 90].randomElement(using: &dice) ?? 50
            parts = parts.filter { _ in Int.random(in: 0..<100, using: &dice) < keep }
            if Bool.random(using: &dice) { parts.shuffle(using: &dice) }
        }
        var bytes = file.durable
        for part in parts { Inode.apply(part, to: &bytes) }
        return bytes
    }

    private static func pieces(
        _ change: (at: Int, bytes: [UInt8]?), _ granularity: Int
    ) -> [(at: Int, bytes: [UInt8]?)] {
        guard let bytes = change.bytes else { return [change] }
        // Large writes are not cut at each byte.
        let size = max(granularity, bytes.count / 64)
        var pieces: [(at: Int, bytes: [UInt8]?)] = []
        var at = 0
        while at < bytes.count {
            let count = min(size - (change.at + at) % size, bytes.count - at)
            pieces.append((change.at + at, Array(bytes[at..<at + count])))
            at += count
        }
        return pieces
    }
}

private final class MemoryFile: DiskFile {
    private let file: MemoryDisk.Inode
    private let disk: MemoryDisk

    init(_ file: MemoryDisk.Inode, of disk: MemoryDisk) { (self.file, self.disk) = (file, disk) }

    func size() throws -> Int { file.content.count }

    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        let count = max(0, min(bytes.count, file.content.count - offset))
        if count > 0 { bytes.copyBytes(from: file.content[offset..<offset + count]) }
        return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        do {
            try disk.mayGoOn()
        } catch {
            // A part of it, also where the power goes.
            let count = Int.random(in: 0...bytes.count, using: &disk.dice)
            file.change(offset, Array(bytes.prefix(count)))
            throw error
        }
        guard disk.hasRoom(offset + bytes.count > file.content.count) else {
            // As far as it fits.
            let count = max(0, min(bytes.count, file.content.count - offset))
            if !disk.copiesOnWrite { file.change(offset, Array(bytes.prefix(count))) }
            throw MemoryDisk.full(disk.path)
        }
        file.change(offset, Array(bytes))
    }

    func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer,
        _ tail: UnsafeRawBufferPointer, at offset: Int
    ) throws {
        let bytes = Array(head) + Array(body) + Array(tail)
        try bytes.withUnsafeBytes { try write($0, at: offset) }
    }

    func cut(to size: Int) throws {
        try disk.mayGoOn()
        guard disk.hasRoom(size > file.content.count) else { throw MemoryDisk.full(disk.path) }
        if size < file.content.count {
            file.change(size, nil)
        } else {
            file.change(file.content.count, [UInt8](repeating: 0, count: size - file.content.count))
        }
    }

    func sync() throws {
        do {
            try disk.mayGoOn()
        } catch {
            // The pages that the system then holds are not on the disk, and no later sync writes them.
            if !disk.losesPower {
                file.settled += file.pending.count
                file.pending = []
            }
            throw error
        }
        if !disk.liesAboutSyncs { file.settle(upTo: file.settled + file.pending.count) }
    }

    func beginSync() throws -> any SyncUnderWay {
        let count = file.settled + file.pending.count
        return MemorySync(disk) { [file, disk] in
            if !disk.liesAboutSyncs { file.settle(upTo: count) }
        }
    }

    func startWriting(_ range: Range<Int>) {}

    func store(_ bytes: UnsafeRawBufferPointer) {
        if !disk.isOff { file.change(0, Array(bytes)) }
    }
}

private final class MemorySync: SyncUnderWay {
    private let disk: MemoryDisk
    private let end: () -> Void
    private var isEnded = false

    init(_ disk: MemoryDisk, _ end: @escaping () -> Void) { (self.disk, self.end) = (disk, end) }

    /// One that was let go of may be done all the same, or fail, and nobody hears of it.
    deinit {
        guard !isEnded, !disk.isOff, Bool.random(using: &disk.dice) else { return }
        if (try? disk.mayGoOn(counts: false)) != nil { end() }
    }

    func isDone() throws -> Bool {
        if isEnded { return true }
        guard Int.random(in: 0..<3, using: &disk.dice) == 0 else { return false }
        try wait()
        return true
    }

    func wait() throws {
        if isEnded { return }
        // A failed sync is over too.
        isEnded = true
        try disk.mayGoOn()
        end()
    }
}
