/// The known key that a misspelt one most likely means: at most a third of its letters differ.
public func nearest(to key: String, among known: [String]) -> String? {
    guard key.utf8.count <= 64 else { return nil }
    let scored = known.map { (key: $0, distance: distance(key.lowercased(), $0.lowercased())) }
    guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, best.key.count / 3) ? best.key : nil
}

/// How many letters must be added, left out, changed or exchanged with their neighbour.
private func distance(_ a: String, _ b: String) -> Int {
    let a = Array(a)
    let b = Array(b)
    var before: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
                best = min(best, before[j - 1] + 1)
            }
            row.append(best)
        }
        before = last
        last = row
    }
    return last[b.count]
}
