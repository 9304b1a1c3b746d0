import SeededNumbers
import TableLayout
import TableModel

/// Groups, faces and numbers from a seed: most are sensible, some are hostile.
struct RandomGroups {
    var random: SplitMix64
    /// Some of the numbers are ones that no caller should give.
    var isHostile = false

    init(seed: UInt64, isHostile: Bool = false) {
        random = SplitMix64(seed: seed)
        self.isHostile = isHostile
    }

    mutating func number(_ range: ClosedRange<Double>) -> Double {
        if isHostile, random.once(in: 6) {
            return random.pick([
                .nan, .infinity, -.infinity, -1, 0, -0.0, .leastNonzeroMagnitude, 1e-300, 1e300,
                -1e300, 1e6,
                1e7, .greatestFiniteMagnitude, .ulpOfOne, -.greatestFiniteMagnitude, .signalingNaN,
            ])
        }
        if random.once(in: 3) { return Double.random(in: range, using: &random).rounded() }
        return Double.random(in: range, using: &random)
    }

    mutating func look() -> Look {
        var look = Look()
        if random.once(in: 2) { look.style = random.pick(Look.Style.allCases) }
        switch random.below(6) {
        case 0: look.width = .intrinsic
        case 1, 2: look.width = .points(number(1...200))
        case 3: look.width = .points(0)
        default: break
        }
        if random.once(in: 2) { look.spacingPoints = number(0...30) }
        if random.once(in: 3) {
            look.insets = Insets(
                top: number(0...50), left: number(0...50), bottom: number(0...50),
                right: number(0...50))
        }
        return look
    }

    mutating func text() -> String {
        random.pick(["", "Bump", "Löschen", "寿司", "👩‍👩‍👧", "\u{301}", "a b c", "Sent\nback"])
    }

    mutating func face(levels: Int) -> Face {
        var face: Face
        switch random.below(levels > 0 ? 5 : 3) {
        case 0: face = Face(.icon("clock"))
        case 1: face = Face(.text(text()))
        case 2: face = Face(.spacer(number(0...20)))
        default:
            var parts: [Face] = []
            for _ in 0..<random.below(4) { parts.append(self.face(levels: levels - 1)) }
            face = Face(random.once(in: 2) ? .vertical(parts) : .horizontal(parts))
        }
        if random.once(in: 3) { face.sizePoints = number(1...40) }
        if random.once(in: 4) { face.spacingPoints = number(0...10) }
        if random.once(in: 4) { face.align = random.pick(["leading", "bottom", "center", "?"]) }
        if random.once(in: 4) {
            face.insets = Insets(
                top: number(0...9), left: number(0...9), bottom: number(0...9),
                right: number(0...9))
        }
        if random.once(in: 4) { face.color = "#d33333" }
        return face
    }

    mutating func action(_ index: Int) -> Action {
        var action = Action(ID("a\(index)"))
        action.title = text()
        action.look = look()
        if random.once(in: 2) { action.icon = "checkmark" }
        if random.once(in: 3) { action.foreground = "#ffffff" }
        if random.once(in: 3) { action.background = "#000000" }
        if random.once(in: 2) { action.face = face(levels: 3) }
        return action
    }

    mutating func group() -> ActionGroup {
        var actions: [Action] = []
        for index in 0..<random.below(6) { actions.append(action(index)) }
        var group = ActionGroup(look: look(), actions: actions)
        group.isCompatible = random.once(in: 5)
        return group
    }

    /// A pull view as wide as its buttons, or some other width.
    mutating func pull() -> Double? {
        switch random.below(5) {
        case 0, 1: return nil
        case 2: return 320
        default: return number(0...500)
        }
    }
}

extension Rect {
    var isFinite: Bool { numbers.allSatisfy(\.isFinite) }

    /// Equal, except for the rounding of sums in another order.
    func contains(_ other: Rect) -> Bool {
        let slack = 1e-9 * max(1, maxX, maxY)
        return other.x >= x - slack && other.y >= y - slack && other.maxX <= maxX + slack
            && other.maxY <= maxY + slack
    }
}
