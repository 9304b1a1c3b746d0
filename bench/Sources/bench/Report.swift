import FoundationEssentials
import Glibc

/// The figures as tables for people and as JSON for programs.
struct Report {
    let options: Options
    /// Microseconds of one fdatasync.
    let disk: Double

    private struct Document: Encodable {
        var processors: Int
        var loadAverage: String
        var fdatasyncMicroseconds: Double
        var rows: Int
        var seconds: Double
        var ratios: [String: [String: Double]]
        var samples: [Comparison.Sample]
    }

    /// One line for each measurement, so that nobody waits in the dark.
    func progress(_ sample: Comparison.Sample) {
        say(
            "round \(sample.round + 1)/\(options.rounds)  \(sample.setting.name.padded(8))"
                + "\(sample.contestant.rawValue.padded(8)) \(whole(sample.perSecond))/s  "
                + "p50 \(whole(sample.load.p50Microseconds)) µs  "
                + "p99 \(whole(sample.load.p99Microseconds)) µs")
    }

    func finish(_ samples: [Comparison.Sample]) throws(Failure) {
        say("")
        say("Durable commands/s, \(options.rows) rows, \(environment)")
        say("median of \(options.rounds) rounds of \(options.seconds) s (lowest–highest)")
        table { rates($0, $1, samples) }
        say("Request to reply, µs, p50 / p99")
        table { latencies($0, $1, samples) }
        say("Server's processor time, µs a command · diffs a message · diffs delivered")
        table { costs($0, $1, samples) }
        say("Ratios: median of the rounds' own (lowest–highest)")
        for line in ratioLines(samples) { say(line) }
        let refused = samples.reduce(0) { $0 + $1.load.refused }
        if refused > 0 { say("REFUSED OR FAILED: \(refused)") }
        if let path = options.json { try write(samples, to: path) }
        if refused > 0 { throw Failure("\(refused) commands were refused") }
    }

    private var environment: String {
        "\(sysconf(Int32(_SC_NPROCESSORS_ONLN))) processors, load \(loadAverage), "
            + "fdatasync of 4 KiB \(whole(disk)) µs"
    }

    private var loadAverage: String {
        contents("/proc/loadavg").split(separator: " ").prefix(3).joined(separator: " ")
    }

    // MARK: Tables

    private func table(_ cell: (Comparison.Setting, Contestant) -> String) {
        row([""] + options.contestants.map(\.rawValue))
        for setting in options.settings {
            row([setting.name] + options.contestants.map { cell(setting, $0) })
        }
        say("")
    }

    private func row(_ cells: [String]) {
        say(cells[0].padded(10) + cells.dropFirst().map { $0.padded(26) }.joined())
    }

    private func of(
        _ setting: Comparison.Setting, _ contestant: Contestant, _ samples: [Comparison.Sample]
    ) -> [Comparison.Sample] {
        samples.filter { $0.setting == setting && $0.contestant == contestant }
    }

    private func rates(
        _ setting: Comparison.Setting, _ contestant: Contestant, _ samples: [Comparison.Sample]
    ) -> String {
        let rates = of(setting, contestant, samples).map(\.perSecond)
        return "\(whole(rates.median)) (\(whole(rates.min() ?? 0))–\(whole(rates.max() ?? 0)))"
    }

    private func latencies(
        _ setting: Comparison.Setting, _ contestant: Contestant, _ samples: [Comparison.Sample]
    ) -> String {
        let loads = of(setting, contestant, samples).map(\.load)
        let p50 = loads.map(\.p50Microseconds).median
        return "\(whole(p50)) / \(whole(loads.map(\.p99Microseconds).median))"
    }

    private func costs(
        _ setting: Comparison.Setting, _ contestant: Contestant, _ samples: [Comparison.Sample]
    ) -> String {
        let some = of(setting, contestant, samples)
        let processor = some.map(\.serverMicrosecondsPerCommand).median
        let packed = some.map(\.diffsPerMessage).median
        let share = some.map(\.deliveredShare).median
        return "\(hundredths(processor)) · \(hundredths(packed)) · \(whole(share * 100)) %"
    }

    // MARK: Ratios

    private func ratioLines(_ samples: [Comparison.Sample]) -> [String] {
        ratios(samples).map { name, ratios in
            let range = "\(hundredths(ratios.min() ?? 0))–\(hundredths(ratios.max() ?? 0))"
            return "\(name.padded(32))\(hundredths(ratios.median)) (\(range))"
        }
    }

    /// Each within one round, because only that compares like with like.
    private func ratios(_ samples: [Comparison.Sample]) -> [(String, [Double])] {
        var result: [(String, [Double])] = []
        for setting in options.settings {
            for other in options.contestants where other != .trestle {
                let all = paired(
                    of(setting, .trestle, samples), of(setting, other, samples))
                if all.isEmpty { continue }
                result.append(("\(setting.name) trestle/\(other.rawValue)", all))
            }
        }
        let most = Comparison.Setting(clients: 64, viewers: 10)
        for viewers in [10, 1] {
            let one = Comparison.Setting(clients: 1, viewers: viewers)
            for contestant in options.contestants {
                let all = paired(
                    of(most, contestant, samples), of(one, contestant, samples))
                if all.isEmpty { continue }
                result.append(("\(contestant.rawValue) \(most.name) / \(one.name)", all))
            }
        }
        return result
    }

    private func paired(
        _ upper: [Comparison.Sample], _ lower: [Comparison.Sample]
    ) -> [Double] {
        upper.compactMap { sample in
            lower.first { $0.round == sample.round }
                .map { sample.perSecond / max(1, $0.perSecond) }
        }
    }

    // MARK: JSON

    private func write(_ samples: [Comparison.Sample], to path: String) throws(Failure) {
        var named: [String: [String: Double]] = [:]
        for (name, all) in ratios(samples) {
            named[name] = [
                "median": all.median, "lowest": all.min() ?? 0, "highest": all.max() ?? 0,
            ]
        }
        let document = Document(
            processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)), loadAverage: loadAverage,
            fdatasyncMicroseconds: disk, rows: options.rows, seconds: options.seconds,
            ratios: named, samples: samples)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            try encoder.encode(document).write(to: URL(filePath: path))
        } catch {
            throw Failure("write \(path): \(error)")
        }
    }
}

/// Rounded, with a thin mark between thousands.
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

extension String {
    func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, width - count))
    }
}
