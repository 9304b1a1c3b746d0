import FoundationEssentials
import Glibc

/// What was asked for.
struct Options {
    static let usage = """
        usage: bench [PART…] [--rounds N] [--seconds S] [--rows R] [--json FILE] [--smoke] [--large]
                     [--only NAME,…] [--clients N] [--trestled PATH] [--redis PATH] [--directory DIR]
        parts: rates latency joiner memory restart sizes stalled; all of them if none is named
        --large: a million rows too, in restart, memory and sizes
        """

    var parts: [Part] = []
    var isSmoke = false
    var isLarge = false
    var rounds = 5
    var seconds = 2.0
    /// Only with so many clients, in rates; nil: with all.
    var clients: Int?
    /// Of the table in rates, latency and stalled.
    var rows = 10_000
    /// Of the table in joiner, memory and restart.
    var manyRows = 100_000
    var json: String?
    var contestants = Contestant.usual
    var trestled = ".build/release/trestled"
    var redis = "redis-server"
    /// On the disk that is to be measured: not a tmpfs.
    var directory = "/var/tmp"
    let program = "/proc/self/exe"

    /// Nil: not understood.
    init?(_ words: [String]) {
        var words = words[...]
        while let word = words.popFirst() {
            if let part = Part(rawValue: word) {
                parts.append(part)
                continue
            }
            switch word {
            case "--smoke":
                isSmoke = true
                (rounds, seconds, rows, manyRows) = (1, 0.3, 1_000, 2_000)
            case "--large": isLarge = true
            default: guard let value = words.popFirst(), take(word, value) else { return nil }
            }
        }
        if parts.isEmpty { parts = Part.allCases }
    }

    private mutating func take(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--rounds": rounds = Int(value) ?? 0
        case "--seconds": seconds = Double(value) ?? 0
        case "--rows": rows = Int(value) ?? 0
        case "--clients": clients = Int(value) ?? 0
        case "--json": json = value
        case "--only":
            contestants = value.split(separator: ",").compactMap { Contestant(rawValue: "\($0)") }
        case "--trestled": trestled = value
        case "--redis": redis = value
        case "--directory": directory = value
        default: return false
        }
        return rounds > 0 && seconds > 0 && rows > 1 && rows < 10_000_000 && !contestants.isEmpty
    }

    /// A directory of its own, which is removed at the end.
    func withScratch(_ body: (String) throws(Failure) -> Void) throws(Failure) {
        var template = Array("\(directory)/trestle-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure("make a directory in \(directory)") }
        let letters = template.dropLast().map { UInt8(bitPattern: $0) }
        let path = String(decoding: letters, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }
}
