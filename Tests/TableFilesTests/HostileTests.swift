import StrictYAML
import TableDaemon
import TableFiles
import TableModel
import Testing

/// Nothing that a file can hold may trap: it is read, or refused in one line.
@Suite struct HostileTests {
    /// Changes, removes, repeats or inserts a few bytes.
    static func mutate(_ bytes: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var bytes = bytes
        let marks =
            Array("{}[]:,-\"'#&*!|>%@`?\n\t \\~0x9".utf8) + [0, 0x1B, 0x7F, 0x80, 0xC3, 0xFF]
        for _ in 0...Int.random(in: 0..<4, using: &random) {
            let place = Int.random(in: 0..<max(1, bytes.count), using: &random)
            guard place < bytes.count else { return bytes }
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = random.pick(marks)
            case 1: bytes.insert(random.pick(marks), at: place)
            case 2: bytes.remove(at: place)
            case 3: bytes.removeSubrange(place..<min(bytes.count, place + 40))
            default:
                let piece = bytes[place..<min(bytes.count, place + 60)]
                bytes.insert(contentsOf: piece, at: Int(random.next() % UInt64(bytes.count)))
            }
        }
        return bytes
    }

    static func isOneLine(_ fault: Fault) -> Bool {
        fault.line >= 1 && !fault.description.unicodeScalars.contains { $0.value < 32 }
    }

    @Test func kindsAndConfiguration() throws {
        let kinds = Array(contractYAML.utf8)
        let configuration = Array(try file("config/trestled.yaml").utf8)
        let all = contractDefinitions()
        let json = Array(KindsFile.json(kinds: all.kinds, settings: all.settings).utf8)
        var random = Seeded(1)
        for round in 0..<20_000 {
            let seed = [kinds, configuration, json][round % 3]
            let text = String(decoding: Self.mutate(seed, &random), as: UTF8.self)
            do throws(Fault) {
                if round % 3 == 1 {
                    _ = try Configuration.parse(text, name: "f")
                } else {
                    let found = try KindsFile.parse(text, name: "f")
                    let yaml = KindsFile.write(kinds: found.kinds, settings: found.settings)
                    #expect(
                        try KindsFile.parse(yaml, name: "f").whole == found.whole, "\(yaml)")
                }
            } catch {
                #expect(Self.isOneLine(error), "\(error)")
            }
        }
    }

    @Test func rowFiles() throws {
        let example = Array(try file("examples/kitchen.ndjson").utf8)
        let placed = try ImportFile.parse(example, format: .ndjson, name: "f").map {
            PlacedRow(
                Row(id: $0.id ?? "", content: Row.Content(title: $0.title, fields: $0.fields)),
                section: "s", index: 0)
        }
        var random = Seeded(2)
        for round in 0..<20_000 {
            let format = RowFormat.allCases[round % 4]
            let bytes = Array(ExportFile.write(Array(placed.prefix(3)), format: format).utf8)
            do throws(Fault) {
                _ = try ImportFile.parse(Self.mutate(bytes, &random), format: format, name: "f")
            } catch {
                #expect(Self.isOneLine(error), "\(error)")
            }
        }
    }
}
