import FoundationEssentials
import Glibc

/// The options of a run.
struct Options {
    static let usage = """
        usage: bench [PART…] [--rounds N] [--seconds S] [--rows R] [--json FILE] [--smoke] [--large]
                     [--only NAME,…] [--settings CxV,…] [--trestled PATH] [--redis PATH] [--directory DIR]
                     [--media MEDIUM,…] [--slow-sync PATH]
        parts: rates processor latency joiner memory restart sizes stalled programs; all of them if none is named
        --large: a million rows too, in restart, memory and sizes
        --settings: of rates, as 64x10,256x100: so many clients and viewers; the usual five if none is named
        media, in rates: disk (alone, if none is named), memory (a tmpfs), slow (each sync 0.5 ms longer)
        """

    var parts: [Part] = []
    var isSmoke = false
    var isLarge = false
    var rounds = 5
    var seconds = 2.0
    /// The settings in which rates are measured.
    var settings = [
        Setting(1, 1), Setting(8, 10), Setting(64, 10), Setting(64, 100), Setting(256, 10),
    ]
    /// The rows of the table in rates, latency and stalled.
    var rows = 10_000
    /// The rows of the table in joiner, memory and restart.
    var manyRows = 100_000
    var json: String?
    var contestants = Contestant.usual
    var trestled = ".build/release/trestled"
    var redis = "redis-server"
    /// On the disk that is to be measured: not a tmpfs.
    var directory = "/var/tmp"
    /// The media that servers write to in rates.
    var media = [Medium.disk]
    /// `slow-sync.c` as a library.
    var slowSync = ".build/slow-sync.so"
    let program = Options.ownPath

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
        case "--settings": settings = value.split(separator: ",").compactMap(Setting.init)
        case "--json": json = value
        case "--only":
            contestants = value.split(separator: ",").compactMap { Contestant(rawValue: "\($0)") }
        case "--trestled": trestled = value
        case "--redis": redis = value
        case "--directory": directory = value
        case "--media": media = value.split(separator: ",").compactMap { Medium(rawValue: "\($0)") }
        case "--slow-sync": slowSync = value
        default: return false
        }
        return rounds > 0 && seconds > 0 && rows > 1 && rows < 10_000_000 && !contestants.isEmpty
            && !media.isEmpty && !settings.isEmpty
    }

    /// As a path that also means this program in a process that another started.
    private static var ownPath: String {
        var room = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &room, room.count)
        return String(decoding: room[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A directory of its own, which is removed at the end.
    func withScratch(
        in base: String? = nil, _ body: (String) throws(Failure) -> Void
    ) throws(Failure) {
        let base = base ?? directory
        var template = Array("\(base)/trestle-bench.XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure("make a directory in \(base)") }
        let letters = template.dropLast().map { UInt8(bitPattern: $0) }
        let path = String(decoding: letters, as: UTF8.self)
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }
}
