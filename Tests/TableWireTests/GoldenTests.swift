import TableModel
import TableSync
import TableWire
import Testing

/// The texts that scripts and clients in other languages depend on, to the letter.
@Suite("Golden messages")
struct GoldenTests {
    static let history = ID128(high: 0x0001_0203_0405_0607, low: 0x0809_0A0B_0C0D_0E0F)
    static let epoch = ID128(high: .max, low: 1)
    static let h = "000102030405060708090a0b0c0d0e0f"
    static let e = "ffffffffffffffff0000000000000001"
    static let zero = "0000000000000000"

    static func text(_ request: Request) -> String {
        String(decoding: Encode.request(request, form: .json), as: UTF8.self)
    }

    static func text(_ answer: Reply.Answer) -> String {
        let reply = Reply(epoch: epoch, answer)
        return String(decoding: Encode.reply(reply, form: .json), as: UTF8.self)
    }

    static func text(_ publication: Publication) -> String {
        String(decoding: Encode.publication(publication, form: .json), as: UTF8.self)
    }

    @Test func headers() {
        #expect(Form.allCases.map(\.header) == ["trestle/1 proto", "trestle/1 json"])
        for form in Form.allCases {
            let parsed = Array(form.header.utf8).withUnsafeBytes { Header.form($0) }
            #expect(parsed == form)
        }
    }

    @Test func readingRequests() {
        #expect(Self.text(Request(.hello)) == #"{"hello":{}}"#)
        #expect(Self.text(Request(table: "t", .create)) == #"{"table":"t","create":{}}"#)
        #expect(
            Self.text(Request(table: "t", .snapshot(id: "s", chunk: 0)))
                == #"{"table":"t","snapshot":{"id":"s","chunk":0}}"#)
        #expect(
            Self.text(Request(table: "t", .replay(history: Self.history, since: 0)))
                == #"{"table":"t","replay":{"history":"\#(Self.h)","since":0}}"#)
        #expect(
            Self.text(
                Request(table: "t", .offer(history: Self.history, revision: 0, digest: 255)))
                == #"{"table":"t","offer":{"history":"\#(Self.h)","revision":0,"#
                + #""digest":"00000000000000ff"}}"#)
    }

    static let commands: [(Command.Verb, String)] = [
        (
            .add(Command.Add(id: "r", Row.Content(title: "T", fields: [.init("k", "v")]))),
            #""add":{"id":"r","kind":"row","title":"T","fields":{"k":"v"},"bottom":true}"#
        ),
        (
            .set("r", Command.Changes(title: "", kind: "k", unset: ["f"])),
            #""set":{"row":"r","title":"","unset":["f"],"kind":"k"}"#
        ),
        (.remove(["a", "b"]), #""remove":{"rows":["a","b"]}"#),
        (.remove(["a"], hint: .fade), #""remove":{"rows":["a"],"hint":"fade"}"#),
        (
            .add(Command.Add(id: "r", Row.Content(), hint: .top)),
            #""add":{"id":"r","kind":"row","title":"","bottom":true,"hint":"top"}"#
        ),
        (.mark("r", item: nil), #""mark":{"row":"r"}"#),
        (.mark("r", item: "i"), #""mark":{"row":"r","item":"i"}"#),
        (.mark(nil, item: nil), #""mark":{}"#),
        (
            .move(["a"], section: "s", .after("b"), .strict),
            #""move":{"rows":["a"],"section":"s","after":"b","strict":true}"#
        ),
        (.swap("a", "b"), #""swap":{"a":"a","b":"b"}"#),
        (.swipe("r", nil), #""swipe":{"row":"r","edge":"closed"}"#),
        (.swipe("r", .leading), #""swipe":{"row":"r","edge":"leading"}"#),
        (.expand("r", nil), #""expand":{"row":"r","toggle":true}"#),
        (.expand("r", .height(80)), #""expand":{"row":"r","to":"80"}"#),
        (
            .define(Command.Definitions(dropped: ["k"], settings: Settings())),
            #""define":{"drop":["k"],"table":{"swipePolicy":"exclusive","swipeScope":"shared","#
                + #""expandPolicy":"independent","digest":"f33a72af52251878",\#(motion)}}"#
        ),
        (.section("s", title: ""), #""section":{"id":"s","title":""}"#),
        (.removeSection("s"), #""removeSection":{"id":"s"}"#),
    ]

    @Test(arguments: commands)
    func command(verb: Command.Verb, json: String) {
        let request = Request(
            client: "c", number: 0, table: "t", .command(Command(verb, ifRevision: 0)))
        #expect(
            Self.text(request)
                == #"{"client":"c","number":0,"table":"t","command":{"ifRevision":0,\#(json)}}"#)
        let batch = Request(table: "t", .batch([Command(verb)], ifRevision: nil))
        #expect(Self.text(batch) == #"{"table":"t","batch":{"commands":[{\#(json)}]}}"#)
    }

    static let summary = TableSummary(
        table: "t", history: history, revision: 0, rows: 0, sections: 0, digest: 0, oldest: 0)
    static let row = Row(id: "r", content: Row.Content())
    static let kind =
        #"{"id":"row","height":60.0,"layout":"auto","margins":{"text":20.0,"bottom":40.0},"#
        + #""states":[{"name":"collapsed"},{"name":"expanded"}],"initial":"collapsed","#
        + #""strip":false,"canMove":true,"canDelete":true,"pinned":false,"#
        + #""digest":"\#(Kind("row").hash.lowerHex)"}"#

    /// Every value of the motion profile, as settings carry them (F1), by name.
    static let motion =
        #""motion":{"circular":0.5,"circularFirst":0.0,"drop":0.3,"expand":0.3,"face":0.0,"#
        + #""hidesLifted":1.0,"lift":0.3,"liftedAlpha":0.98,"liftedScale":1.05,"#
        + #""longPress":0.5,"shadowOpacity":0.4,"shadowRadius":5.0,"shadowX":-5.0,"#
        + #""shadowY":0.0}"#

    static let answers: [(Reply.Answer, String)] = [
        (
            .done(rows: [Landing(row: "r", section: "s", index: 0, version: 0)], unchanged: false),
            #""unchanged":false,"rows":[{"row":"r","section":"s","index":0,"version":0}]"#
        ),
        (
            .tables([summary]),
            #""tables":{"tables":[{"table":"t","history":"\#(h)","revision":0,"rows":0,"#
                + #""sections":0,"digest":"\#(zero)","oldest":0}]}"#
        ),
        (
            .kinds([Kind("row")], Settings()),
            #""kinds":{"kinds":[\#(kind)],"table":{"swipePolicy":"exclusive","#
                + #""swipeScope":"shared","expandPolicy":"independent","#
                + #""digest":"f33a72af52251878",\#(motion)}}"#
        ),
        (
            .snapshot(
                SnapshotChunk(
                    id: "s", revision: 0, digest: 0, chunk: 0, chunks: 1, rows: 1,
                    slices: [.init(section: "main", title: "", rows: [row])])),
            #""snapshot":{"id":"s","revision":0,"digest":"\#(zero)","chunk":0,"chunks":1,"#
                + #""rows":1,"slices":[{"section":"main","title":"","rows":[{"id":"r","#
                + #""kind":"row","title":"","version":0,"createdMs":0,"expand":"collapsed","#
                + #""swipe":"closed"}]}]}"#
        ),
        (
            .replay(Publication(table: "t", history: history, epoch: epoch), head: 0),
            #""replay":{"publication":{"table":"t","history":"\#(h)","epoch":"\#(e)"},"head":0}"#
        ),
        (
            .standing(Standing(.rolledBack, head: Head(revision: 0, digest: 0, oldest: 0))),
            #""standing":{"relation":"rolledBack","head":0,"digest":"\#(zero)","oldest":0}"#
        ),
        (
            .health(Health()),
            #""health":{"status":"ok","uptimeMs":0,"position":0,"tables":0,"rows":0}"#
        ),
        (.stats(Stats()), #""stats":{}"#),
        (
            .audit([
                AuditEntry(
                    .user(4), from: "pid:7", verb: "drop", table: "t", refusedAs: "notAllowed")
            ]),
            #""audit":{"entries":[{"number":0,"timeMs":0,"user":"4","uid":4,"from":"pid:7","#
                + #""verb":"drop","table":"t","outcome":"refused","code":"notAllowed"}]}"#
        ),
        (.check(CheckResult()), #""check":{"position":0,"entries":0,"checkpointParts":0}"#),
    ]

    @Test(arguments: answers)
    func answer(answer: Reply.Answer, json: String) {
        #expect(Self.text(answer) == #"{"ok":true,"epoch":"\#(Self.e)",\#(json)}"#)
    }

    @Test func hello() {
        var hello = Hello()
        hello.version = "1.0.0"
        #expect(
            Self.text(.hello(hello))
                == #"{"ok":true,"epoch":"\#(Self.e)","hello":{"protocol":1,"program":"trestled","#
                + #""version":"1.0.0","epoch":"\#(Self.e)","opened":0,"#
                + #""limits":{"requestBytes":1048576,"frames":8,"#
                + #""batchCommands":1000,"idBytes":128,"titleBytes":4096,"rowBytes":16384,"#
                + #""rows":1000000,"tables":1024,"sections":1024,"kinds":256,"fields":256,"#
                + #""sessions":10000,"repliesPerSession":64,"kindBytes":65536,"faceBytes":16384,"#
                + #""invocations":10000,"takenInvocations":64,"reasonBytes":1024,"#
                + #""holderTimeoutMs":5000,"items":1000,"stripBytes":65536,"#
                + #""kindsBytes":524288},"#
                + #""heartbeatMs":1000}}"#)
    }

    @Test func refusal() {
        var rejection = Rejection(.noSuchRow, "No \"r\".", field: "batch.commands.move.rows")
        rejection.command = 0
        #expect(
            Self.text(.refused(rejection))
                == #"{"ok":false,"epoch":"\#(Self.e)","error":{"code":"noSuchRow","#
                + #""message":"No \"r\".","field":"batch.commands.move.rows","command":0}}"#)
    }
}
