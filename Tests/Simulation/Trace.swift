import TableHash

/// The trace, line by line: the latest lines for whoever has to find a reason, and a hash of
/// all of them, by which two runs of one seed are held against each other.
final class Trace {
    private(set) var hash: UInt64 = 0
    private(set) var count = 0
    private var lines: [String] = []
    private static let most = 60
    /// Told of each line, where somebody wants to see all.
    var onLine: ((String) -> Void)?

    func note(_ line: String) {
        hash = XXH64.hash(Array(line.utf8), seed: hash)
        count += 1
        lines.append(line)
        if lines.count > 2 * Self.most { lines.removeFirst(Self.most) }
        onLine?(line)
    }

    /// For those who see all: what takes long to say, and says nothing new.
    func detail(_ line: @autoclosure () -> String) { onLine?("    " + line()) }

    var latest: ArraySlice<String> { lines.suffix(Self.most) }
}
