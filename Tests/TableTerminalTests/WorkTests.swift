import TableModel
import TableSync
import Testing

@testable import TableTerminal

/// Pauses, rows that are put off, and the history of a row.
struct WorkTests {
    private func stage() throws -> Stage {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24)
        stage.type("g")
        return stage
    }

    @Test func workIsPausedAndGoesOn() throws {
        let stage = try stage()
        stage.type(":pause grill no gas\r")
        let grill = Pause.Scope(section: "grill")
        #expect(stage.wishes.last == .command(.pause(grill, note: "no gas")))
        stage.type(":pause all\r")
        #expect(stage.wishes.last == .command(.pause(.init(), note: "")))
        stage.type(":resume grill\r")
        #expect(stage.wishes.last == .command(.pause(grill, note: nil)))
        stage.type(":resume\r")
        #expect(stage.wishes.last == .command(.pause(.init(), note: nil)))
        let count = stage.wishes.count
        stage.type(":pause nowhere\r")
        #expect(stage.screen.contains(":pause all, or the id of a section"))
        stage.type(":resume nowhere\r")
        #expect(stage.screen.contains("There is no section nowhere."))
        #expect(stage.wishes.count == count)
    }

    @Test(
        arguments: [
            ("45m", 2_700_000), ("1h30m", 5_400_000), ("90s", 90_000), ("2d", 172_800_000),
            ("", nil), ("m", nil), ("10", nil), ("10x", nil), ("999999d", nil), ("-5m", nil),
            ("9999999s", nil), ("0m", nil), ("5m5", nil),
        ] as [(String, UInt64?)])
    func howLong(_ text: String, _ ms: UInt64?) {
        #expect(Board.duration(text) == ms)
    }

    @Test func rowsArePutOff() throws {
        let stage = try stage()
        stage.type("vv:snooze 1h30m\r")
        #expect(
            stage.wishes.last == .command(.snooze(["t1", "t2"], .init(.after(5_400_000)))))
        let one = try self.stage()
        one.type(":snooze 14:30\r")
        guard case .command(.snooze(let rows, let end?), _) = one.wishes.last,
            case .after(let wait) = end.end
        else { return #expect(Bool(false), "\(one.wishes)") }
        let wakes = UInt64(Int64(one.board.timeMs + wait) + Int64(one.board.zoneSeconds) * 1_000)
        #expect(rows == ["t1"] && wakes / 60_000 % 1_440 == 14 * 60 + 30)
        #expect(1...86_400_000 ~= wait)
        for wrong in ["", "25:00", "14:60", "14:3:0", ":", "1e9:00"] {
            let count = one.wishes.count
            one.type(":snooze \(wrong)\r")
            #expect(one.wishes.count == count && one.screen.contains("as in :snooze 45m"))
        }
    }

    /// A machine without a battery begins at 1970, which is in 1969 west of Greenwich.
    @Test(arguments: [(-18_000, 19), (0, 0), (32_400, 9), (-43_200, 12)])
    func aClockThatWasNotSet(zoneSeconds: Int, hour: Int) throws {
        let stage = Stage(try Tables.kitchen(), width: 80, height: 24, zoneSeconds: zoneSeconds)
        stage.send(.tick(nowMs: 60_000))
        stage.type("g:history\r")
        stage.send(.story("t1", [Told(text: "added", who: "", atMs: 60_000)]))
        let time = (hour < 10 ? "0" : "") + "\(hour):01"
        #expect(stage.screen.contains(time), "\(stage.screen)")
        stage.type("\u{1B}:snooze 12:00\r")
        guard case .command(.snooze(_, let end?), _) = stage.wishes.last,
            case .after(let wait) = end.end
        else { return #expect(Bool(false), "\(stage.wishes)") }
        let minutes = (12 * 60 - hour * 60 - 1 + 1_440) % 1_440
        #expect(wait == UInt64(minutes == 0 ? 1_440 : minutes) * 60_000)
    }

    @Test func whatHappenedToARow() throws {
        let stage = try stage()
        stage.type(":history\r")
        #expect(stage.wishes.last == .story("t1"))
        #expect(stage.screen.contains("One moment"))
        let told = [
            Told(text: "ana claimed it", who: "ana", atMs: 1_000, isUndone: true),
            Told(text: "added", who: "", atMs: 0),
        ]
        stage.send(.story("t2", told))
        #expect(!stage.screen.contains("ana claimed"), "that is of another row")
        stage.send(.story("t1", told))
        #expect(stage.screen.contains("ana claimed it · ana · taken back"))
        stage.type("j\u{1B}")
        stage.send(.story("t1", told))
        #expect(!stage.screen.contains("ana claimed it"), "it was closed")
    }

    @Test func whoEdits() throws {
        let stage = try stage()
        stage.send(.editedBefore("kim"))
        #expect(!stage.screen.contains("everybody, by"))
        try stage.perform(.edit(true))
        stage.send(.editedBefore("kim"))
        #expect(stage.screen.contains("EDIT: everybody, by kim"))
    }
}
