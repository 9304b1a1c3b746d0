import TableModel
import Testing

@testable import GatewayCore

/// Packs nothing: what goes in comes out.
private struct Plain: Packing {
    var bytes: [UInt8] = []
    var count: Int { bytes.count }
    mutating func add(_ more: [UInt8]) -> Bool {
        bytes += more
        return true
    }
    mutating func finish() -> [UInt8]? { bytes }
}

/// Packs each byte to a million, which it only counts.
private struct Vast: Packing {
    var count = 0
    mutating func add(_ more: [UInt8]) -> Bool {
        count += more.count << 20
        return true
    }
    mutating func finish() -> Int? { count }
}

@Suite struct SnapshotTests {
    private typealias Fetching = Snapshots<Plain>

    private func fetching() -> Fetching { Fetching(client: "g") { Plain() } }

    private func reply(_ chunk: Int, of chunks: Int, _ slices: String = "[]") -> [UInt8] {
        let snapshot =
            #"{"id":"s","revision":7,"chunk":\#(chunk),"chunks":\#(chunks),"slices":\#(slices)}"#
        return Array(#"{"ok":true,"client":"g","number":1,"snapshot":\#(snapshot)}"#.utf8)
    }

    private func requests(_ effects: [Fetching.Effect]) -> [String] {
        effects.compactMap { effect in
            guard case .request(let bytes) = effect else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func answers(_ effects: [Fetching.Effect]) -> [([PageID], String)] {
        effects.compactMap { effect in
            guard case .answer(let pages, let result) = effect else { return nil }
            switch result {
            case .success(let snapshot):
                return (pages, String(decoding: snapshot.whole, as: UTF8.self))
            case .failure(let refusal): return (pages, refusal.code)
            }
        }
    }

    @Test("chunks in any order become lines in order, for all who wait")
    func whole() {
        var fetching = fetching()
        #expect(requests(fetching.ask("t", for: 1, oldest: nil, nowMs: 0)).count == 1)
        #expect(fetching.ask("t", for: 2, oldest: nil, nowMs: 0).isEmpty)
        let more = requests(fetching.heard(reply(0, of: 3), number: 1, nowMs: 1))
        #expect(
            more.count == 2
                && more[1].utf8.elementsEqual(
                    #"{"client":"g","number":3,"table":"t","snapshot":{"id":"s","chunk":2}}"#.utf8)
        )
        #expect(answers(fetching.heard(reply(2, of: 3), number: 3, nowMs: 2)).isEmpty)
        let done = answers(fetching.heard(reply(1, of: 3), number: 2, nowMs: 3))
        let lines = (0..<3).map { String(decoding: reply($0, of: 3), as: UTF8.self) + "\n" }
        #expect(done.count == 1 && done[0].0 == [1, 2] && done[0].1 == lines.joined())
        // For a short time others get the same, unless the daemon cannot replay from there.
        #expect(answers(fetching.ask("t", for: 3, oldest: 7, nowMs: 1_000)).count == 1)
        #expect(requests(fetching.ask("t", for: 4, oldest: 8, nowMs: 1_000)).count == 1)
    }

    @Test("a row's text that looks like a member is none")
    func hidden() {
        var fetching = fetching()
        _ = fetching.ask("t", for: 1, oldest: nil, nowMs: 0)
        let row = #"[{"rows":[{"title":"\",\"chunks\":9,\"x\":\""}]}]"#
        #expect(answers(fetching.heard(reply(0, of: 1, row), number: 1, nowMs: 0)).count == 1)
    }

    @Test("what was let go begins again, twice; then it is told")
    func letGo() {
        var fetching = fetching()
        let gone = Array(#"{"ok":false,"error":{"code":"noSuchSnapshot","message":"m"}}"#.utf8)
        _ = fetching.ask("t", for: 1, oldest: nil, nowMs: 0)
        #expect(requests(fetching.heard(gone, number: 1, nowMs: 0)).count == 1)
        #expect(requests(fetching.heard(gone, number: 2, nowMs: 0)).count == 1)
        let told = answers(fetching.heard(gone, number: 3, nowMs: 0))
        #expect(told.map(\.1) == ["noSuchSnapshot"])
        // Late replies of what was given up are nobody's.
        #expect(fetching.heard(reply(0, of: 1), number: 1, nowMs: 0).isEmpty)
    }

    @Test("silence and nonsense end in a refusal")
    func silence() {
        var fetching = fetching()
        _ = fetching.ask("t", for: 1, oldest: nil, nowMs: 0)
        #expect(fetching.tick(nowMs: 5_000).isEmpty)
        #expect(answers(fetching.tick(nowMs: 5_001)).map(\.1) == ["noDaemon"])
        for odd in ["", "{", "[]", #"{"snapshot":5}"#, #"{"snapshot":{"id":"s","chunks":0}}"#] {
            _ = fetching.ask("u", for: 2, oldest: nil, nowMs: 6_000)
            let number = UInt64(fetching.fetched)
            #expect(
                answers(fetching.heard(Array(odd.utf8), number: number, nowMs: 6_000)).count == 1)
        }
    }

    @Test("snapshots that are fetched, or kept for others, are not too large together")
    func vast() {
        func line(_ number: Int, of chunks: Int) -> [UInt8] {
            Array(
                #"{"client":"g","snapshot":{"id":"s","revision":7,"chunks":\#(chunks)}}"#.utf8)
        }
        func codes(_ effects: [Snapshots<Vast>.Effect]) -> [String] {
            effects.compactMap { effect in
                guard case .answer(_, let result) = effect else { return nil }
                guard case .failure(let refusal) = result else { return "ok" }
                return refusal.code
            }
        }
        // Each line counts as about 60 MiB: one table may have two of them, and two tables have no more.
        var fetching = Snapshots<Vast>(client: "g") { Vast() }
        for (page, table) in (["a", "b", "c"] as [TableID]).enumerated() {
            _ = fetching.ask(table, for: page, oldest: nil, nowMs: 0)
        }
        #expect(codes(fetching.heard(line(0, of: 2), number: 1, nowMs: 1)).isEmpty)
        #expect(codes(fetching.heard(line(0, of: 2), number: 2, nowMs: 2)).isEmpty)
        #expect(codes(fetching.heard(line(0, of: 2), number: 3, nowMs: 3)) == ["tooMuch"])
        #expect(codes(fetching.heard(line(0, of: 2), number: 4, nowMs: 4)) == ["ok"])
        // The latest are kept for others, as far as there is room.
        fetching = Snapshots<Vast>(client: "g") { Vast() }
        for (page, table) in (["a", "b"] as [TableID]).enumerated() {
            _ = fetching.ask(table, for: page, oldest: nil, nowMs: page)
            let number = UInt64(page + 1)
            #expect(codes(fetching.heard(line(0, of: 1), number: number, nowMs: page)) == ["ok"])
        }
        #expect(codes(fetching.ask("b", for: 3, oldest: nil, nowMs: 2)) == ["ok"])
        #expect(codes(fetching.ask("a", for: 4, oldest: nil, nowMs: 2)).isEmpty)
    }

    @Test("a refusal has the status that GATEWAY.md says")
    func statuses() {
        let codes = ["noSuchTable", "notAllowed", "tooMuch", "noDaemon", "tooLarge", "malformed"]
        let statuses = codes.map { SnapshotRefusal(code: $0, message: "").status }
        #expect(statuses == [404, 403, 429, 503, 503, 503])
    }

    @Test("who does not read keeps few bytes, whoever reads the same")
    func unsent() {
        func device(_ name: String) -> Device {
            Device(
                name: name, role: .viewer, tables: [.all], prefix: "web-\(name)-", pairedAt: 0,
                tokenHash: name)
        }
        var unsent = UnsentSnapshots()
        func begin(_ page: PageID, _ name: String, _ snapshot: Int, _ mebibytes: Int) -> Bool {
            unsent.begin(page, of: device(name), snapshot: snapshot, bytes: mebibytes << 20)
        }
        // One may be as large as it is, and any number of connections read it.
        let first = (0..<100).map { begin($0, "a", 1, 60) }
        #expect(!first.contains(false))
        let second = begin(100, "a", 2, 1)
        #expect(!second, "32 MiB of one device")
        // All devices together hold 128 MiB, however many there are.
        let others = (0..<5).map { begin(200 + $0, "d\($0)", 10 + $0, 16) }
        #expect(others == [true, true, true, true, false])
        let shared = begin(300, "e", 1, 60)
        #expect(shared, "that is held anyway")
        for page in 0..<100 { unsent.end(page) }
        let again = begin(100, "a", 2, 8)
        #expect(!again, "somebody else reads the large one still")
        unsent.end(300)
        let later = begin(100, "a", 2, 8)
        #expect(later)
    }

    @Test("who left is not answered")
    func left() {
        var fetching = fetching()
        _ = fetching.ask("t", for: 1, oldest: nil, nowMs: 0)
        fetching.left(1)
        #expect(fetching.heard(reply(0, of: 3), number: 1, nowMs: 0).isEmpty)
    }
}

@Suite struct JSONMembersTests {
    @Test(
        "members are found where they are, and odd bytes find nothing and trap nothing",
        arguments: [
            (#"{"a":1,"b":{"a":2}}"#, "1"), (#"{"b":{"a":2},"a":3}"#, "3"),
            (#" { "b" : [ "}" , { } ] , "a" : "x" }"#, #""x""#), (#"{"b":"\"a\":1"}"#, nil),
            ("", nil), ("{", nil), (#"{"a"#, nil), (#"{"a":"#, nil), (#"{"a":"\"#, nil),
            ("{]}", nil), (#"{"b":]}"#, nil), (String(repeating: "[", count: 100_000), nil),
        ])
    func find(text: String, value: String?) {
        let bytes = Array(text.utf8)
        let found = JSONMembers.find("a", in: bytes)
        #expect(found.map { String(decoding: bytes[$0], as: UTF8.self) } == value)
    }

    @Test("texts are quoted so that JSON reads them back")
    func quote() {
        #expect(JSONText.quote("a\"\\\n\u{1}\u{7F}é") == #""a\"\\\n\u0001\u007fé""#)
    }

    @Test("the example of RFC 6455")
    func accept() {
        #expect(SHA1.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
