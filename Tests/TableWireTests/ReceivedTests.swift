import TableModel
import TableSync
import TableWire
import Testing

/// What a viewer receives is read as strictly: to skip what is not known would be to diverge.
@Suite("Errors in what is received")
struct ReceivedTests {
    static func diff(_ op: String) -> String {
        #"{"base":1,"digest":"00000000000000ff","cause":{"verb":"x"},"ops":[\#(op)]}"#
    }

    static let diffRows: [(json: String, field: String?)] = [
        ("{", nil),
        (#"{"base":1}"#, "digest"),
        (#"{"digest":"00000000000000FF"}"#, "digest"),
        (#"{"digest":"0ff"}"#, "digest"),
        (#"{"digest":"00000000000000ff","cause":{"client":""}}"#, "cause.client"),
        (diff("{}"), "ops[0]"),
        (diff(#"{"teleport":{"row":"r"}}"#), "ops[0]"),
        (diff(#"{"remove":{}}"#), "ops[0].remove.row"),
        (diff(#"{"insert":{"section":"s"}}"#), "ops[0].insert.row.id"),
        (diff(#"{"insert":{"row":{"id":"r"},"section":"s"}}"#), "ops[0].insert.row.kind"),
        (diff(#"{"insert":{"row":{"id":"r","kind":"k"}}}"#), "ops[0].insert.after"),
        (
            diff(#"{"insert":{"row":{"id":"r","kind":"k","expand":"inf"},"after":"s"}}"#),
            "ops[0].insert.row.expand"
        ),
        (
            diff(#"{"insert":{"row":{"id":"r","kind":"k","swipe":""},"after":"s"}}"#),
            "ops[0].insert.row.swipe"
        ),
        (diff(#"{"move":{"after":"r"}}"#), "ops[0].move.rows"),
        (diff(#"{"move":{"rows":["a",""],"after":"r"}}"#), "ops[0].move.rows[1]"),
        (diff(#"{"move":{"rows":["a"]}}"#), "ops[0].move.after"),
        (diff(#"{"set":{}}"#), "ops[0].set.row"),
        (diff(#"{"swipe":{"row":"r","edge":"up"}}"#), "ops[0].swipe.edge"),
        (diff(#"{"expand":{"row":"r"}}"#), "ops[0].expand.state"),
        (diff(#"{"expand":{"row":"r","state":"nan"}}"#), "ops[0].expand.state"),
        (
            diff(#"{"claim":{"row":"r","claim":{"holder":"h","ttl":"Infinity"}}}"#),
            "ops[0].claim.claim.ttl"
        ),
        (diff(#"{"swap":{"a":"a"}}"#), "ops[0].swap.b"),
        (diff(#"{"insertSection":{}}"#), "ops[0].insertSection.id"),
        (diff(#"{"insertSection":{"id":"s","after":""}}"#), "ops[0].insertSection.after"),
        (diff(#"{"removeSection":{}}"#), "ops[0].removeSection.id"),
        (diff(#"{"setSection":{}}"#), "ops[0].setSection.id"),
        (
            diff(#"{"define":{"kinds":[{"id":"k","margins":{"text":"NaN"}}]}}"#),
            "ops[0].define.kinds[0].margins.text"
        ),
        (
            diff(#"{"define":{"kinds":[{"id":"k","digest":"0000000000000000"}]}}"#),
            "ops[0].define.kinds[0].digest"
        ),
        (
            diff(#"{"define":{"settings":{"swipeScope":"x"}}}"#),
            "ops[0].define.settings.swipeScope"
        ),
    ]

    @Test(arguments: diffRows)
    func diffs(json: String, field: String?) throws {
        let error = try #require(throws: WireError.self) {
            try decodeDiff(Array(json.utf8), .json).get()
        }
        #expect(error.field == field)
    }

    static let e = GoldenTests.e
    static let publicationRows: [(json: String, field: String?)] = [
        (#"{}"#, "table"),
        (#"{"table":"t"}"#, "epoch"),
        (#"{"table":"t","epoch":"\#(e)","history":"x"}"#, "history"),
        (#"{"table":"t","epoch":"\#(e)","heartbeat":{}}"#, "history"),
        (#"{"table":"t","epoch":"\#(e)","history":"\#(e)","heartbeat":{}}"#, "heartbeat.digest"),
        (
            #"{"table":"t","epoch":"\#(e)","history":"\#(e)","welcome":{"revision":1}}"#,
            "welcome.digest"
        ),
        (
            #"{"table":"t","epoch":"\#(e)","history":"\#(e)","diffs":[\#(diff("{}"))]}"#,
            "diffs[0].ops[0]"
        ),
    ]

    @Test(arguments: publicationRows)
    func publications(json: String, field: String?) throws {
        let error = try #require(throws: WireError.self) {
            try decodePublication(Array(json.utf8), .json).get()
        }
        #expect(error.field == field)
    }

    /// Found by the fuzzer: what is no number would have been the time that a lease lasts.
    @Test func aLeaseWhoseTimeIsNoNumberIsRefused() {
        let json =
            #"{"table":"t","epoch":"\#(Self.e)","leases":{"leases":"#
            + #"[{"lease":"l","holder":"h","rows":["r"],"ttl":"NaN"}]}}"#
        let error = #expect(throws: WireError.self) {
            try Array(json.utf8).withUnsafeBytes { try Decode.presence($0, form: .json) }
        }
        #expect(error?.field == "leases.leases[0].ttl")
    }

    static let replyRows: [(json: String, field: String?)] = [
        (#"{"ok":true}"#, "epoch"),
        (#"{"epoch":"\#(e)"}"#, "error"),
        (#"{"epoch":"\#(e)","ok":true,"error":{"code":"exists"}}"#, "ok"),
        (#"{"epoch":"\#(e)","ok":true,"history":""}"#, "history"),
        (#"{"epoch":"\#(e)","ok":true,"rows":[{}]}"#, "rows[0].row"),
        (
            #"{"epoch":"\#(e)","ok":true,"rows":[{"row":"r","index":18446744073709551615}]}"#,
            "rows[0].index"
        ),
        (#"{"epoch":"\#(e)","ok":true,"hello":{}}"#, "hello.protocol"),
        (#"{"epoch":"\#(e)","ok":true,"hello":{"protocol":2}}"#, "hello.protocol"),
        (#"{"epoch":"\#(e)","ok":true,"tables":{"tables":[{}]}}"#, "tables.tables[0].table"),
        (#"{"epoch":"\#(e)","ok":true,"snapshot":{}}"#, "snapshot.digest"),
        (#"{"epoch":"\#(e)","ok":true,"standing":{"relation":"near"}}"#, "standing.relation"),
        (#"{"epoch":"\#(e)","ok":true,"replay":{}}"#, "replay.publication.table"),
        (
            #"{"epoch":"\#(e)","ok":true,"health":{"rows":18446744073709551615}}"#,
            "health.rows"
        ),
    ]

    @Test(arguments: replyRows)
    func replies(json: String, field: String?) throws {
        let error = try #require(throws: WireError.self) {
            try decodeReply(Array(json.utf8), .json).get()
        }
        #expect(error.field == field)
        #expect(error.description.contains(error.message))
    }

    /// A kind without a digest is taken as it is: other programs may write one.
    @Test func aCodeOfANewerDaemonIsARefusalAllTheSame() throws {
        let json = #"{"epoch":"\#(Self.e)","error":{"code":"overripe","message":"Too late."}}"#
        let reply = try decodeReply(Array(json.utf8), .json).get()
        guard case .refused(let rejection) = reply.answer else {
            Issue.record("not a refusal")
            return
        }
        #expect(rejection.code == .unrecognized)
        #expect(rejection.message == "overripe: Too late.")
    }

    @Test func kindWithoutDigest() throws {
        let json = Self.diff(#"{"define":{"kinds":[{"id":"k"}]}}"#)
        let diff = try decodeDiff(Array(json.utf8), .json).get()
        #expect(diff.ops == [.define(Command.Definitions(kinds: [Kind("k")]))])
    }
}
