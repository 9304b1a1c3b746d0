import TableLayout
import TableModel
import Testing

/// Properties of every group, at every width and height.
struct PropertyTests {
    private static let seed: UInt64 = 20_260_101

    @Test func tenThousandGroups() {
        var groups = RandomGroups(seed: Self.seed)
        for number in 0..<10_000 {
            check(&groups, "seed \(Self.seed), group \(number)")
        }
    }

    @Test func threeThousandHostileGroups() {
        var groups = RandomGroups(seed: Self.seed &+ 1, isHostile: true)
        for number in 0..<3_000 {
            check(&groups, "hostile seed \(Self.seed &+ 1), group \(number)")
        }
    }

    /// No face jumps while a finger pulls, at either edge, in any style, compatible or not.
    @Test func noFaceJumps() {
        var groups = RandomGroups(seed: Self.seed &+ 2)
        for number in 0..<300 {
            let group = groups.group()
            let table = groups.look()
            let height = groups.number(1...200)
            let edge = groups.random.pick(Edge.allCases)
            func geometry(_ pull: Double?, _ width: Double) -> SwipeGeometry {
                SwipeGeometry(
                    group, edge: edge, rowHeight: height, pullWidth: pull, containerWidth: width,
                    tableLook: table)
            }
            let rest = geometry(nil, 320).restPoints
            let width = groups.random.pick([320, rest, rest + 1, rest - 1, 2 * rest])
            let step = 0.05
            for place in [0, rest, width - 31, width - 0.5, width, width + 0.5] {
                let frames = (-12...12).map { geometry(place + Double($0) * step, width).buttons }
                for (one, next) in zip(frames, frames.dropFirst()) {
                    for (a, b) in zip(one, next) {
                        // The button moves, and in it the face, each by at most what the finger does.
                        let moved = max(
                            abs(a.face.x - b.face.x), abs(a.face.maxX - b.face.maxX))
                        #expect(moved <= 4 * step + 1e-6, "group \(number) at \(place): \(moved)")
                    }
                }
            }
        }
    }

    private func check(_ groups: inout RandomGroups, _ name: String) {
        let group = groups.group()
        let table = groups.look()
        let height = groups.number(1...200)
        let width = groups.random.once(in: 4) ? 320 : groups.number(1...1_000)
        let pull = groups.pull()
        let metrics = groups.random.once(in: 2) ? Metrics.point : .cell
        func geometry(_ group: ActionGroup, _ edge: Edge) -> SwipeGeometry {
            SwipeGeometry(
                group, edge: edge, rowHeight: height, pullWidth: pull, containerWidth: width,
                tableLook: table, metrics: metrics)
        }
        let trailing = geometry(group, .trailing)
        let leading = geometry(mirrored(group), .leading)
        checkOne(trailing, group, pull: pull, name)
        checkOne(leading, group, pull: pull, name)
        // Not by `==`: what is no number is not equal to itself.
        let again = geometry(group, .trailing)
        #expect(trailing.buttons.map(\.face) == again.buttons.map(\.face), "\(name)")

        let tolerance = 1e-9 * max(1, trailing.pullPoints)
        for (one, other) in zip(trailing.buttons, leading.buttons) {
            #expect(
                mirrored(one.hit, in: trailing).isNear(other.hit, within: tolerance), "\(name)")
            // The articles measure from the left at both edges: that mirrors only up to the rest. A
            // circle that is lower than its slot moves further at one edge than at the other.
            let isStretched = trailing.pullPoints > trailing.restPoints + tolerance
            let container = width.isNaN ? 0 : min(max(width, 0), 1e6)
            let isOnItsWay =
                trailing.pullPoints > container - 1 - one.look.buttonWidthPoints
                && one.look.style == .circular
            let isLiteral = isOnItsWay || isStretched && one.look.style != .standard
            guard !group.isCompatible, !isLiteral, mirrors(table, group, one.action)
            else { continue }
            #expect(
                mirrored(one.face, in: trailing).isNear(other.face, within: tolerance),
                "\(name): \(one.face) \(other.face)")
            #expect(one.clamped == other.clamped && one.radius == other.radius, "\(name)")
        }
        for button in trailing.buttons {
            for capability in Capability.allCases {
                let projection = Projection(button, for: capability, metrics: metrics)
                #expect(projection.degraded.isEmpty || capability != .full, "\(name)")
                #expect(projection.title.utf8.count < 5_000_000, "\(name)")
            }
        }
    }

    private func checkOne(
        _ geometry: SwipeGeometry, _ group: ActionGroup, pull: Double?, _ name: String
    ) {
        let buttons = geometry.buttons
        #expect(buttons.map(\.action.id) == group.actions.map(\.id), "\(name)")
        #expect(geometry.pullPoints.isFinite && geometry.pullPoints >= 0, "\(name)")
        let sum = buttons.reduce(0) { $0 + $1.hit.width }
        let tolerance = 1e-9 * max(1, geometry.pullPoints, geometry.restPoints)
        if !buttons.isEmpty { #expect(abs(sum - geometry.pullPoints) <= tolerance, "\(name)") }
        if pull == nil {
            #expect(geometry.pullPoints == geometry.restPoints, "\(name)")
            for button in buttons {
                #expect(button.hit.width == button.look.buttonWidthPoints, "\(name)")
            }
        }
        var inwards = buttons.map(\.hit)
        if geometry.edge == .trailing { inwards.reverse() }
        for (one, next) in zip(inwards, inwards.dropFirst()) {
            #expect(one.maxX <= next.x + tolerance, "\(name): overlap")
        }
        for button in buttons {
            let look = button.look
            #expect(button.hit.isFinite && button.face.isFinite, "\(name)")
            #expect(button.radius.isFinite && button.radius >= 0, "\(name)")
            #expect(button.hit.width >= 0 && button.face.width >= 0, "\(name)")
            #expect(button.hit.height >= 0 && button.face.height >= 0, "\(name)")
            #expect(look.widthPoints > 0 && look.spacingPoints >= 0, "\(name)")
            #expect(button.hit.x >= -tolerance, "\(name)")
            #expect(button.hit.maxX <= geometry.pullPoints + tolerance, "\(name)")
            if !group.isCompatible || look.style == .standard {
                #expect(button.hit.contains(button.face), "\(name): \(button)")
            }
            if look.style == .circular {
                #expect(abs(button.face.width - button.face.height) <= tolerance, "\(name)")
                #expect(button.radius == button.face.width / 2, "\(name)")
            }
            for part in button.parts {
                #expect(part.frame.isFinite && part.sizePoints > 0, "\(name)")
                #expect(button.face.contains(part.frame), "\(name): \(part)")
            }
            #expect(button.clamped == Set(button.clamped).sorted(), "\(name)")
        }
    }

    /// A group with left and right exchanged: insets belong to the screen, not to the edge.
    private func mirrored(_ look: Look) -> Look {
        var look = look
        if let insets = look.insets {
            look.insets = Insets(
                top: insets.top, left: insets.right, bottom: insets.bottom, right: insets.left)
        }
        return look
    }

    private func mirrored(_ group: ActionGroup) -> ActionGroup {
        var group = group
        group.look = mirrored(group.look)
        for index in group.actions.indices {
            group.actions[index].look = mirrored(group.actions[index].look)
        }
        return group
    }

    private func mirrored(_ rect: Rect, in geometry: SwipeGeometry) -> Rect {
        Rect(
            x: geometry.pullPoints - rect.maxX, y: rect.y, width: rect.width, height: rect.height)
    }

    /// Excludes insets of the table, which are not exchanged above, and insets that leave no width,
    /// which have no side.
    private func mirrors(_ table: Look, _ group: ActionGroup, _ action: Action) -> Bool {
        let insets = action.look.insets ?? group.look.insets
        guard let insets else {
            return table.insets == nil || table.insets?.left == table.insets?.right
        }
        let look = ResolvedLook(action, group: group.look, table: table)
        return insets.left + insets.right <= look.widthPoints
    }
}
