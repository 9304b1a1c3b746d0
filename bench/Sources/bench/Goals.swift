/// A goal of the project, with the measured value.
struct Goal: Codable {
    var number: Int
    var what: String
    /// The median that was measured, with its spread; nil: not measured in this run.
    var measured: Spread?
    var unit: String
    /// At least so much, or at most.
    var isAtLeast: Bool
    var bound: Double

    var isMet: Bool? { measured.map { isAtLeast ? $0.median >= bound : $0.median <= bound } }

    /// For people: met, or by how much not.
    var verdict: String {
        guard let measured, let isMet else { return "not measured" }
        if isMet { return "met" }
        let part = measured.median / bound
        return isAtLeast ? "\(hundredths(part)) of it" : "\(hundredths(part)) times too much"
    }

    var boundText: String { "\(isAtLeast ? "≥" : "≤") \(short(bound)) \(unit)" }
}

extension Figures {
    private func series(
        _ part: Part, _ setting: String, _ measure: String, _ contestant: Contestant = .trestle
    ) -> Series {
        Series(part: part, setting: setting, measure: measure, contestant: contestant)
    }

    /// Trestle over another.
    private func against(
        _ other: Contestant, _ part: Part, _ setting: String, _ measure: String
    ) -> Spread? {
        let ours = series(part, setting, measure)
        return ratio(ours, ours.of(other))
    }

    func goals(manyRows: Int) -> [Goal] {
        speedGoals + processorGoals + largeGoals(Measure.rows(manyRows))
    }

    /// On each medium that was measured.
    private func rateGoals(on medium: Medium) -> [Goal] {
        func goal(
            _ number: Int, _ clients: Int, _ viewers: Int, _ measure: String,
            beside other: Contestant, atLeast bound: Double
        ) -> Goal {
            var setting = Setting(clients, viewers)
            setting.medium = medium
            return Goal(
                number: number, what: "\(measure), \(setting.name), beside \(other.rawValue)",
                measured: against(other, .rates, setting.name, measure), unit: "×",
                isAtLeast: true, bound: bound)
        }
        let floor = Contestant.libzmqPreallocated
        return [
            goal(1, 1, 1, Measure.commands, beside: floor, atLeast: 0.85),
            goal(1, 8, 10, Measure.commands, beside: floor, atLeast: 0.85),
            goal(1, 64, 10, Measure.commands, beside: floor, atLeast: 0.85),
            goal(
                2, 64, 10, Measure.commands, beside: .redis, atLeast: medium == .memory ? 0.9 : 1.3),
            goal(3, 64, 100, Measure.deliveries, beside: .redis, atLeast: 1.25),
            goal(3, 64, 100, Measure.deliveries, beside: floor, atLeast: 0.9),
        ]
    }

    /// All threads together, beside the floor.
    private var processorGoals: [Goal] {
        [true, false].flatMap { isTCP in
            [Setting(1, 1), Setting(8, 10)].map { one in
                var setting = one
                (setting.medium, setting.isTCP) = (.memory, isTCP)
                let floor = Contestant.libzmqPreallocated
                return Goal(
                    number: 10, what: "processor time, \(setting.name), beside \(floor.rawValue)",
                    measured: against(floor, .processor, setting.name, Measure.processor),
                    unit: "×",
                    isAtLeast: false, bound: 1.5)
            }
        }
    }

    private var speedGoals: [Goal] {
        let saturated = Measure.name(Setting(64, 10), isSteady: false)
        let steady = Measure.name(Setting(8, 10), isSteady: true)
        return Medium.allCases.flatMap(rateGoals) + [
            Goal(
                number: 4, what: "p99 to the last viewer, C8 V10 at 200/s, beside Redis",
                measured: against(.redis, .latency, steady, Measure.p99), unit: "×",
                isAtLeast: false, bound: 1),
            Goal(
                number: 4, what: "p99 to the last viewer, C8 V10 at 200/s, beside etcd",
                measured: against(.etcd, .latency, steady, Measure.p99), unit: "×",
                isAtLeast: false, bound: 0.25),
            Goal(
                number: 4, what: "p99 to the last viewer, C64 V10 saturated, beside Redis",
                measured: against(.redis, .latency, saturated, Measure.p99), unit: "×",
                isAtLeast: false, bound: 0.65),
            Goal(
                number: 5, what: "commands/s at 100,000 rows beside 1,000",
                measured: ratio(
                    series(.sizes, Measure.rows(100_000), Measure.commands),
                    series(.sizes, Measure.rows(1_000), Measure.commands)), unit: "×",
                isAtLeast: true, bound: 0.85),
            Goal(
                number: 5, what: "the diff of a move, in binary",
                measured: self[series(.sizes, "a move", Measure.diffBytes)], unit: "bytes",
                isAtLeast: false, bound: 64),
        ]
    }

    private func largeGoals(_ rows: String) -> [Goal] {
        [
            Goal(
                number: 6, what: "late joiner of \(rows), beside libzmq",
                measured: against(.libzmq, .joiner, rows, Measure.ready), unit: "×",
                isAtLeast: false, bound: 0.9),
            Goal(
                number: 7, what: "memory of a row of 200 bytes",
                measured: self[series(.memory, rows, Measure.bytesPerRow)], unit: "bytes",
                isAtLeast: false, bound: 400),
            Goal(
                number: 7, what: "the same after a restart",
                measured: self[series(.memory, rows, Measure.bytesRestarted)], unit: "bytes",
                isAtLeast: false, bound: 400),
            Goal(
                number: 8, what: "kill -9 to the first reply, \(rows)",
                measured: self[series(.restart, rows, Measure.firstReply)], unit: "ms",
                isAtLeast: false, bound: 100),
            Goal(
                number: 8, what: "kill -9 to the first reply, 1,000,000 rows",
                measured: self[series(.restart, Measure.rows(1_000_000), Measure.firstReply)],
                unit: "ms", isAtLeast: false, bound: 1_000),
        ] + Stall.allCases.flatMap(stallGoals) + programGoals
    }

    private func stallGoals(_ stall: Stall) -> [Goal] {
        [
            Goal(
                number: 9, what: "memory for a stalled viewer, \(stall.rawValue)",
                measured: self[series(.stalled, stall.rawValue, Measure.extra)], unit: "MiB",
                isAtLeast: false, bound: 16),
            Goal(
                number: 9, what: "p99 of the others, \(stall.rawValue), beside the same without it",
                measured: ratio(
                    series(.stalled, stall.rawValue, Measure.p99With),
                    series(.stalled, stall.rawValue, Measure.p99Without)), unit: "×",
                isAtLeast: false, bound: 1.1),
        ]
    }

    private var programGoals: [Goal] {
        ["trestle", "trestled"].map {
            Goal(
                number: 11, what: "\($0), stripped",
                measured: self[series(.programs, $0, Measure.megabytes)], unit: "MB",
                isAtLeast: false, bound: 22)
        } + [
            Goal(
                number: 11, what: "`trestle tables` from a shell, beside `redis-cli ping`",
                measured: against(.redis, .programs, "from a shell", Measure.wholeCommand),
                unit: "×", isAtLeast: false, bound: 1.2)
        ]
    }
}
