import TableModel
import Testing

@testable import TableSync

/// What is noted, how much of it one principal may cause, and what its texts may hold.
@Suite struct AuditTests {
    private static func refused(_ uid: UInt32, _ table: TableID = "t") -> AuditEntry {
        AuditEntry(
            .user(uid), from: "pid:1", verb: "drop", table: table, refusedAs: "notAllowed")
    }

    private static func allowed(_ uid: UInt32) -> AuditEntry {
        AuditEntry(.user(uid), from: "pid:1", verb: "create", table: "t")
    }

    // MARK: How much

    @Test func whatIsLeftOutIsCounted() {
        var trail = AuditTrail()
        let burst = Int(AuditLimit.burst(.refused))
        var written: [AuditEntry] = []
        for _ in 0..<10_000 {
            written += trail.note(Self.refused(1), timeMs: 5, monotonicMs: 1_000)
        }
        #expect(written.count == burst && trail.entries.count == burst)
        #expect(trail.tell(timeMs: 6, monotonicMs: 1_000).isEmpty)
        // One more is taken after the interval, and before it stands how many were not.
        let later = 1_000 + AuditLimit.intervalMs(.refused)
        let next = trail.note(Self.refused(1), timeMs: 7, monotonicMs: later)
        #expect(next.map(\.suppressed) == [UInt64(10_000 - burst), 0])
        #expect(next.map(\.verb) == ["", "drop"] && next.map(\.uid) == [1, 1])
        #expect(next.map(\.number) == [UInt64(burst) + 1, UInt64(burst) + 2])
    }

    @Test func whoIsQuietAfterAFloodIsToldOf() {
        var trail = AuditTrail()
        for _ in 0..<50 { _ = trail.note(Self.refused(1), timeMs: 0, monotonicMs: 0) }
        let interval = AuditLimit.intervalMs(.refused)
        #expect(trail.tell(timeMs: 0, monotonicMs: interval - 1).isEmpty)
        let told = trail.tell(timeMs: 0, monotonicMs: interval)
        #expect(told.map(\.suppressed) == [50 - AuditLimit.burst(.refused)])
        #expect(trail.tell(timeMs: 0, monotonicMs: 10 * interval).isEmpty)
    }

    @Test func whatNobodyKeptIsCounted() {
        var trail = AuditTrail()
        trail.leaveOut(7, like: Self.refused(1), monotonicMs: 0)
        #expect(trail.tell(timeMs: 0, monotonicMs: 1).map(\.suppressed) == [7])
    }

    @Test func refusalsOfOneTakeNothingFromOthersNorFromWhatItMayDo() {
        var trail = AuditTrail()
        for _ in 0..<1_000 { _ = trail.note(Self.refused(1), timeMs: 0, monotonicMs: 0) }
        #expect(trail.note(Self.refused(2), timeMs: 0, monotonicMs: 0).count == 1)
        #expect(trail.note(Self.allowed(1), timeMs: 0, monotonicMs: 0).count == 1)
    }

    /// Over hours of a flood by one, and with more users than are told apart.
    @Test func everythingIsBoundedAndTheSumIsRight() {
        var trail = AuditTrail()
        var written: [AuditEntry] = []
        written += trail.note(Self.allowed(7), timeMs: 0, monotonicMs: 0)
        let hour: UInt64 = 3_600_000
        var sent: UInt64 = 1
        for nowMs in stride(from: 0, to: hour, by: 500) {
            written += trail.note(Self.refused(1), timeMs: nowMs, monotonicMs: nowMs)
            sent += 1
        }
        for uid in 100..<2_100 as Range<UInt32> {
            for _ in 0..<30 {
                written += trail.note(Self.refused(uid), timeMs: hour, monotonicMs: hour)
                sent += 1
            }
        }
        let most = UInt64(AuditLimit.most) + 1
        let bound = hour / AuditLimit.intervalMs(.refused) * 2 + most * AuditLimit.burst(.refused)
        #expect(UInt64(written.count) < bound)
        #expect(trail.entries.count == AuditTrail.mostEntries)
        #expect(trail.entries.contains { $0.uid == 7 && $0.outcome == .allowed })
        written += trail.tell(timeMs: 0, monotonicMs: 2 * hour)
        let counted = written.reduce(UInt64(0)) { $0 + max(1, $1.suppressed) }
        #expect(counted == sent)
        #expect(written.contains { $0.user == AuditLimit.others && $0.uid == nil })
    }

    @Test func whoHasMostLosesItsOldest() {
        var trail = AuditTrail()
        var nowMs: UInt64 = 0
        _ = trail.note(Self.allowed(2), timeMs: 0, monotonicMs: 0)
        for _ in 0..<3_000 {
            nowMs += AuditLimit.intervalMs(.allowed)
            _ = trail.note(Self.allowed(1), timeMs: nowMs, monotonicMs: nowMs)
        }
        #expect(trail.entries.count == AuditTrail.mostEntries)
        #expect(trail.entries.first?.uid == 2 && trail.latest(2).map(\.number) == [3_001, 3_000])
    }

    /// 10,000 children of one, each refused: their family has so many accounts, and hides nobody else.
    @Test func madeUpChildrenHideNobody() throws {
        var trail = AuditTrail()
        let parent = Principal.user(1, name: "gate")
        func note(_ name: String, _ nowMs: UInt64) throws -> [AuditEntry] {
            trail.note(
                AuditEntry(
                    parent.child(try Behalf(name: name)), from: "pid:1", verb: "drop",
                    refusedAs: "notAllowed"), timeMs: nowMs, monotonicMs: nowMs)
        }
        #expect(try note("grill", 0).map(\.user) == ["gate/grill"])
        for uid in 2..<102 as Range<UInt32> {
            _ = trail.note(Self.refused(uid), timeMs: 0, monotonicMs: 0)
        }
        var written = 0
        for number in 0..<10_000 { written += try note("n\(number)", 0).count }
        let bound = AuditLimit.mostOfFamily + Int(AuditLimit.burst(.refused))
        #expect(written <= bound && written >= AuditLimit.mostOfFamily - 1)
        // Over hours: whoever has most of the family loses the oldest.
        var nowMs: UInt64 = 0
        for number in 0..<3_000 {
            nowMs += AuditLimit.intervalMs(.refused)
            _ = try note("m\(number % 10)", nowMs)
        }
        #expect(trail.entries.count == AuditTrail.mostEntries)
        for uid in 2..<102 as Range<UInt32> { #expect(trail.entries.contains { $0.uid == uid }) }
        #expect(trail.entries.contains { $0.user == "gate/grill" })
        // With whom nothing is proven the same holds, by where they came from.
        let local = AuditEntry(
            Principal.local.child(try Behalf(name: "x")), from: "tcp:::1", verb: "drop")
        #expect(local.user == "/x" && local.uid == nil)
    }

    // MARK: Texts

    @Test func textsAreEscapedAndCutOff() {
        let entry = Self.refused(1, "a\u{1b}[31m\u{202e}\n")
        #expect(entry.table == "a\\u{1b}[31m\\u{202e}\\u{a}")
        let long = ID(String(repeating: "\u{7}", count: 1_000))
        let cut = Self.refused(1, long).table
        #expect(cut.unicodeScalars.count <= AuditEntry.mostScalars + 1 && cut.hasSuffix("…"))
        // Whoever reads it makes an entry of it again.
        #expect(Self.refused(1, ID(cut)).table == cut)
        let full = String(repeating: "é", count: 500)
        let once = Printable.text(full, atMost: 128)
        #expect(once == String(repeating: "é", count: 128) + "…")
        #expect(Printable.text(once, atMost: 128) == once)
    }

    @Test func aWordOfALineIsOneWord() {
        #expect(Printable.word("pid:12") == "pid:12" && Printable.word("") == "\"\"")
        #expect(Printable.word("a outcome=allowed") == "\"a outcome=allowed\"")
        #expect(Printable.word("a\"b\\") == "\"a\\\"b\\\\\"")
    }

    // MARK: What is noted

    private static func noted(_ exchange: Exchange, _ verbs: Request.Verb...) -> [String] {
        exchange.server.admission.origin = { "pid:9" }
        return verbs.flatMap { verb in
            exchange.server.begin(nowMs: 9)
            exchange.server.receive(
                Request(table: Exchange.table, verb), requestHash: 0, from: 0)
            return exchange.server.finish().audited.map { "\($0.from) \($0.verb) \($0.code)" }
        }
    }

    @Test func whatDefinesOrAdministersIsNotedAndNothingElse() {
        let exchange = Exchange()
        func command(_ verb: Command.Verb) -> Request.Verb { .command(Command(verb)) }
        let section = Command(.section("s", title: "S"))
        let undo = command(.undo(revision: nil, mine: false))
        #expect(
            Self.noted(exchange, .drop, .create) == ["pid:9 drop noSuchTable", "pid:9 create "])
        exchange.add("a", "b")
        #expect(Self.noted(exchange, .command(section), undo) == ["pid:9 section ", "pid:9 undo "])
        #expect(Self.noted(exchange, .batch([section], ifRevision: nil)) == ["pid:9 batch "])
        let removal = Self.noted(exchange, command(.removeSection("x")))
        #expect(removal == ["pid:9 removeSection noSuchSection"])
        #expect(Self.noted(exchange, .backup(id: nil, chunk: 0)) == ["pid:9 backup "])
        let nothing = Self.noted(
            exchange, command(.remove(["a"])), undo, command(.remove(["x"])),
            command(.claim(["a"], note: "", ttlSeconds: nil)), .who, .tables, .health, .check,
            .audit(most: 1), .batch([Command(.edit(true))], ifRevision: nil),
            .drag(.lift(["a"], ttlSeconds: 9)), .snapshot(id: nil, chunk: 0))
        #expect(nothing == [])
    }

    @Test func whatTheGuestListRefusesIsNoted() {
        let exchange = Exchange()
        exchange.commit(.create)
        exchange.server.admission.guests = GuestList([])
        let refused = Self.noted(
            exchange, .who, .command(Command(.edit(true))), .audit(most: 1), .tables)
        #expect(refused == ["who", "edit", "audit"].map { "pid:9 \($0) notAllowed" })
    }

    /// A gateway that is turned away asks every five seconds: that would be all that the audit holds.
    @Test func theLongHelloOfAStrangerIsNotNoted() {
        let exchange = Exchange()
        exchange.server.admission.guests = GuestList([])
        exchange.server.begin(nowMs: 9)
        for verb in [Request.Name.hello, .create, nil] {
            exchange.server.refuseStranger(.user(1), verb: verb, client: "c", number: 1, from: 0)
        }
        #expect(exchange.server.finish().audited.map(\.verb) == ["create", "request"])
    }
}
