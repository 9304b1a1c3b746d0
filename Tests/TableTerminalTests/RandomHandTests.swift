import Foundation
import TableModel
import TableTerminal
import Testing

/// Every gesture to every edge of the screen and beyond. Nothing hangs, nothing traps, and the
/// person can always leave. `SEED=42` plays one hand again; `GESTURES=100000` plays longer.
struct RandomHandTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds: [UInt64] =
        environment["SEED"].flatMap { UInt64($0) }.map { [$0] } ?? [1, 2, 3, 4, 5]
    private static let gestures = environment["GESTURES"].flatMap { Int($0) } ?? 3_000

    @Test(arguments: seeds) func nothingHangs(_ seed: UInt64) throws {
        let hand = try RandomHand(seed: seed)
        let watchdog = Watchdog(seed)
        defer { watchdog.end() }
        for number in 0..<Self.gestures / Self.seeds.count {
            let gesture = hand.gesture()
            watchdog.begins(gesture, number)
            let begin = processorSeconds(CLOCK_THREAD_CPUTIME_ID)
            hand.play(gesture)
            let spent = processorSeconds(CLOCK_THREAD_CPUTIME_ID) - begin
            // A debug build on a machine that others use: a hang is what is looked for, and not speed.
            #expect(spent < 5, "seed \(seed), \(number): \(gesture) took \(spent)")
            if number % 100 == 99 {
                hand.leave()
                #expect(hand.stage.wishes.last == .quit, "seed \(seed), \(number): no way out")
            }
        }
        print("seed \(seed): \(hand.counts.sorted { $0.key < $1.key })")
        // Every kind of thing came to pass, in every state: the hand is no idle one.
        for name in RandomHand.Kind.allCases { #expect(hand.counts[name.rawValue, default: 0] > 0) }
        #expect(
            hand.drags > Self.gestures / Self.seeds.count / 100 && hand.reached.count >= 6,
            "\(hand.reached)")
    }

    /// A fill ends at the screen's edges, wherever it begins and ends.
    @Test func whatIsFilledIsBounded() {
        for (x, y, end) in [
            (0, 4, 10), (0, -1, 10), (10, 0, 5), (.min, 0, .max), (0, .max, .max), (.max, 1, .max),
            (-5, 3, 99), (3, 2, .min),
        ] {
            var screen = Screen(width: 10, height: 4)
            screen.fill(x: x, y: y, to: end, with: "─", Style())
            let filled = screen.text.count { $0 == "─" }
            let isOn = 0..<4 ~= y && x < 10 && end > x
            #expect(filled == (isOn ? min(end, 10) - max(x, 0) : 0), "\(x) \(y) \(end)")
        }
        var screen = Screen(width: 5, height: 1)
        screen.fill(x: 0, y: 0, to: 5, with: "长", Style())
        #expect(screen == Screen(width: 5, height: 1), "a line is not filled with halves")
    }

    /// A cook found this one: rows of four lines, dragged by mouse to the bottom.
    @Test(arguments: 1...12) func aDropLineBelowTheScreen(_ lines: Int) throws {
        for height in 4...30 {
            let stage = Stage(try Tables.ofLines(lines), width: 40, height: height)
            let watchdog = Watchdog(UInt64(height))
            defer { watchdog.end() }
            watchdog.begins(.init(kind: .drag, text: "rows of \(lines) lines"), height)
            for bottom in [height - 2, height - 1, height, 999] {
                stage.mouse(.press, 10, 2)
                stage.mouse(.drag, 10, 4)
                stage.mouse(.drag, 10, bottom)
                for _ in 0..<lines {
                    stage.send(.tick(nowMs: stage.nowMs))
                    #expect(stage.board.draw().height == height)
                }
                stage.mouse(.release, 10, bottom)
            }
            stage.type("q")
            #expect(stage.wishes.last == .quit)
        }
    }
}

/// Seconds of a processor that this thread or process has had. Other programs on the machine do not add to them.
private func processorSeconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Ends the process if a gesture does not end: a hanging thread cannot be asked to stop.
private final class Watchdog: @unchecked Sendable {
    // Unchecked because the lock guards what changes.
    private let lock = NSLock()
    private let seed: UInt64
    private var what = ""
    private var since = processorSeconds(CLOCK_PROCESS_CPUTIME_ID)
    private var isOver = false

    init(_ seed: UInt64) {
        self.seed = seed
        let thread = Thread { [self] in watch() }
        thread.start()
    }

    func begins(_ gesture: RandomHand.Gesture, _ number: Int) {
        lock.withLock {
            (what, since) = ("\(number): \(gesture)", processorSeconds(CLOCK_PROCESS_CPUTIME_ID))
        }
    }

    func end() { lock.withLock { isOver = true } }

    private func watch() {
        while true {
            Thread.sleep(forTimeInterval: 0.1)
            let (hung, over) = lock.withLock {
                // Other tests run in this process too.
                (processorSeconds(CLOCK_PROCESS_CPUTIME_ID) - since > 120 ? what : nil, isOver)
            }
            if over { return }
            if let hung { fatalError("seed \(seed) hangs at gesture \(hung)") }
        }
    }
}
