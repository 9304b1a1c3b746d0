import TableModel
import TableSync
import TableWire
import Testing

/// Diffs, publications and the documents of the command line, to the letter.
@Suite("Golden diffs")
struct GoldenDiffTests {
    static let ops: [(Op, String)] = [
        (
            .insert(Row(id: "r", content: Row.Content()), .top("main")),
            #"{"insert":{"row":{"id":"r","kind":"row","title":"","createdMs":0,"#
                + #""expand":"collapsed","swipe":"closed"},"section":"main"}}"#
        ),
        (.remove("r"), #"{"remove":{"row":"r"}}"#),
        (.remove("r", hint: .left), #"{"remove":{"row":"r","hint":"left"}}"#),
        (
            .insert(Row(id: "r", content: Row.Content()), .after("a"), hint: .none),
            #"{"insert":{"row":{"id":"r","kind":"row","title":"","createdMs":0,"#
                + #""expand":"collapsed","swipe":"closed"},"after":"a","hint":"none"}}"#
        ),
        (.mark("r", .row), #"{"mark":{"row":"r","selected":{}}}"#),
        (.mark("r", .item("i")), #"{"mark":{"row":"r","selected":{"item":"i"}}}"#),
        (.mark("r", nil), #"{"mark":{"row":"r"}}"#),
        (.move(["a", "b"], .after("c")), #"{"move":{"rows":["a","b"],"after":"c"}}"#),
        (.set("r", Command.Changes(title: "")), #"{"set":{"row":"r","title":""}}"#),
        (.swipe("r", nil), #"{"swipe":{"row":"r","edge":"closed"}}"#),
        (.expand("r", .height(80.5)), #"{"expand":{"row":"r","state":"80.5"}}"#),
        (.swap("a", "b"), #"{"swap":{"a":"a","b":"b"}}"#),
        (
            .insertSection("s", title: "", after: nil),
            #"{"insertSection":{"id":"s","title":""}}"#
        ),
        (
            .rest(.init(revision: 7, index: 0), .init("no", dueMs: 5)),
            #"{"rest":{"invocation":"7.0","failure":{"reason":"no","dueMs":5}}}"#
        ),
        (.rest(.init(revision: 7, index: 0), nil), #"{"rest":{"invocation":"7.0"}}"#),
        (.removeSection("s"), #"{"removeSection":{"id":"s"}}"#),
        (.setSection("s", title: "T"), #"{"setSection":{"id":"s","title":"T"}}"#),
        (.define(Command.Definitions(dropped: ["k"])), #"{"define":{"drop":["k"]}}"#),
    ]

    @Test(arguments: ops)
    func diff(op: Op, json: String) {
        let diff = Diff(
            base: 0, digest: 255, cause: Cause(client: "c", number: 0, verb: "move"), ops: [op])
        let text = String(decoding: Encode.diff(diff, form: .json), as: UTF8.self)
        #expect(
            text == #"{"base":0,"digest":"00000000000000ff","#
                + #""cause":{"client":"c","number":0,"verb":"move"},"ops":[\#(json)]}"#)
    }

    @Test func publications() {
        let (history, epoch) = (GoldenTests.history, GoldenTests.epoch)
        let (h, e, zero) = (GoldenTests.h, GoldenTests.e, GoldenTests.zero)
        let diff = Diff(base: 0, digest: 0, cause: Cause(verb: "remove"), ops: [.remove("r")])
        let head = Head(revision: 0, digest: 0, oldest: 0)
        #expect(
            GoldenTests.text(
                Publication(table: "t", history: history, epoch: epoch, timeMs: 0, diffs: [diff]))
                == #"{"table":"t","history":"\#(h)","epoch":"\#(e)","timeMs":0,"diffs":[{"#
                + #""base":0,"digest":"\#(zero)","cause":{"verb":"remove"},"#
                + #""ops":[{"remove":{"row":"r"}}]}]}"#)
        #expect(
            GoldenTests.text(
                Publication(
                    table: "t", history: history, epoch: epoch, timeMs: 7, heartbeat: head))
                == #"{"table":"t","history":"\#(h)","epoch":"\#(e)","timeMs":7,"#
                + #""heartbeat":{"revision":0,"digest":"\#(zero)","oldest":0}}"#)
        #expect(
            GoldenTests.text(Publication(table: "t", history: nil, epoch: epoch, isWelcome: true))
                == #"{"table":"t","epoch":"\#(e)","welcome":{}}"#)
        #expect(
            GoldenTests.text(
                Publication(table: "t", history: history, epoch: epoch, isDropped: true))
                == #"{"table":"t","history":"\#(h)","epoch":"\#(e)","dropped":{}}"#)
    }

    @Test func documents() throws {
        let (h, e) = (GoldenTests.h, GoldenTests.e)
        let row = Row(id: "r", content: Row.Content(title: "T", fields: [.init("k", "v")]))
        let json =
            #"{"id":"r","kind":"row","section":"main","index":0,"title":"T","#
            + #""fields":{"k":"v"},"version":0,"createdMs":0,"expand":"collapsed","#
            + #""swipe":"closed"}"#
        #expect(Encode.document(row, section: "main", index: 0) == json)

        let table = Table(name: "t", history: GoldenTests.history)
        try table.appendSection("main", title: "")
        try table.appendRow(row, to: "main")
        #expect(
            Encode.document(StateDocument(table, epoch: GoldenTests.epoch))
                == #"{"table":"t","history":"\#(h)","epoch":"\#(e)","revision":0,"#
                + #""digest":"\#(table.digest.lowerHex)","#
                + #""sections":[{"id":"main","title":"","rows":1}],"rows":[\#(json)]}"#)

        let diff = Diff(
            base: 0, digest: 255, cause: Cause(client: "c", number: 1, verb: "remove"),
            ops: [.remove("r")])
        #expect(
            Encode.document(ChangeDocument(table: "t", epoch: GoldenTests.epoch, diff: diff))
                == #"{"table":"t","epoch":"\#(e)","base":0,"revision":1,"#
                + #""digest":"00000000000000ff","#
                + #""cause":{"client":"c","number":1,"verb":"remove"},"#
                + #""ops":[{"remove":{"row":"r"}}]}"#)
    }

    /// Goal 5: a move costs each viewer at most 64 bytes.
    @Test func sizes() {
        let diff = Diff(
            base: 100_000, digest: .max,
            cause: Cause(client: "client-8", number: 1_000, verb: "move"),
            ops: [.move(["row-42"], .after("row-17"))])
        #expect(Encode.diff(diff, form: .binary).count == 54)

        let landing = Landing(
            row: "row-42", section: "main", index: 17, after: "row-17", version: 99_000)
        let reply = Reply(
            client: "client-8", number: 1_000, table: "inbox", history: GoldenTests.history,
            epoch: GoldenTests.epoch, revision: 100_001, .done(rows: [landing], unchanged: false))
        #expect(Encode.reply(reply, form: .binary).count == 124)
    }

    /// In binary what is at its default is left out; what is absent and zero stays apart.
    @Test func binaryDefaults() {
        let plain = Diff(
            base: 0, digest: 0, cause: Cause(verb: "add"),
            ops: [.insert(Row(id: "r", content: Row.Content()), .top("s"))])
        #expect(
            Encode.diff(plain, form: .binary) == [26, 5, 26, 3] + Array("add".utf8)
                + [34, 15, 10, 13, 10, 8, 10, 1] + Array("r".utf8) + [18, 3] + Array("row".utf8)
                + [26, 1] + Array("s".utf8) + [41] + Array(repeating: 0, count: 8))
        let reply = Reply(epoch: GoldenTests.epoch, .done(rows: [], unchanged: false))
        #expect(
            Encode.reply(reply, form: .binary) == [8, 1, 50, 32] + Array(GoldenTests.e.utf8))
    }
}
