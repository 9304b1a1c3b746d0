import JournalFormat
import Testing

@testable import EtcdJournal

@Suite struct EtcdKeysTests {
    let keys = EtcdKeys(name: "k")

    @Test func namesAreInTheOrderOfPositions() {
        let positions: [UInt64] = [1, 9, 10, 255, 256, 1 << 40]
        let names = positions.map { keys.entry($0) }
        #expect(names == names.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(String(decoding: names[0], as: UTF8.self) == "/trestle/k/log/0000000000000001")
        for (position, name) in zip(positions, names) {
            #expect(keys.place(of: name)?.position == position)
            #expect(keys.place(of: name)?.part == nil)
        }
        #expect(keys.place(of: keys.part(7, 300))?.part == 300)
        // The parts of an entry stand between it and the next one.
        let three = [keys.entry(7), keys.part(7, 0), keys.entry(8)]
        #expect(three == three.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test func whatIsNoPlaceIsNone() {
        for name in [
            "", "/trestle/k/log/", "/trestle/k/log/1", "/trestle/other/log/0000000000000001",
            "/trestle/k/log/ffffffffffffffff", "/trestle/k/log/0000000000000001/x/y",
            "/trestle/k/log/0000000000000001/-1",
        ] {
            #expect(keys.place(of: Array(name.utf8)) == nil, "\(name)")
        }
    }

    @Test func valuesComeBack() {
        let head = EtcdHead(position: 7, chain: .max, term: 12)
        #expect(EtcdHead(head.bytes) == head)
        let entry = EtcdEntry(parts: 3, chain: 5, payload: [1, 2])
        #expect(EtcdEntry(entry.bytes) == entry)
        let manifest = EtcdManifest(
            covered: ChainPoint(position: 9, chain: 8), previous: 7, pieces: 6, parts: 5,
            partBytes: 4, chain: 3, name: "n")
        #expect(EtcdManifest(manifest.bytes) == manifest)
        let note = EtcdMemberNote(
            id: "a", endpoints: ["tcp://a:1", "tcp://b:2"], position: 4, version: "1")
        #expect(EtcdMemberNote(note.bytes) == note)
        #expect(
            EtcdMemberNote(EtcdMemberNote(id: "a", endpoints: [], position: 0, version: "").bytes)
                != nil)
    }

    /// Bytes that another program writes there never trap.
    @Test func bytesOfOthersAreNone() {
        let head = EtcdHead(position: 7, chain: 1, term: 12).bytes
        for count in 0..<head.count { #expect(EtcdHead(Array(head.prefix(count))) == nil) }
        #expect(EtcdHead(head + [0]) == nil)
        #expect(EtcdHead([2] + head.dropFirst()) == nil, "a form of later")
        #expect(EtcdHead([1] + [UInt8](repeating: 255, count: 24)) == nil)
        #expect(EtcdManifest([UInt8](repeating: 255, count: 64)) == nil)
        #expect(EtcdEntry([1] + [UInt8](repeating: 255, count: 16)) == nil)
        #expect(EtcdMemberNote([0xFF, 0xFE]) == nil)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<80)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            for call in [
                EtcdCall.status, .txn(EtcdTxn()), .grant(seconds: 1),
                .range(key: [], end: [], limit: 0, revision: 0),
            ] {
                _ = try? call.answer(bytes[...])
            }
            _ = (EtcdHead(bytes), EtcdManifest(bytes), EtcdEntry(bytes), EtcdMemberNote(bytes))
        }
    }
}
