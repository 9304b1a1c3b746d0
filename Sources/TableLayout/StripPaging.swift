public import TableModel

// Where a strip comes to rest, and what scrolls it by a page (F13).

extension StripGeometry {
    /// The largest offset at which no room is left behind the last item, in points.
    public func endPoints(visibleWidthPoints visible: Double) -> Double {
        max(0, contentWidthPoints - max(0, Self.sound(visible)))
    }

    /// Where a strip comes to rest that was let go at an offset, in points.
    ///
    /// | page | it rests |
    /// |---|---|
    /// | `none` | where it is |
    /// | `item` | at the nearest left edge of an item |
    /// | `width` | at the nearest multiple of the visible width |
    ///
    /// The end is a resting place too, and none is behind it. Of two that are equally near, it is
    /// the first.
    public func restPoints(at offset: Double, visibleWidthPoints visible: Double) -> Double {
        let offset = Self.sound(offset)
        let visible = Self.sound(visible)
        let end = endPoints(visibleWidthPoints: visible)
        switch page {
        case .none: return offset
        case .item:
            var nearest = 0.0
            for place in items.map({ min($0.x, end) }) + [end]
            where abs(place - offset) < abs(nearest - offset) {
                nearest = place
            }
            return nearest
        case .width:
            guard visible > 0 else { return min(max(0, offset), end) }
            let before = min(max(0, (offset / visible).rounded(.down)) * visible, end)
            let after = min(before + visible, end)
            return offset - before <= after - offset ? before : after
        }
    }

    /// The offset one page further, or one back, in points: the next item's left edge if the strip
    /// comes to rest at items, else a visible width away. Never beyond the ends.
    public func turnedPoints(
        from offset: Double, isForward: Bool, visibleWidthPoints visible: Double
    ) -> Double {
        let visible = max(0, Self.sound(visible))
        let end = endPoints(visibleWidthPoints: visible)
        let offset = min(max(0, Self.sound(offset)), end)
        let turned: Double?
        switch page {
        case .item:
            // Half a point is no page: sums of widths are rounded.
            turned =
                isForward
                ? items.first { $0.x > offset + 0.5 }?.x : items.last { $0.x < offset - 0.5 }?.x
        case .width where visible > 0:
            let pages = (offset + (isForward ? 0.5 : -0.5)) / visible
            turned = (isForward ? pages.rounded(.down) + 1 : pages.rounded(.down)) * visible
        case .width, .none: turned = offset + (isForward ? visible : -visible)
        }
        return min(max(0, turned ?? (isForward ? end : 0)), end)
    }

    /// Lengths of a strip may be longer than the bound on heights.
    private static func sound(_ points: Double) -> Double { points.isFinite ? points : 0 }

    /// The scroll position at an offset, in points; nil: the strip has no items.
    public func scroll(at offset: Double) -> Scroll? {
        let offset = max(0, Self.sound(offset))
        guard let frame = items.last(where: { $0.x <= offset }) else { return nil }
        let span = frame.widthPoints + spacingPoints
        return Scroll(frame.id, fraction: span > 0 ? min((offset - frame.x) / span, 1) : 0)
    }
}
