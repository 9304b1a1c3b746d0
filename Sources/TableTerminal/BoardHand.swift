import TableLayout
import TableModel

/// The lifted rows, and where they would be dropped.
struct Hand: Equatable {
    struct Slot: Equatable {
        var section: SectionID
        /// Nil: the section's top.
        var after: RowID?
        var anchor: Anchor { after.map { .after($0) } ?? .top }
    }

    let rows: [RowID]
    /// The number of the intent that lifted them.
    let number: Int
    /// Nil until the daemon has granted it.
    var lease: String?
    /// Nil: over nothing; letting go there cancels (B6).
    var target: Slot?
    /// Where the rows stand, as far as others have moved them meanwhile.
    var origin: Slot
    let isByMouse: Bool
    /// The person dropped before the lease came.
    var wantsDrop = false
}

// Lifting rows and moving them.
extension Board {
    func lift(_ row: Row, isByMouse: Bool = false) {
        guard isReachable, let order, let place = order.place(of: row.id) else { return }
        if let keys = station.orderText { return refuse(word("hand.sorted", ["keys": keys])) }
        let rows = isByMouse ? [row] : rows(with: row)
        for row in rows {
            if let kind = table?.kinds[row.content.kind], !kind.canMove || kind.isPinned {
                return refuse(word("hand.pinned", ["kind": kind.id.text]))
            }
            if let other = company.ghosts.first(where: { $0.rows.contains(row.id) }) {
                return refuse(word("hand.held", ["who": other.holder.text, "row": row.id.text]))
            }
        }
        // A filter may hide rows between this row and the shown one before it, so ask the table.
        let after = rowAbove(row.id, without: rows.map(\.id))
        let origin = Hand.Slot(section: order.sections[place.section].id, after: after)
        let number = wish(
            .lift(rows.map(\.id)), word("what.lifting", ["row": row.id.text]), isLift: true)
        hand = Hand(
            rows: rows.map(\.id), number: number, lease: nil, target: origin, origin: origin,
            isByMouse: isByMouse)
        unsettle()
        reveal()
    }

    /// The nearest row above in the table that is none of these.
    private func rowAbove(_ row: RowID, without rows: [RowID]) -> RowID? {
        var above = table?.position(of: row)?.after
        while let row = above, rows.contains(row) { above = table?.position(of: row)?.after }
        return above
    }

    func lifted(_ number: Int, _ lease: String) {
        guard var hand, hand.number == number else {
            // The person put the rows down before the lift was granted.
            wish(.cancel(lease: lease))
            return
        }
        hand.lease = lease
        self.hand = hand
        if hand.wantsDrop { return drop() }
        // The person moved the rows before the lift was granted.
        if let target = hand.target, target != hand.origin {
            wish(.hover(lease: lease, target.anchor, section: target.section))
        }
    }

    /// True: the operation was for the lifted rows.
    func takeWhileLifted(_ operation: Operation) -> Bool {
        switch operation {
        case .down: moveTarget(isUp: false)
        case .up: moveTarget(isUp: true)
        case .pageDown: for _ in 0..<5 { moveTarget(isUp: false) }
        case .pageUp: for _ in 0..<5 { moveTarget(isUp: true) }
        case .nextSection: moveTarget(toSectionAbove: false)
        case .previousSection: moveTarget(toSectionAbove: true)
        case .first, .last:
            guard let order, let target = hand?.target else { return true }
            let section = order.index(of: target.section) ?? 0
            hover(over: slot(in: section, atTop: operation == .first, order))
        case .enter, .expand: drop()
        case .lift, .cancel: putDown(word("drag.back"))
        case .help, .quit, .suspend, .redraw, .mouse: return false
        default: say(word("hand.other", ["drop": keyName(.enter), "back": keyName(.cancel)]))
        }
        return true
    }

    private func moveTarget(isUp: Bool) {
        guard let hand, let order, var slot = hand.target else { return }
        repeat {
            guard let next = self.slot(beside: slot, isUp: isUp, order) else { return }
            slot = next
        } while slot.after.map { hand.rows.contains($0) } == true
        // Among hidden rows it would stand elsewhere, though it seems to be back.
        let isBack =
            slot.section == hand.origin.section
            && shownRow(above: slot, order) == shownRow(above: hand.origin, order)
        hover(over: isBack ? hand.origin : slot)
    }

    /// The index of the nearest shown row above a place, or −1: a filter may hide the row that it is behind.
    private func shownRow(above slot: Hand.Slot, _ order: RowOrder) -> Int {
        slot.after.map { order.index(upTo: $0) } ?? -1
    }

    private func moveTarget(toSectionAbove isUp: Bool) {
        guard let order, let target = hand?.target, let at = order.index(of: target.section)
        else { return }
        let next = isUp && target.after != nil ? at : at + (isUp ? -1 : 1)
        guard order.sections.indices.contains(next) else { return }
        hover(over: slot(in: next, atTop: true, order))
    }

    private func slot(in section: Int, atTop: Bool, _ order: RowOrder) -> Hand.Slot {
        let last = atTop ? nil : lastRow(in: section, order)
        return Hand.Slot(section: order.sections[section].id, after: last)
    }

    private func lastRow(in section: Int, _ order: RowOrder) -> RowID? {
        var index = order.count(in: section) - 1
        while let row = order.row(at: .init(section: section, index: index)) {
            if hand?.rows.contains(row.id) != true { return row.id }
            index -= 1
        }
        return nil
    }

    /// The next slot. Above a section's first row is its top, and above that the end of the section before.
    private func slot(beside slot: Hand.Slot, isUp: Bool, _ order: RowOrder) -> Hand.Slot? {
        guard let section = order.index(of: slot.section) else { return nil }
        let step = isUp ? -1 : 1
        var index = shownRow(above: slot, order)
        if index >= 0 || !isUp {
            index += step
            while let row = order.row(at: .init(section: section, index: index)) {
                if hand?.rows.contains(row.id) != true {
                    return Hand.Slot(section: slot.section, after: row.id)
                }
                index += step
            }
            if isUp { return Hand.Slot(section: slot.section, after: nil) }
        }
        guard order.sections.indices.contains(section + step) else { return nil }
        return self.slot(in: section + step, atTop: !isUp, order)
    }

    /// Shows, here and to others, where the rows would be dropped.
    func hover(over slot: Hand.Slot?) {
        guard hand != nil, hand?.target != slot else { return }
        hand?.target = slot
        unsettle()
        if let slot, let lease = hand?.lease {
            wish(.hover(lease: lease, slot.anchor, section: slot.section))
        }
        if hand?.isByMouse != true { revealTarget() }
    }

    /// Scrolls the drop line into sight.
    private func revealTarget() {
        settle()
        guard let target = hand?.target, let order, let section = order.index(of: target.section)
        else { return }
        if let block = flow.first(where: \.hasDropLine), block.end <= viewHeight, block.end > 1 {
            return
        }
        let row = target.after ?? order.row(at: .init(section: section, index: 0))?.id
        guard let row else { return }
        let isAbove = flow.first.map { first in
            let place = order.place(of: row) ?? .init(section: 0, index: 0)
            return (place.section, place.index) <= (first.place.section, first.place.index)
        }
        let lines = lines(of: row)
        // The view follows the drop line and not the selection.
        selected.map { _ in anchor = (row, isAbove == true ? 2 : viewHeight - lines - 2) }
        unsettle()
        let held = selected
        selected = row
        settle()
        selected = held
    }

    func drop() {
        guard let hand else { return }
        guard let target = hand.target else { return putDown(word("hand.nowhere")) }
        // Several rows may have stood apart.
        guard target != hand.origin || hand.rows.count > 1 else {
            return putDown(word("hand.stays"))
        }
        guard isReachable else { return putDown(nil) }
        guard let lease = hand.lease else {
            self.hand?.wantsDrop = true
            return
        }
        self.hand = nil
        let number = wish(
            .drop(lease: lease, rows: hand.rows, target.anchor, section: target.section),
            word("what.moving", ["rows": hand.rows.map(\.text).joined(separator: ", ")]))
        if hand.rows.count > 1 { endMarks(after: number) }
        selected = hand.rows.first ?? selected
        unsettle()
    }

    /// Lets go without moving anything.
    func putDown(_ text: String?) {
        guard let hand else { return }
        if let lease = hand.lease { wish(.cancel(lease: lease)) }
        self.hand = nil
        gesture = .none
        if let text { say(text) }
        unsettle()
        reveal()
    }

    /// Puts the rows down because of something else than the person's wish.
    func dropHand(_ why: String) {
        guard hand != nil else { return }
        putDown(nil)
        refuse(why)
    }

    /// The daemon ended the lease: everything is where it was.
    func leaseEnded(_ lease: String, _ reason: String) {
        guard let hand, hand.lease == lease else { return }
        self.hand = nil
        gesture = .none
        refuse(word("hand.why", ["why": reason]))
        unsettle()
        reveal()
    }

    /// Where the rows would be dropped now that the table has changed; `old`: the order of before. Nil:
    /// where they stand.
    ///
    /// As the daemon has it: beside its row, wherever that is, or where that last was.
    func landing(_ old: LayoutIndex?) -> Hand.Slot? {
        guard let hand, let table, let target = hand.target, target != hand.origin else {
            return nil
        }
        if let after = target.after, let position = table.position(of: after) {
            return Hand.Slot(section: position.section, after: after)
        }
        guard table.section(target.section) != nil else { return nil }
        func isHere(_ row: RowID) -> Bool {
            table.position(of: row)?.section == target.section && !hand.rows.contains(row)
                && (!isFiltered || matches.contains(row))
        }
        var above = target.after.flatMap { old?.row(above: $0) }
        while let row = above, !isHere(row) { above = old?.row(above: row) }
        return Hand.Slot(section: target.section, after: above)
    }

    /// After a change, the lifted rows or the place for the drop may be gone, or elsewhere.
    func checkHand(_ landing: Hand.Slot?) {
        guard let hand, let table else { return }
        guard let first = hand.rows.first, let position = table.position(of: first),
            hand.rows.allSatisfy({ table.row($0) != nil })
        else { return dropHand(word("hand.gone")) }
        let after = rowAbove(first, without: hand.rows)
        let origin = Hand.Slot(section: position.section, after: after)
        self.hand?.origin = origin
        if hand.target != nil { hover(over: landing ?? origin) }
    }
}
