import TableClient
import TableTransport

/// The output of a handler. It never waits for its reader: lines that do not fit are left out and counted.
final class HandleOutput {
    private let results = LineOutput(1)
    private let errors = LineOutput(2)

    var isBroken: Bool { results.code != 0 }

    /// The reason why results were not printed; nil: they were.
    var unwritable: Failure? {
        isBroken ? Output.unwritable(results.code) : results.isEmpty ? nil : Output.untaken
    }

    func print(_ line: String) { results.add(line: line) }

    func complain(_ text: String) { errors.add(line: text.shown) }

    func pass(_ bytes: ArraySlice<UInt8>) { errors.add(bytes) }

    /// Writes what is taken now, and says what was left out.
    func flush() {
        results.flush()
        errors.flush()
        tell(results.takeLeftOut(), "of results ")
        tell(errors.takeLeftOut(), "")
    }

    private func tell(_ lines: Int, _ what: String) {
        guard lines > 0 else { return }
        let were = lines == 1 ? "1 line \(what)was" : "\(lines) lines \(what)were"
        complain("trestle: \(were) left out: nobody took what was printed")
    }

    /// Waits for the reader, but for a second only once it `isUrgent`.
    func finish(isUrgent: () -> Bool) {
        var end: Deadline?
        func goesOn() -> Bool {
            if end == nil, isUrgent() { end = Deadline(inMilliseconds: 1_000) }
            return end?.hasPassed != true
        }
        results.finish(while: goesOn)
        flush()
        errors.finish(while: goesOn)
    }
}
