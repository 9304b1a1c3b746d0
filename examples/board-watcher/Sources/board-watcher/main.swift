import Glibc
import TableClient

guard CommandLine.arguments.count == 3 else {
    print("usage: board-watcher ENDPOINT TABLE")
    exit(64)
}
let client = try Client(CommandLine.arguments[1])
let follower = try Follower(TableID(CommandLine.arguments[2]), client: client)

@MainActor func say(_ text: String) {
    print(text)
    fflush(nil)
}

/// One word for how fresh the replica is.
@MainActor func state() -> String {
    switch follower.freshness {
    case .live: "live"
    case .absent: "no such table"
    case .connecting: "connecting"
    case .stale, .disconnected: "stale"
    }
}

var said = ""
while true {
    for step in try follower.next(withinMilliseconds: 1_000) {
        guard let table = follower.replica.table else { continue }
        switch step {
        case .installed: say("revision \(table.revision): \(table.count) rows")
        case .applied(let diff): say("revision \(diff.revision): \(follower.sentence(about: diff))")
        case .compared(let relation): say("after a restart: \(relation)")
        case .mismatch(let what): say("wrong, and mended: \(what)")
        default: break
        }
    }
    if state() != said { say(state()) }
    said = state()
}
