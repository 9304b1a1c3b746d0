internal import TableModel
internal import TableSync

// The messages of nearly every command, in binary, field by field. The bytes are the schema's, at a
// fraction of the cost of building its objects. Other messages go through the schema's objects
// (nil), so that only one place knows every field.

extension Encode {
    /// A diff.
    static func hot(_ diff: Diff) -> [UInt8] {
        FieldWriter.bytes { writer in
            writer.headOfDiff(base: diff.base, diff.cause)
            for op in diff.ops { writer.opOfDiff(op) }
            writer.endOfDiff(digest: diff.digest)
        }
    }

    /// The ops of an inverse in its journaled form.
    static func inverse(_ steps: [Op]) -> [UInt8] {
        FieldWriter.bytes { writer in
            for step in steps { writer.write(step: step) }
        }
    }

    /// The reply to a command that was accepted.
    static func hot(_ reply: Reply) -> [UInt8]? {
        guard case .done(let landings, let unchanged, let begun) = reply.answer else { return nil }
        return FieldWriter.bytes { writer in
            writer.head(
                client: reply.client, number: reply.number, table: reply.table,
                history: reply.history.map { FieldWriter.HexDigits($0) },
                epoch: FieldWriter.HexDigits(reply.epoch),
                revision: reply.revision, unchanged: unchanged)
            for landing in landings {
                writer.write(10) {
                    $0.landing(
                        of: landing.row, section: landing.section, index: landing.index,
                        after: landing.after, version: landing.version, note: landing.note)
                }
            }
            for one in begun {
                writer.write(11, WireInvocation(one, .binary, isWhole: true).bytes(.binary))
            }
        }
    }

}

extension FieldWriter {
    /// The reply to a command that was accepted, without a reply as a value: to this request, of these rows, as
    /// they are now. `history`: of the table, if the sender may know of it.
    mutating func reply(
        to request: Request, history: HexDigits?, epoch: HexDigits, unchanged: Bool,
        landing rows: Few<RowID>, notes: [RowID: String]?, in table: Table
    ) {
        head(
            client: request.client, number: request.number, table: request.table,
            history: history, epoch: epoch, revision: history == nil ? nil : table.revision,
            unchanged: unchanged)
        for row in rows {
            write(10) { $0.landing(of: row, in: table, note: notes?[row]) }
        }
    }
}

// What a diff consists of, in this order.
extension FieldWriter {
    mutating func headOfDiff(base: UInt64, _ origin: borrowing Cause) {
        if base != 0 { write(1, base) }
        let cause = open(3)
        if let client = origin.client { write(1, client) }
        if let number = origin.number { write(2, number) }
        if !origin.verb.isEmpty { write(3, origin.verb) }
        if let name = origin.name { write(4, name) }
        if origin.timeMs != 0 { write(5, origin.timeMs) }
        if let undoes = origin.undoes { write(6, undoes) }
        if let user = origin.user { write(7, user.id) }
        close(cause)
    }

    mutating func opOfDiff(_ op: borrowing Op) { write(4, op, isInverse: false) }

    mutating func endOfDiff(digest: UInt64) { write(5, fixed: digest) }
}

extension FieldWriter {
    /// Writes the fields before the landings of a reply.
    @inline(__always)  // Otherwise the ids are copied for the call.
    fileprivate mutating func head(
        client: ID?, number: UInt64?, table: TableID?, history: HexDigits?, epoch: HexDigits,
        revision: UInt64?, unchanged: Bool
    ) {
        write(1, 1)
        if let client { write(2, client) }
        if let number { write(3, number) }
        if let table { write(4, table) }
        if let history { history.write(5, to: &self) }
        epoch.write(6, to: &self)
        if let revision { write(7, revision) }
        if unchanged { write(8, 1) }
    }

    /// A `Landing`: where a row is now.
    fileprivate mutating func landing(of row: RowID, in table: Table, note: String?) {
        // As `Landing(of:in:note:)`.
        let isThere = table.withPosition(of: row) { found, section, index, before in
            landing(
                of: row, section: section.id, index: index, after: before?.id,
                version: found.version, note: note)
        }
        if !isThere { write(unlessEmpty: 1, row) }
    }

    @inline(__always)
    fileprivate mutating func landing(
        of row: RowID, section: SectionID?, index: Int?, after: RowID?, version: UInt64?,
        note: String?
    ) {
        write(unlessEmpty: 1, row)
        if let section { write(2, section) }
        if let index { write(3, UInt64(clamping: index)) }
        if let after { write(4, after) }
        if let version { write(5, version) }
        if let note { write(6, note) }
    }
}

extension Op {
    var isHot: Bool {
        switch self {
        case .move, .expand, .remove, .swipe, .insert, .perform, .restore: return true
        case .set(_, let changes): return changes.actions == nil && changes.states == nil
        case .swap, .item, .scroll, .select, .claim, .mark: return false
        case .expandAll, .edit, .define: return false
        case .insertSection, .removeSection, .setSection: return false
        case .invoke, .take, .release, .finish, .invocation: return false
        }
    }

    func writeHot(to writer: inout FieldWriter, isInverse: Bool) {
        switch self {
        case .insert(let row, let place, let hint):
            writer.write(1) { insert in
                insert.write(1, row, hasVersion: isInverse)
                insert.write(place)
                insert.write(hint)
            }
        case .remove(let id, let hint):
            writer.write(2) { remove in
                remove.write(unlessEmpty: 1, id)
                remove.write(hint)
            }
        case .move(let ids, let place):
            writer.write(3) { move in
                ids.forEach { move.write(1, $0) }
                move.write(place)
            }
        case .set(let id, let changes): writer.op(set: id, changes)
        case .swipe(let id, let edge): writer.op(swipe: id, edge)
        case .expand(let id, let state): writer.op(expand: id, state)
        case .restore(let id, let traces): writer.op(restore: id, traces)
        case .perform(let id, let performance):
            writer.write(12) { perform in
                perform.write(unlessEmpty: 1, id)
                perform.write(2) { $0.write(performance) }
            }
        case .swap, .item, .scroll, .select, .claim, .mark, .expandAll, .edit, .define,
            .insertSection, .removeSection, .setSection,
            .invoke, .take, .release, .finish, .invocation:
            preconditionFailure("only frequent ops come here")
        }
    }
}

extension FieldWriter {
    /// An op. The schema's objects write one that is rare, by itself: edit mode is one op, beside ten thousand
    /// swipes that it closes.
    mutating func write(_ field: UInt64, _ op: Op, isInverse: Bool) {
        if op.isHot {
            write(field) { op.writeHot(to: &$0, isInverse: isInverse) }
        } else {
            let rare = isInverse ? WireOp(back: op, .binary) : WireOp(op, .binary)
            write(field, rare.bytes(.binary))
        }
    }

    /// Where a row goes, in the message of a move or of an insertion.
    mutating func write(_ place: Place) {
        switch place {
        case .after(let id): write(2, id)
        case .top(let id): write(3, id)
        }
    }

    /// A `Performance`.
    mutating func write(_ performance: Performance) {
        write(unlessEmpty: 1, performance.action)
        write(2, performance.state.name)
        switch performance.state {
        case .pending(let id): write(4, id.text)
        case .done: break
        case .failed(let reason): write(3, reason)
        }
        if let item = performance.item { write(70, item) }
    }

    /// How a row comes or goes. Nearly always nothing is said of it.
    fileprivate mutating func write(_ hint: AnimationHint) {
        if hint != .automatic { write(50, hint.rawValue) }
    }

    /// An id that is left out if it is empty.
    mutating func write(unlessEmpty field: UInt64, _ id: ID) {
        if id.byteCount > 0 { write(field, id) }
    }

    /// A text field that is left out if it is empty.
    mutating func write(unlessEmpty field: UInt64, _ text: String) {
        if !text.isEmpty { write(field, text) }
    }
}
