import Glibc
import TableLayout
import TableModel

/// The cost of the exact layout of a large table (docs/BENCHMARKS.md).
@main
enum Main {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let sizes = arguments.contains("--smoke") ? [1_000, 10_000] : [1_000, 100_000, 1_000_000]
        var smallest: Double?
        for size in sizes {
            let run = try Run(size)
            let median = try run.measure()
            let ratio = median / (smallest ?? median)
            smallest = smallest ?? median
            print(
                "  expand a row, read its neighbour's offset: \(whole(median)) ns,", terminator: " "
            )
            print("\((ratio * 100).rounded() / 100) × the smallest")
            try run.others()
        }
    }
}

func whole(_ number: Double) -> String { String(Int(number.rounded())) }

/// Bytes of memory of this process.
private func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return 0 }
    let words = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
        separator: " ")
    return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * 4_096
}

/// One table, every row of it expanded: the most that there can be to measure.
private struct Run {
    let size: Int
    let table: Table
    let index: LayoutIndex

    init(_ size: Int) throws {
        self.size = size
        table = Table(name: "t", history: ID128(high: 1, low: 2))
        table.reserve(size)
        try table.appendSection("main", title: "main")
        for number in 0..<size {
            // One title in eight has wide characters; most take two lines at 320 points.
            let sushi = number % 8 == 0 ? "寿司 " : ""
            let content = Row.Content(
                title: "\(sushi)Order \(number): two soups, one without onions, one bread",
                fields: [.init("place", "table \(number % 40)")])
            let row = Row(id: ID("row \(number)"), content: content, expansion: .expanded)
            try table.appendRow(row, to: "main")
        }
        let before = residentBytes()
        let start = ContinuousClock.now
        index = LayoutIndex(table, widthPoints: 320)
        let time = ContinuousClock.now - start
        print("\(size) rows, all expanded")
        print("  made in \(whole(time / .milliseconds(1))) ms,", terminator: " ")
        print("\((residentBytes() - before) / size) bytes of memory a row")
    }

    private func time(_ name: String, _ body: () -> Void) {
        let start = ContinuousClock.now
        body()
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        let milliseconds = (seconds * 10_000).rounded() / 10
        print("  \(name): \(milliseconds) ms, \(whole(Double(size) / seconds / 1_000)) rows/ms")
    }

    /// The median of one change and one question, ns.
    func measure() throws -> Double {
        time("exact layout of all rows, measured") { _ = index.contentHeightPoints }
        time("a new width, nothing asked") { index.setWidth(375) }
        let start = ContinuousClock.now
        _ = index.visible(around: ScrollAnchor(ID("row \(size - 20)")), heightPoints: 1_000)
        let microseconds = (ContinuousClock.now - start) / .microseconds(1)
        print("  then a screen of 1,000 points at the end: \(whole(microseconds)) µs")
        time("exact layout for the new width") { _ = index.contentHeightPoints }
        var times: [Double] = []
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2_001 {
            let number = Int.random(in: 0..<(size - 1), using: &random)
            // A text that nobody has measured yet, in a row that is closed.
            let row = ID("row \(number)")
            for verb in [
                Command.Verb.expand(row, .collapsed),
                .set(
                    row, .init(title: "Order \(random.next()): two soups, one without, one bread")),
            ] {
                if let diff = try change(verb) { index.apply(diff, table) }
            }
            _ = index.offset(of: ID("row \(number + 1)"))
            guard let diff = try change(.expand(row, .expanded)) else { continue }
            let start = ContinuousClock.now
            index.apply(diff, table)
            _ = index.offset(of: ID("row \(number + 1)"))
            times.append((ContinuousClock.now - start) / .nanoseconds(1))
        }
        times.sort()
        return times[times.count / 2]
    }

    private func change(_ verb: Command.Verb) throws -> Diff? {
        let plan = try reduce(Command(verb), on: table, limits: Limits(), nowMs: 0).get()
        return table.commit(plan, cause: Cause(verb: "bench"))
    }

    func others() throws {
        let all = index.contentHeightPoints
        var random = SystemRandomNumberGenerator()
        let offsets = (0..<10_000).map { _ in Double.random(in: 0..<all, using: &random) }
        let start = ContinuousClock.now
        for offset in offsets { _ = index.row(at: offset) }
        let each = (ContinuousClock.now - start) / .nanoseconds(10_000)
        print("  the row at an offset: \(whole(each)) ns")
        time("the same without an index: all frames") {
            _ = TableFrames(table, widthPoints: 375).contentHeightPoints
        }
    }
}
