import Glibc

/// One figure of one round.
struct Sample: Codable {
    var part: Part
    /// Under which conditions, for example `C64 V10`.
    var setting: String
    /// The measure, with its unit.
    var measure: String
    var contestant: Contestant
    var round: Int
    var value: Double
}

/// A part of the benchmark; each can be run alone.
enum Part: String, CaseIterable, Codable {
    case rates, processor, latency, joiner, memory, restart, sizes, stalled, programs

    /// The contestants that are measured in it.
    var contestants: [Contestant] {
        switch self {
        case .rates: Contestant.allCases
        case .processor: [.trestle, .libzmqPreallocated]
        case .latency: [.trestle, .redis, .libzmq, .etcd]
        case .joiner: [.trestle, .redis, .libzmq]
        case .memory, .restart, .sizes, .stalled, .programs: [.trestle, .redis]
        }
    }
}

/// Which figures belong together: one of each round.
struct Series: Hashable {
    var part: Part
    var setting: String
    var measure: String
    var contestant: Contestant

    /// This series of another contestant.
    func of(_ other: Contestant) -> Series {
        var copy = self
        copy.contestant = other
        return copy
    }
}

/// All that was measured.
struct Figures {
    private(set) var samples: [Sample] = []
    /// In the order in which they first came.
    private(set) var series: [Series] = []
    private var values: [Series: [Int: Double]] = [:]

    mutating func add(_ series: Series, round: Int, _ value: Double) {
        samples.append(
            Sample(
                part: series.part, setting: series.setting, measure: series.measure,
                contestant: series.contestant, round: round, value: value))
        if values[series] == nil { self.series.append(series) }
        values[series, default: [:]][round] = value
    }

    /// The spread over all rounds; nil if nothing was measured.
    subscript(series: Series) -> Spread? { Spread((values[series] ?? [:]).map(\.value)) }

    /// Each within one round, because only that compares like with like.
    func ratio(_ upper: Series, _ lower: Series) -> Spread? {
        guard let above = values[upper], let below = values[lower] else { return nil }
        return Spread(
            above.compactMap { round, value in
                below[round].flatMap { $0 > 0 ? value / $0 : nil }
            })
    }
}

/// Some values as people quote them.
struct Spread: Codable {
    var median: Double
    var lowest: Double
    var highest: Double

    init?(_ values: [Double]) {
        guard let lowest = values.min(), let highest = values.max() else { return nil }
        median = values.median
        (self.lowest, self.highest) = (lowest, highest)
    }
}

extension [Double] {
    /// 0 of nothing.
    var median: Double {
        if isEmpty { return 0 }
        let sorted = sorted()
        let middle = count / 2
        return count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}
