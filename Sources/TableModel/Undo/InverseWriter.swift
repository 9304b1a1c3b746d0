/// Takes the inverse of a frequent op, step by step: as ops, or as the bytes that a journal keeps. So
/// there is one rule for both, and the usual inverse is never ops.
package protocol InverseWriter: ~Copyable {
    mutating func remove(_ id: RowID)
    mutating func move(_ id: RowID, to place: Place)
    mutating func expand(_ id: RowID, _ state: Expansion)
    mutating func swipe(_ id: RowID, _ edge: Edge?)
    mutating func set(_ id: RowID, _ changes: Command.Changes)
    /// Sets the title, unless that is nil, and the field with this key, if there is one: no value means that
    /// the row has no such field. Texts are lent as UTF-8.
    mutating func set(
        _ id: RowID, title: UnsafeRawBufferPointer?, field key: ID?,
        _ value: UnsafeRawBufferPointer?)
    mutating func restore(_ id: RowID, _ traces: Traces)
}

/// Takes it as ops.
struct InverseOps: InverseWriter {
    private(set) var ops: [Op] = []

    mutating func remove(_ id: RowID) { ops.append(.remove(id)) }
    mutating func move(_ id: RowID, to place: Place) { ops.append(.move(.one(id), place)) }
    mutating func expand(_ id: RowID, _ state: Expansion) { ops.append(.expand(id, state)) }
    mutating func swipe(_ id: RowID, _ edge: Edge?) { ops.append(.swipe(id, edge)) }
    mutating func set(_ id: RowID, _ changes: Command.Changes) { ops.append(.set(id, changes)) }
    mutating func set(
        _ id: RowID, title: UnsafeRawBufferPointer?, field key: ID?,
        _ value: UnsafeRawBufferPointer?
    ) {
        let field = key.flatMap { key in value.map { Row.Field(key, String(packed: $0)) } }
        set(
            id,
            Command.Changes(
                title: title.map { String(packed: $0) }, fields: field.map { [$0] } ?? [],
                unset: field == nil ? key.map { [$0] } ?? [] : []))
    }
    mutating func restore(_ id: RowID, _ traces: Traces) { ops.append(.restore(id, traces)) }
}

extension Table {
    /// Hands over the inverse of an op that is not applied yet; false: it is none of the frequent ones,
    /// and nothing was handed over. An op on a row that is not there has an empty inverse.
    package func writeInverse(
        of op: borrowing Op, to writer: inout some InverseWriter & ~Copyable
    ) -> Bool {
        switch op {
        case .insert(let row, _, _): writer.remove(row.id)
        case .move(let ids, _):
            guard case .one(let id) = ids, let slot = slots[id], let place = place(of: slot)
            else { return false }
            writer.move(id, to: place)
            writer.restore(id, slot.withRow { Traces(of: $0) })
        case .set(let id, let changes):
            guard let row = row(id) else { return true }
            writeInverse(of: changes, on: row, to: &writer)
            writer.restore(id, Traces(of: row))
        case .swipe(let id, _):
            if let row = row(id) { writer.swipe(id, row.swipe) }
        case .expand(let id, _):
            if let slot = slots[id] { writer.expand(id, slot.withRow(\.expansion)) }
        case .perform(let id, _), .restore(let id, _):
            if let slot = slots[id] { writer.restore(id, slot.withRow { Traces(of: $0) }) }
        case .expandAll(let isOpen): writeInverse(ofExpandingAll: isOpen, to: &writer)
        case .remove, .swap, .item, .scroll, .claim, .mark, .select, .edit, .define,
            .insertSection, .removeSection, .setSection,
            .invoke, .take, .release, .finish, .invocation:
            return false
        }
        return true
    }
}

extension Table {
    private func writeInverse(
        of changes: Command.Changes, on row: Row, to writer: inout some InverseWriter & ~Copyable
    ) {
        guard changes.fields.count + changes.unset.count <= 1, changes.kind == nil,
            changes.actions == nil, changes.states == nil
        else { return writer.set(row.id, changes.inverse(on: row.content)) }
        // Nearly every change is a title or a field. Its texts need not be strings first.
        let key = changes.fields.first?.key ?? changes.unset.first
        let hasTitle = changes.title != nil
        row.content.withTexts { texts in
            var value: UnsafeRawBufferPointer?
            key?.withLetters { key in
                texts.forEachField { if $0.hasSameBytes(as: key) { value = $1 } }
            }
            writer.set(row.id, title: hasTitle ? texts.title : nil, field: key, value)
        }
    }
}
