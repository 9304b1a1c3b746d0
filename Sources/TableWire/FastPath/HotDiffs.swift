internal import TableModel
internal import TableSync

// Reads binary diffs field by field. Each rare op goes to the schema's reader by itself. A diff
// that is unusual otherwise goes to it as a whole (nil).

extension Decode {
    /// A diff in its journaled form.
    static func hotDiff(_ bytes: UnsafeRawBufferPointer) -> Diff? {
        var fields = PlainFields(bytes)
        guard let head = hotHead(&fields) else { return nil }
        var ops: [Op] = []
        while let content = fields.content(4) {
            guard let op = hotOp(content) else { return nil }
            ops.append(op.inDiff)
        }
        guard let digest = fields.fixed(5), fields.isAtEnd else { return nil }
        return Diff(base: head.base, digest: digest, cause: head.cause, ops: ops)
    }

    /// The ops of an inverse in its journaled form.
    static func hotInverse(_ bytes: UnsafeRawBufferPointer) -> [Op]? {
        var fields = PlainFields(bytes)
        var ops: [Op] = []
        while let content = fields.content(1) {
            guard let op = hotOp(content) else { return nil }
            ops.append(op)
        }
        return fields.isAtEnd ? ops : nil
    }

    /// A diff's outline for the log, without reading ops of the frequent kinds.
    static func hotOutline(_ bytes: UnsafeRawBufferPointer) -> DiffOutline? {
        var fields = PlainFields(bytes)
        guard let head = hotHead(&fields) else { return nil }
        while let content = fields.content(4) {
            guard isFrequent(content) else { return nil }
        }
        guard let digest = fields.fixed(5), fields.isAtEnd else { return nil }
        return DiffOutline(base: head.base, digest: digest, cause: head.cause)
    }

    /// Whether it is one of the frequent ops. None of them is a handler's or about a whole table.
    private static func isFrequent(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var step = PlainFields(bytes)
        for field: UInt64 in [1, 6, 3, 4, 2, 5, 12] where step.content(field) != nil {
            return step.isAtEnd
        }
        return false
    }

    private typealias Head = (base: UInt64, cause: Cause)

    private static func hotHead(_ fields: inout PlainFields) -> Head? {
        let base = fields.number(1) ?? 0
        guard let content = fields.content(3) else { return nil }
        var cause = PlainFields(content)
        let client = cause.id(1)
        let number = cause.number(2)
        let verb = cause.text(3) ?? ""
        let name = cause.id(4)
        let timeMs = cause.number(5) ?? 0
        let undoes = cause.number(6)
        let user = cause.id(7).map { ProvenID($0) }
        guard cause.isAtEnd else { return nil }
        return (
            base,
            Cause(
                client: client, number: number, verb: verb, name: name, timeMs: timeMs,
                undoes: undoes, user: user)
        )
    }
}

// MARK: Ops

extension Decode {
    static func hotOp(_ bytes: UnsafeRawBufferPointer) -> Op? {
        if let op = plainOp(bytes) { return op }
        return try? WireOp.parse(bytes, .binary, level: Level.op).read()
    }

    private static func plainOp(_ bytes: UnsafeRawBufferPointer) -> Op? {
        var op = PlainFields(bytes)
        var result: Op?
        if let content = op.content(1) {
            result = hotInsert(content)
        } else if let content = op.content(6) {
            var fields = PlainFields(content)
            guard let row = fields.id(1), let state = fields.content(2), fields.isAtEnd
            else { return nil }
            result = hotState(state).map { .expand(row, $0) }
        } else if let content = op.content(3) {
            result = hotMove(content)
        } else if let content = op.content(4) {
            result = hotSet(content)
        } else if let content = op.content(2) {
            var fields = PlainFields(content)
            guard let row = fields.id(1), fields.isAtEnd else { return nil }
            result = .remove(row)
        } else if let content = op.content(5) {
            var fields = PlainFields(content)
            guard let row = fields.id(1), let word = fields.content(2), fields.isAtEnd
            else { return nil }
            result = hotSwipe(word).map { .swipe(row, $0.edge) }
        } else if let content = op.content(26) {
            result = hotRestore(content)
        } else if let content = op.content(12) {
            var fields = PlainFields(content)
            guard let row = fields.id(1), let performance = hotPerformance(fields.content(2)),
                fields.isAtEnd
            else { return nil }
            result = .perform(row, performance)
        }
        return op.isAtEnd ? result : nil
    }

    private static func hotInsert(_ bytes: UnsafeRawBufferPointer) -> Op? {
        var fields = PlainFields(bytes)
        guard let content = fields.content(1), let row = plainRow(content),
            let place = hotPlace(&fields)
        else { return nil }
        return .insert(row, place)
    }

    private static func hotMove(_ bytes: UnsafeRawBufferPointer) -> Op? {
        var fields = PlainFields(bytes)
        guard let first = fields.id(1) else { return nil }
        var rows = Few.one(first)
        while let row = fields.id(1) { rows.append(row) }
        return hotPlace(&fields).map { .move(rows, $0) }
    }

    /// The place, if the message ends with one.
    private static func hotPlace(_ fields: inout PlainFields) -> Place? {
        var place: Place?
        if let after = fields.id(2) {
            place = .after(after)
        } else if let section = fields.id(3) {
            place = .top(section)
        }
        return fields.isAtEnd ? place : nil
    }

    private static func hotSet(_ bytes: UnsafeRawBufferPointer) -> Op? {
        var fields = PlainFields(bytes)
        guard let row = fields.id(1) else { return nil }
        let title = fields.text(2)
        guard let items = hotFields(3, of: &fields) else { return nil }
        var unset: [ID] = []
        while let key = fields.text(4) { unset.append(ID(key)) }
        let kind = fields.id(5)
        guard fields.isAtEnd else { return nil }
        return .set(
            row, Command.Changes(title: title, kind: kind, fields: items, unset: unset))
    }

    private static func hotRestore(_ bytes: UnsafeRawBufferPointer) -> Op? {
        var fields = PlainFields(bytes)
        guard let row = fields.id(1) else { return nil }
        let version = fields.number(2) ?? 0
        var performed: [Performance] = []
        while let content = fields.content(3) {
            guard let performance = hotPerformance(content) else { return nil }
            performed.append(performance)
        }
        let changedMs = fields.number(4) ?? 0
        let movedMs = fields.number(5) ?? 0
        guard fields.isAtEnd else { return nil }
        return .restore(
            row,
            Traces(
                version: version, performed: performed, changedMs: changedMs, movedMs: movedMs))
    }

    private static func hotPerformance(_ bytes: UnsafeRawBufferPointer?) -> Performance? {
        guard let bytes else { return nil }
        var fields = PlainFields(bytes)
        guard let action = fields.id(1), let word = fields.content(2) else { return nil }
        let state: Performance.State
        if word.holds("done") {
            state = .done
        } else if word.holds("failed") {
            state = .failed(fields.text(3) ?? "")
        } else {
            guard word.holds("pending"), let text = fields.text(4), let id = InvocationID(text)
            else { return nil }
            state = .pending(id)
        }
        let item = fields.id(70)
        return fields.isAtEnd ? Performance(action, on: item, state) : nil
    }
}
