public import TableModel

/// Packs the lines of a snapshot while they arrive.
public protocol Packing {
    /// The packed bytes, in the form in which they are sent.
    associatedtype Whole: Sendable
    /// How many bytes were packed so far.
    var count: Int { get }
    /// Adds some bytes. False: it cannot.
    mutating func add(_ bytes: [UInt8]) -> Bool
    /// All of it, packed; nil if it cannot.
    mutating func finish() -> Whole?
}

/// A whole snapshot, packed once for all who ask.
public struct PackedSnapshot<Whole: Sendable>: Sendable {
    /// Tells it from the others.
    public let number: Int
    /// The body that is sent, held once for all who read it.
    public let whole: Whole
    /// The bytes of the body.
    public let count: Int
    /// The table's revision in it.
    public let revision: UInt64
}

/// Why there is no snapshot.
public struct SnapshotRefusal: Error, Equatable, Sendable {
    /// As the daemon names it, or `noDaemon`, `tooLarge`, `tooMuch`.
    public var code: String
    /// For people.
    public var message: String

    /// The status that HTTP has for it.
    public var status: Int {
        switch code {
        case "noSuchTable": 404
        case "notAllowed": 403
        case "tooMuch": 429
        default: 503
        }
    }
}

/// One snapshot of the daemon for all who join within a short time.
public struct Snapshots<Packer: Packing> {
    /// An effect that the caller carries out.
    public enum Effect {
        case request([UInt8])
        case answer([PageID], Result<PackedSnapshot<Packer.Whole>, SnapshotRefusal>)
    }

    /// How long a snapshot is given to others: they follow from its revision by `replay`.
    public static var sharedMs: Int { 2_000 }
    /// How long the daemon may take for a chunk.
    public static var patienceMs: Int { 5_000 }
    /// Chunks under way at once.
    static var credit: Int { 4 }
    /// The number of pages that may wait for one snapshot.
    static var mostWaiting: Int { 2_000 }
    /// Snapshots that are fetched at once.
    static var mostAtOnce: Int { 8 }
    /// Packed bytes of a snapshot, and of all that are fetched at once.
    static var mostBytes: Int { 128 << 20 }
    /// Packed bytes of all that are kept for others. A single one may be larger.
    static var mostKept: Int { 64 << 20 }

    private struct Fetch {
        var waiting: [PageID]
        var packer: Packer
        var id = ""
        var revision: UInt64 = 0
        var chunks = 1
        /// The next chunk to ask for, and the next to pack.
        var asked = 1
        var packed = 0
        /// Chunks that came before their turn.
        var early: [Int: [UInt8]] = [:]
        var heardAtMs: Int
        /// How often it began again.
        var again = 0
        /// Requests of it are numbered from here on.
        var numbers: Set<UInt64> = []
    }

    /// The client id of these requests.
    public let client: String
    private let makePacker: () -> Packer
    private var fetches: [TableID: Fetch] = [:]
    private var kept: [TableID: (snapshot: PackedSnapshot<Packer.Whole>, atMs: Int)] = [:]
    private var number: UInt64 = 0
    private var underWay: [UInt64: (table: TableID, chunk: Int)] = [:]
    /// How many were fetched, and how many were given to one more.
    public private(set) var fetched = 0, shared = 0
    /// How many were packed as a whole.
    private var packed = 0

    /// Nothing is fetched yet.
    public init(client: String, makePacker: @escaping () -> Packer) {
        self.client = client
        self.makePacker = makePacker
    }

    /// Somebody joins. `oldest` is the oldest revision that the daemon can replay from, as far as it
    /// is known.
    public mutating func ask(
        _ table: TableID, for page: PageID, oldest: UInt64?, nowMs: Int
    ) -> [Effect] {
        if let kept = kept[table], nowMs - kept.atMs <= Self.sharedMs,
            kept.snapshot.revision >= oldest ?? 0
        {
            shared += 1
            return [.answer([page], .success(kept.snapshot))]
        }
        if let fetch = fetches[table] {
            guard fetch.waiting.count < Self.mostWaiting else {
                return [.answer([page], Self.busy)]
            }
            shared += 1
            fetches[table]?.waiting.append(page)
            return []
        }
        guard fetches.count < Self.mostAtOnce else { return [.answer([page], Self.busy)] }
        fetches[table] = Fetch(waiting: [page], packer: makePacker(), heardAtMs: nowMs)
        fetched += 1
        return [request(table, chunk: 0)]
    }

    /// Somebody is gone.
    public mutating func left(_ page: PageID) {
        for table in fetches.keys { fetches[table]?.waiting.removeAll { $0 == page } }
    }

    /// The daemon was started anew, or the table is another: what is kept is of no use.
    public mutating func forget(_ table: TableID? = nil) {
        if let table { kept[table] = nil } else { kept = [:] }
    }

    /// Looks at the clock.
    public mutating func tick(nowMs: Int) -> [Effect] {
        kept = kept.filter { nowMs - $0.value.atMs <= Self.sharedMs }
        return fetches.filter { nowMs - $0.value.heardAtMs > Self.patienceMs }.keys.sorted()
            .flatMap { table in
                end(
                    table,
                    .failure(
                        SnapshotRefusal(code: "noDaemon", message: "The daemon does not answer.")))
            }
    }

    /// A reply to one of these requests.
    public mutating func heard(_ reply: [UInt8], number: UInt64, nowMs: Int) -> [Effect] {
        guard let (table, chunk) = underWay.removeValue(forKey: number),
            fetches[table]?.numbers.remove(number) != nil
        else { return [] }
        fetches[table]?.heardAtMs = nowMs
        guard let place = JSONMembers.find("snapshot", in: reply) else {
            return refused(table, reply)
        }
        if chunk == 0 {
            guard let id = member("id", place, reply).flatMap({ JSONMembers.text(reply, $0) }),
                let chunks = memberNumber("chunks", place, reply), (1...1_000_000).contains(chunks),
                let revision = memberNumber("revision", place, reply)
            else { return end(table, .failure(Self.strange)) }
            fetches[table]?.id = id
            fetches[table]?.chunks = Int(chunks)
            fetches[table]?.revision = revision
        }
        fetches[table]?.early[chunk] = reply
        return pack(table, nowMs: nowMs)
    }

    /// Packs what is next, and asks for more.
    private mutating func pack(_ table: TableID, nowMs: Int) -> [Effect] {
        guard var fetch = fetches.removeValue(forKey: table) else { return [] }
        while let line = fetch.early.removeValue(forKey: fetch.packed) {
            fetch.packed += 1
            guard fetch.packer.add(line), fetch.packer.add([UInt8(ascii: "\n")]) else {
                fetches[table] = fetch
                return end(table, .failure(Self.tooLarge))
            }
        }
        guard fetch.packed < fetch.chunks else {
            let whole = fetch.packer.finish()
            fetches[table] = fetch
            let count = fetch.packer.count
            guard let whole, count <= Self.mostBytes else {
                return end(table, .failure(Self.tooLarge))
            }
            packed += 1
            let snapshot = PackedSnapshot(
                number: packed, whole: whole, count: count, revision: fetch.revision)
            keep(snapshot, of: table, nowMs: nowMs)
            return end(table, .success(snapshot))
        }
        // Several fetches may each be as large as one may be.
        guard fetches.values.reduce(fetch.packer.count, { $0 + $1.packer.count }) <= Self.mostBytes
        else {
            fetches[table] = fetch
            return end(table, Self.busy)
        }
        // The first chunk tells how many there are. Nobody waits any more: the rest is not asked for.
        var wanted: [Int] = []
        while fetch.asked < fetch.chunks, fetch.asked < fetch.packed + Self.credit {
            wanted.append(fetch.asked)
            fetch.asked += 1
        }
        let isWanted = !fetch.waiting.isEmpty
        fetches[table] = fetch
        guard isWanted else { return end(table, .failure(Self.strange)) }
        return wanted.map { request(table, chunk: $0) }
    }

    /// Keeps it for others, in place of the oldest ones where they are too much together.
    private mutating func keep(
        _ snapshot: PackedSnapshot<Packer.Whole>, of table: TableID, nowMs: Int
    ) {
        kept[table] = nil
        while kept.values.reduce(snapshot.count, { $0 + $1.snapshot.count }) > Self.mostKept,
            let oldest = kept.min(by: { $0.value.atMs < $1.value.atMs })?.key
        {
            kept[oldest] = nil
        }
        kept[table] = (snapshot, nowMs)
    }

    /// The daemon let the snapshot go: it begins again, twice. Else all who wait are told.
    private mutating func refused(_ table: TableID, _ reply: [UInt8]) -> [Effect] {
        let place = JSONMembers.find("error", in: reply)
        let code = place.flatMap { member("code", $0, reply) }
            .flatMap { JSONMembers.text(reply, $0) }
        let message = place.flatMap { member("message", $0, reply) }
            .flatMap { JSONMembers.text(reply, $0) }
        if code == "noSuchSnapshot", let fetch = fetches[table], fetch.again < 2 {
            forgetRequests(fetch)
            var new = Fetch(
                waiting: fetch.waiting, packer: makePacker(), heardAtMs: fetch.heardAtMs)
            new.again = fetch.again + 1
            fetches[table] = new
            return [request(table, chunk: 0)]
        }
        let refusal = SnapshotRefusal(
            code: code ?? "malformed", message: message ?? "The daemon refuses.")
        return end(table, .failure(refusal))
    }

    private mutating func end(
        _ table: TableID, _ result: Result<PackedSnapshot<Packer.Whole>, SnapshotRefusal>
    ) -> [Effect] {
        guard let fetch = fetches.removeValue(forKey: table) else { return [] }
        forgetRequests(fetch)
        return fetch.waiting.isEmpty ? [] : [.answer(fetch.waiting, result)]
    }

    private mutating func forgetRequests(_ fetch: Fetch) {
        for number in fetch.numbers { underWay[number] = nil }
    }

    private mutating func request(_ table: TableID, chunk: Int) -> Effect {
        number += 1
        underWay[number] = (table, chunk)
        fetches[table]?.numbers.insert(number)
        let id = fetches[table]?.id ?? ""
        let body = chunk == 0 ? "{}" : #"{"id":\#(JSONText.quote(id)),"chunk":\#(chunk)}"#
        let head = #"{"client":\#(JSONText.quote(client)),"number":\#(number)"#
        return .request(
            Array((head + #","table":\#(JSONText.quote(table.text)),"snapshot":\#(body)}"#).utf8))
    }

    private func member(_ name: String, _ place: Range<Int>, _ reply: [UInt8]) -> Range<Int>? {
        JSONMembers.find(name, in: reply, place, before: ["slices"])
    }

    private func memberNumber(_ name: String, _ place: Range<Int>, _ reply: [UInt8]) -> UInt64? {
        member(name, place, reply).flatMap { JSONMembers.number(reply, $0) }
    }

    private static var strange: SnapshotRefusal {
        SnapshotRefusal(code: "malformed", message: "The daemon's answer is no snapshot.")
    }

    private static var tooLarge: SnapshotRefusal {
        SnapshotRefusal(code: "tooLarge", message: "The table is too large for this gateway.")
    }

    private static var busy: Result<PackedSnapshot<Packer.Whole>, SnapshotRefusal> {
        .failure(SnapshotRefusal(code: "tooMuch", message: "Too many ask at once. Try again."))
    }
}
