import CZeroMQ
import FoundationEssentials
import Glibc

/// The figures as tables for people and as JSON for programs; docs/BENCHMARKS.md is written from
/// the JSON.
struct Report {
    private let options: Options
    private let figures: Figures
    private let document: Document

    /// The JSON. What only one contestant was measured in has no ratios.
    private struct Document: Encodable {
        var date: String
        var processors: Int
        var processor: String
        var system: String
        var redis: String
        var libzmq: String
        var loadAverageBefore: String
        var loadAverage: String
        var fdatasyncMicroseconds: Double
        var rounds: Int
        var seconds: Double
        var rows: Int
        var manyRows: Int
        var partSeconds: [String: Double]
        var partStolenPercent: [String: Double]
        var failures: [String]
        var goals: [Judged]
        var summaries: [Summary]
        var samples: [Sample]
    }

    private struct Judged: Encodable {
        var goal: Goal
        var boundText: String
        var isMet: Bool?
        var verdict: String
    }

    private struct Summary: Encodable {
        var part: Part
        var setting: String
        var measure: String
        var contestant: Contestant
        var spread: Spread
        /// Trestle over this one: of the rounds' own ratios.
        var trestleRatio: Spread?
    }

    init(_ benchmark: Benchmark, fdatasyncMicroseconds: Double) {
        options = benchmark.options
        let figures = benchmark.figures
        self.figures = figures
        let summaries = figures.series.compactMap { series in
            figures[series].map {
                Summary(
                    part: series.part, setting: series.setting, measure: series.measure,
                    contestant: series.contestant, spread: $0,
                    trestleRatio: series.contestant == .trestle
                        ? nil : figures.ratio(series.of(.trestle), series))
            }
        }
        let seconds = benchmark.partSeconds.map { ($0.key.rawValue, $0.value) }
        let stolen = benchmark.partStolen.map { ($0.key.rawValue, $0.value) }
        document = Document(
            date: Machine.date, processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)),
            processor: Machine.processor, system: Machine.system,
            redis: Machine.version(of: options.redis), libzmq: Machine.libzmq,
            loadAverageBefore: benchmark.loadAverage, loadAverage: Machine.loadAverage,
            fdatasyncMicroseconds: fdatasyncMicroseconds,
            rounds: options.rounds, seconds: options.seconds, rows: options.rows,
            manyRows: options.manyRows,
            partSeconds: Dictionary(uniqueKeysWithValues: seconds),
            partStolenPercent: Dictionary(uniqueKeysWithValues: stolen),
            failures: benchmark.failures,
            goals: figures.goals(manyRows: options.manyRows).map {
                Judged(goal: $0, boundText: $0.boundText, isMet: $0.isMet, verdict: $0.verdict)
            },
            summaries: summaries, samples: figures.samples)
    }

    func write(to path: String) throws(Failure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            try encoder.encode(document).write(to: URL(filePath: path))
        } catch {
            throw Failure("write \(path): \(error)")
        }
    }

    // MARK: For people

    func show() {
        say("")
        say(
            "\(document.processors) processors, load \(document.loadAverage), fdatasync of 4 KiB "
                + "\(whole(document.fdatasyncMicroseconds)) µs")
        say("median (lowest–highest) of \(options.rounds) rounds, each in alternation")
        for part in Part.allCases where options.parts.contains(part) { show(part) }
        for failure in document.failures { say("FAILED \(failure)") }
        say("goals")
        for judged in document.goals {
            let goal = judged.goal
            let measured = goal.measured.map { text($0) } ?? "–"
            say(
                "  \(goal.number)  \(goal.what.padded(58)) \(judged.boundText.padded(12)) "
                    + "\(measured.padded(24)) \(judged.verdict)")
        }
    }

    private func show(_ part: Part) {
        say("")
        let stolen = document.partStolenPercent[part.rawValue] ?? 0
        say(
            "\(part.rawValue)  (\(whole(document.partSeconds[part.rawValue] ?? 0)) s, "
                + "\(hundredths(stolen)) % of the processors taken by the host)")
        let summaries = document.summaries.filter { $0.part == part }
        var seen: Set<String> = []
        for summary in summaries where seen.insert(summary.setting + summary.measure).inserted {
            let row = summaries.filter {
                $0.setting == summary.setting && $0.measure == summary.measure
            }
            let cells = row.map { cell in
                let ratio = cell.trestleRatio.map { "  ×\(text($0))" } ?? ""
                return "\(cell.contestant.rawValue) \(text(cell.spread))\(ratio)"
            }
            say(
                "  \(summary.setting.padded(18)) \(summary.measure.padded(18)) "
                    + cells.joined(separator: "   "))
        }
        say("")
    }

    private func text(_ spread: Spread) -> String {
        "\(short(spread.median)) (\(short(spread.lowest))–\(short(spread.highest)))"
    }
}

/// The machine on which the figures were measured.
enum Machine {
    static var loadAverage: String {
        contents("/proc/loadavg").split(separator: " ").prefix(3).joined(separator: " ")
    }

    /// The time of all processors since the start, in ticks: all of it, and the part that the host gave to others.
    static var processorTimes: (all: Int, stolen: Int) {
        let line = contents("/proc/stat").split(separator: "\n").first ?? ""
        let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Int($0) }
        return (ticks.reduce(0, +), ticks.count == 8 ? ticks[7] : 0)
    }

    static var processor: String {
        let line = contents("/proc/cpuinfo").split(separator: "\n").first {
            $0.hasPrefix("model name")
        }
        return text(line?.split(separator: ":").last)
    }

    static var system: String {
        let line = contents("/etc/os-release").split(separator: "\n").first {
            $0.hasPrefix("PRETTY_NAME")
        }
        return text(line?.split(separator: "\"").last)
    }

    static var libzmq: String {
        var numbers: (Int32, Int32, Int32) = (0, 0, 0)
        zmq_version(&numbers.0, &numbers.1, &numbers.2)
        return "\(numbers.0).\(numbers.1).\(numbers.2)"
    }

    static var date: String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        let (month, day) = (parts.tm_mon + 1, parts.tm_mday)
        return
            "\(parts.tm_year + 1_900)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
    }

    /// As `redis-server --version` has it: … v=7.0.15 …
    static func version(of program: String) -> String {
        guard let child = try? Child(program, ["--version"], log: "/dev/null"),
            let line = try? child.line()
        else { return "" }
        return text(line.split(separator: " ").first { $0.hasPrefix("v=") }?.dropFirst(2))
    }

    private static func text(_ part: Substring?) -> String {
        var part = part ?? ""
        while part.first == " " { part.removeFirst() }
        return String(part)
    }
}

/// Rounded, with a mark between thousands.
func whole(_ number: Double) -> String {
    guard number.isFinite, abs(number) < 1e15 else { return "–" }
    let digits = Array(String(Int(number.rounded())))
    var text = ""
    for (index, digit) in digits.enumerated() {
        if index > 0, (digits.count - index) % 3 == 0 { text += "," }
        text.append(digit)
    }
    return text
}

func hundredths(_ number: Double) -> String {
    guard number.isFinite, abs(number) < 1e12 else { return "–" }
    let value = Int((number * 100).rounded())
    let rest = value % 100
    return "\(value / 100).\(rest < 10 ? "0" : "")\(rest)"
}

/// With as many digits as say something.
func short(_ number: Double) -> String {
    if number < 20 { return hundredths(number) }
    if number < 100 {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
    return whole(number)
}

extension String {
    func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
