// What there is to know of an op without applying it: its facts, its effect, and what it touches.
// Undo, history, replay, layouts, filters and the daemon read it here, so that a new
// op needs no word in them. How an op is applied stands in Apply.swift, and its inverse in Inverse.swift.

extension Op {
    /// Facts that are true of an op whatever it holds. It costs nothing to ask, as each commit does.
    public struct Facts: OptionSet, Sendable {
        /// The bits, one for each fact.
        public let rawValue: UInt8

        /// Facts of these bits.
        @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// The op is about more than the rows that it names.
        @inlinable public static var tableWide: Facts { Facts(rawValue: 1 << 0) }
        /// It changes kinds, settings or sections, for which rights of their own are needed.
        @inlinable public static var defines: Facts { Facts(rawValue: 1 << 1) }
        /// It may change who holds what, or which rows are claimed or lifted, or sleep, or who edits for everybody.
        @inlinable public static var changesHolders: Facts { Facts(rawValue: 1 << 2) }
        /// It is about an invocation.
        @inlinable public static var ofInvocation: Facts { Facts(rawValue: 1 << 3) }
        /// A handler does it: no person takes it back.
        @inlinable public static var ofHandler: Facts { Facts(rawValue: 1 << 4) }
        /// It takes back the traces that other ops left on a row, and goes with the ops that take
        /// those back.
        @inlinable public static var restoresTraces: Facts { Facts(rawValue: 1 << 5) }
    }

    /// Its facts. Other modules ask at each commit: a call would copy the op.
    @inlinable public var facts: Facts {
        switch self {
        case .insert, .remove, .claim, .sleep: return .changesHolders
        case .move, .swap, .set, .item, .perform, .swipe, .expand, .scroll, .select, .mark,
            .came:
            return []
        case .restore: return .restoresTraces
        case .insertSection, .removeSection, .setSection, .define: return [.tableWide, .defines]
        case .edit: return [.tableWide, .changesHolders]
        case .expandAll: return .tableWide
        case .invoke, .invocation: return [.ofInvocation, .changesHolders]
        case .take, .release, .rest, .finish: return [.ofInvocation, .changesHolders, .ofHandler]
        }
    }

    /// The effect of an op on a list of rows. There are fewer effects than ops: a program that draws
    /// rows, or looks for them, need not know the ops.
    public enum Effect: Equatable, Sendable {
        /// The row is there, and was not.
        case inserts(Row, Place)
        /// The row is gone.
        case removes(RowID)
        /// The rows leave their places, then stand in this order in the new one.
        case moves(Few<RowID>, Place)
        /// Each stands where the other stood.
        case swaps(RowID, RowID)
        /// The row stays where it is; its content, its state or its traces are others.
        case changes(RowID)
        /// The row is claimed; nil: it is not any more.
        case claims(RowID, Claim?)
        /// Every row stays where it is; its content or its state may be another.
        case changesAll
        case ofSection(SectionID, SectionEffect)
        case ofTable(TableEffect)
        /// An action waits for a handler. What the row shows of it is another op's.
        case begins(Invocation)
        /// An invocation is held, waits again, or is as it was.
        case changesInvocation(InvocationID)
        /// An invocation ends, and its row says so, if it is there.
        case ends(InvocationID)
        /// News of a row, which changes nothing.
        case news(RowID)
    }

    /// The effect of an op on a section.
    public enum SectionEffect: Equatable, Sendable {
        /// It is there, behind another section or as the first.
        case inserts(after: SectionID?)
        /// It is gone, and had no rows.
        case removes
        /// It has another title.
        case renames
    }

    /// The effect of an op on the table as a whole.
    public enum TableEffect: Equatable, Sendable {
        /// Kinds or settings are others: any row may look different.
        case defines(Command.Definitions)
        /// Edit mode begins or ends.
        case edits(Bool)
    }

    /// Its effect.
    public var effect: Effect {
        switch self {
        case .insert(let row, let place, _): return .inserts(row, place)
        case .remove(let id, _): return .removes(id)
        case .move(let ids, let place): return .moves(ids, place)
        case .swap(let a, let b): return .swaps(a, b)
        case .set(let id, _), .item(let id, _), .perform(let id, _), .restore(let id, _),
            .swipe(let id, _), .expand(let id, _), .scroll(let id, _), .mark(let id, _),
            .came(let id, _),
            .sleep(let id, _):
            return .changes(id)
        case .claim(let id, let claim): return .claims(id, claim)
        case .select(let id, _): return .news(id)
        case .expandAll: return .changesAll
        case .insertSection(let id, _, let after): return .ofSection(id, .inserts(after: after))
        case .removeSection(let id): return .ofSection(id, .removes)
        case .setSection(let id, _): return .ofSection(id, .renames)
        case .define(let definitions): return .ofTable(.defines(definitions))
        case .edit(let isOn): return .ofTable(.edits(isOn))
        case .invoke(let invocation): return .begins(invocation)
        case .take(let id, _), .release(let id), .rest(let id, _), .invocation(let id, _):
            return .changesInvocation(id)
        case .finish(let id, _): return .ends(id)
        }
    }

    /// All that it changes: two changes that touch the same are in each other's way.
    package var touches: [Touch] {
        switch self {
        case .insert(let row, _, _): return [.row(row.id, .existence)]
        case .remove(let id, _): return [.row(id, .existence)]
        case .move(let ids, _): return ids.map { .row($0, .place) }
        case .swap(let a, let b): return [.row(a, .place), .row(b, .place)]
        case .set(let id, let changes): return changes.aspects.map { .row(id, $0) }
        case .swipe(let id, _): return [.row(id, .swipe)]
        case .expand(let id, _): return [.row(id, .expansion)]
        case .perform(let id, _), .restore(let id, _): return [.row(id, .performed)]
        case .scroll(let id, _): return [.row(id, .scroll)]
        case .claim(let id, _): return [.row(id, .claim)]
        case .sleep(let id, _): return [.row(id, .sleep)]
        case .mark(let id, _): return [.row(id, .selection)]
        case .came(let id, _): return [.row(id, .origin)]
        case .item(let id, let step): return [.row(id, step.aspect)]
        case .insertSection(let id, _, _), .removeSection(let id), .setSection(let id, _):
            return [.section(id)]
        case .define(let definitions):
            let kinds = definitions.kinds.map(\.id) + definitions.dropped
            return kinds.map { .kind($0) } + (definitions.settings == nil ? [] : [.settings])
        case .edit: return [.editing]
        case .expandAll: return [.allExpansions]
        case .invoke(let invocation): return [.invocation(invocation.id)]
        case .take(let id, _), .release(let id), .rest(let id, _), .finish(let id, _),
            .invocation(let id, _):
            return [.invocation(id)]
        case .select: return []
        }
    }
}

// MARK: What follows from that

extension Op {
    /// The op is about more than the rows that it names.
    @inlinable public var isTableWide: Bool { facts.contains(.tableWide) }

    /// Whether a handler does it.
    @inlinable public var isOfHandler: Bool { facts.contains(.ofHandler) }

    /// Whether it changes kinds, settings or sections.
    @inlinable public var defines: Bool { facts.contains(.defines) }

    /// Whether it is about an invocation.
    package var isOfInvocation: Bool { facts.contains(.ofInvocation) }

    /// The rows that it names as its own, in its order.
    public var rows: [RowID] {
        switch effect {
        case .inserts(let row, _): return [row.id]
        case .removes(let id), .changes(let id), .claims(let id, _), .news(let id): return [id]
        case .moves(let ids, _): return ids.array
        case .swaps(let a, let b): return [a, b]
        case .changesAll, .ofSection, .ofTable, .begins, .changesInvocation, .ends: return []
        }
    }

    /// The section that it is about, where it is about one.
    public var section: SectionID? {
        if case .ofSection(let id, _) = effect { id } else { nil }
    }

    /// The row that it is about, where it names one.
    package var row: RowID? {
        switch effect {
        case .inserts(let row, _): return row.id
        case .removes(let id), .changes(let id), .claims(let id, _), .news(let id): return id
        case .moves(let ids, _): return ids.count == 1 ? ids.first : nil
        case .swaps, .changesAll, .ofSection, .ofTable: return nil
        case .begins, .changesInvocation, .ends: return nil
        }
    }

    /// Where it puts rows.
    package var place: Place? {
        switch effect {
        case .inserts(_, let place), .moves(_, let place): return place
        case .removes, .swaps, .changes, .claims, .changesAll, .news, .ofSection, .ofTable:
            return nil
        case .begins, .changesInvocation, .ends: return nil
        }
    }
}

extension Command.Changes {
    fileprivate var aspects: [Touch.Aspect] {
        (title == nil ? [] : [.title]) + (kind == nil ? [] : [.kind])
            + (actions == nil ? [] : [.actions]) + (states == nil ? [] : [.states])
            + fields.map { .field($0.key) } + unset.map { .field($0) }
    }
}

extension Item.Step {
    fileprivate var aspect: Touch.Aspect {
        switch self {
        case .insert(let item, _): return .item(item.id)
        case .remove(let id), .set(let id, _): return .item(id)
        case .move: return .itemOrder
        }
    }
}
