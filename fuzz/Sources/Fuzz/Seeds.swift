import Glibc
import TableDecisions
import TableModel
import TableSync
import TableWire

/// The inputs to begin with besides those in fuzz/corpus: small valid messages, as the unit tests make
/// them up. `make -C fuzz programs` writes them.
enum Seeds {
    /// Kinds with actions, states and a strip.
    static let kinds = """
        kinds:
          ticket:
            height: 76
            states: [collapsed, {name: summary, height: 140}, expanded]
            tap: {set: {seen: "yes"}}
            leading:
              actions: [{id: recall, title: Recall, effect: [{set: {state: x}}, {expand: collapsed}]}]
            trailing:
              fullSwipe: true
              actions:
                - {id: bump, title: Bump, effect: [{set: {state: y}}, {move: {section: s, top: true}}]}
                - {id: page, title: Page, effect: [{invoke: {deadline: 30}}]}
                - {id: void, title: Void, confirm: true, effect: {remove: true}}
          notice: {height: 40, states: [collapsed], canMove: false, canDelete: false, pinned: true}
          courses: {height: 92, states: [collapsed], strip: true, tap: {set: {fired: "yes"}}}
        table: {swipePolicy: exclusive, expandPolicy: accordionSection, scrollScope: shared}

        """

    /// Writes some for each target that reads bytes of a form.
    static func write(to directory: String) {
        var generator = Generator(seed: 6)
        mkdir(directory, 0o755)
        restores(to: directory)
        behalves(to: directory)
        for index in 0..<100 {
            for (form, name) in [(Form.json, "json"), (.binary, "proto")] {
                let request = Encode.request(generator.request(), form: form)
                save(request, "\(directory)/request-\(name)", index)
                // Most of a snapshot's are too long.
                for more in 0..<4 {
                    let reply = Encode.reply(generator.reply(), form: form)
                    save(reply, "\(directory)/reply-\(name)", 4 * index + more)
                }
                save(
                    Encode.publication(generator.publication(), form: form),
                    "\(directory)/publication-\(name)", index)
                let presence = Encode.presence(generator.presence(), form: form)
                save(presence, "\(directory)/presence-\(name)", index)
            }
            let inverse = WireCodec().encode(generator.list { $0.backOp() })
            save(inverse, "\(directory)/inverse", index)
            save(Encode.entry(generator.entry()), "\(directory)/entry", index)
            save(Encode.checkpoint(generator.checkpointPart()), "\(directory)/checkpoint", index)
            let change = ChangeDocument(
                table: "t", epoch: furnished.history, diff: generator.diff())
            let line = Encode.sessionLine(.change(change, atMs: 5))
            save(Array(line.utf8), "\(directory)/session", index)
            save(Array(Encode.document(change).utf8), "\(directory)/documents", index)
        }
        let nearlyEveryWriters: [Command.Verb] = [
            .move(["a"], section: nil, .before("b"), .rebase), .remove(["a"]), .expand("a", nil),
            .move(["a"], section: nil, .after("b"), .rebase), .set("a", .init(title: "T")),
            .add(.init(id: "n", .init(title: "N", fields: [.init("k", "v")]), at: .before("a"))),
            .add(.init(id: "n", .init(title: "N"), section: "s", at: .top)),
        ]
        for (index, verb) in nearlyEveryWriters.enumerated() {
            let request = Request(
                client: "c", number: 7, opened: 3, table: "t", .command(Command(verb)))
            save(Encode.request(request, form: .binary), "\(directory)/request-proto", 100 + index)
        }
    }

    /// With a role and without, for all tables and for some.
    private static func behalves(to directory: String) {
        for (form, name) in [(Form.json, "json"), (.binary, "proto")] {
            for (index, role) in ["", "operator"].enumerated() {
                let tables: [String]? = index == 0 ? nil : ["board", "kitchen*"]
                guard let made = try? Behalf(name: "grill", role: role, tables: tables) else {
                    continue
                }
                save(Encode.behalf(made, form: form), "\(directory)/behalf-\(name)", index)
            }
        }
    }

    /// A small table in parts, the same in a file, and parts that say anything.
    private static func restores(to directory: String) {
        var generator = Generator(seed: 7)
        let empty = Table(name: "t", history: furnished.history)
        let small = empty.copy()
        let added = reduce(
            Command(.add(.init(id: "a", .init(title: "A")))), on: small, limits: Limits(), nowMs: 1)
        if case .success(let plan) = added { _ = small.apply(plan, cause: Cause(verb: "add")) }
        for (index, table) in [furnished, empty, small].enumerated() {
            let whole = captured(table)
            var writer = BackupWriter()
            let file = writer.beginning + whole.flatMap { writer.part($0) }
            save(file + writer.end, "\(directory)/backup-file", index, atMost: 1_024)
            save(framed(whole), "\(directory)/parts", index, atMost: 1_024)
            let line = Encode.sessionLine(
                .state(SessionState(table, epoch: table.history, atMs: 5)))
            save(Array(line.utf8), "\(directory)/session", 100 + index, atMost: 1_024)
        }
        for index in 3..<100 {
            let part = WireCodec().encode(generator.checkpointPart())
            save(framed([captured(empty)[0], part]), "\(directory)/parts", index)
        }
    }

    private static func captured(_ table: Table) -> [[UInt8]] {
        table.captured().map { WireCodec().encode($0.part) }
    }

    private static func framed(_ parts: [[UInt8]]) -> [UInt8] {
        parts.flatMap { [UInt8($0.count & 255), UInt8($0.count >> 8)] + $0 }
    }

    private static func save(
        _ bytes: [UInt8], _ directory: String, _ index: Int, atMost: Int = 512
    ) {
        guard bytes.count <= atMost else { return }
        mkdir(directory, 0o755)
        let file = open("\(directory)/\(index)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { return }
        _ = Glibc.write(file, bytes, bytes.count)
        close(file)
    }
}
