import Observation
import TableModel
import TableSync

guard CommandLine.arguments.count == 2 else { fatalError("usage: board-model TABLE < texts") }
let model = BoardModel(TableID(CommandLine.arguments[1])) {
    print("→", $0.replacing("\n", with: " "))
}

/// Prints what a view would show, whenever the model says that it is another.
@MainActor func show() {
    let isLive = model.freshness == .live
    let rows = model.rows.map { "\($0.title) at \(Int($0.y)), \(Int($0.height)) high" }
    print(isLive ? "live:" : "not live:", rows.joined(separator: "; "))
}

var nowMs: UInt64 = 1
model.opened(as: "p-1", at: 1, nowMs: nowMs)
while let line = readLine() {
    nowMs += 10
    nonisolated(unsafe) var isAnother = false
    withObservationTracking {
        _ = (model.rows, model.freshness)
    } onChange: {
        isAnother = true
    }
    let isPublication = line.hasPrefix("pub ")
    let parts = line.split(separator: " ", maxSplits: isPublication ? 2 : 1)
    if parts.first == "add" {
        model.perform(Command(.add(.init(.init(title: String(parts.last ?? ""))))))
    } else if let body = parts.last {
        model.heard(parts.dropLast().joined(separator: " ") + "\n" + body, nowMs: nowMs)
    }
    if isAnother { show() }
}
