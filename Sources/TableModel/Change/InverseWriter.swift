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
    /// Hands over the inverse of an op that is not applied yet, if the op is frequent, and returns nil; else
    /// returns the inverse. An op on a row that is not there has an empty one.
    package func writeInverse(
        of op: borrowing Op, to writer: inout some InverseWriter & ~Copyable
    ) -> [Op]? {
        switch op {
        case .insert(let row, _, _): writer.remove(row.id)
        case .remove(let id, _): return inverseOfRemoving(id)
        case .move(let ids, _):
            guard case .one(let id) = ids, let slot = slots[id], let place = place(of: slot)
            else { return inverseOfMoving(ids) }
            writer.move(id, to: place)
            writer.restore(id, slot.withRow { Traces(of: $0) })
        case .swap(let a, let b):
            return [.swap(a, b)] + [a, b].compactMap { row($0).map(traces) }
        case .set(let id, let changes):
            guard let row = row(id) else { return nil }
            writeInverse(of: changes, on: row, to: &writer)
            writer.restore(id, Traces(of: row))
        case .swipe(let id, _):
            if let row = row(id) { writer.swipe(id, row.swipe) }
        case .expand(let id, _):
            if let slot = slots[id] { writer.expand(id, slot.withRow(\.expansion)) }
        case .perform(let id, _), .restore(let id, _):
            if let slot = slots[id] { writer.restore(id, slot.withRow { Traces(of: $0) }) }
        case .expandAll(let isOpen): writeInverse(ofExpandingAll: isOpen, to: &writer)
        case .item(let id, let step):
            return row(id).map { inverse(of: [step], onItemsOf: $0) } ?? []
        case .scroll(let id, _): return row(id).map { [.scroll(id, $0.scroll)] } ?? []
        case .claim(let id, _): return row(id).map { [.claim(id, $0.claim)] } ?? []
        case .came(let id, _): return row(id).map { [.came(id, from: $0.cameFrom)] } ?? []
        case .sleep(let id, _): return row(id).map { [.sleep(id, $0.sleep)] } ?? []
        case .mark(let id, _): return row(id).map { [.mark(id, $0.selection)] } ?? []
        case .select: return []
        case .edit: return [.edit(isEditing)]
        case .insertSection(let id, _, _): return [.removeSection(id)]
        case .removeSection(let id): return [inverseOfRemovingSection(id)]
        case .setSection(let id, _): return [.setSection(id, title: sectionsByID[id]?.title ?? "")]
        case .define(let definitions): return [.define(inverse(of: definitions))]
        case .invoke(let invocation): return [.invocation(invocation.id, nil)]
        case .take(let id, _), .release(let id), .rest(let id, _), .invocation(let id, _):
            return [.invocation(id, invocations[id])]
        case .finish(let id, _): return inverseOfFinishing(id)
        }
        return nil
    }

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
