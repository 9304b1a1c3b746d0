internal import TableModel

// Definitions in part. What is absent stays as it is, so `clear` names what is to be removed. A
// definition with a digest is complete.

extension WireKind {
    /// With nil, the whole kind.
    init(_ kind: Kind, naming named: Kind.Named?) {
        self.init(kind)
        guard let named else { return }
        let own = named.own
        clearDigest()
        if !own.contains(.height) { clearHeight() }
        if !own.contains(.layout) { clearLayout() }
        if !own.contains(.textMargin) { margins.clearText() }
        if !own.contains(.bottomMargin) { margins.clearBottom() }
        if own.isDisjoint(with: [.textMargin, .bottomMargin]) { clearMargins() }
        if !own.contains(.states) { states = [] }
        if !own.contains(.initial) { clearInitial() }
        if !own.contains(.strip) { clearStrip() }
        if !own.contains(.canMove) { clearCanMove() }
        if !own.contains(.canDelete) { clearCanDelete() }
        if !own.contains(.pinned) { clearPinned() }
        if hasAges {
            if !own.contains(.warn) { ages.clearWarn() }
            if !own.contains(.late) { ages.clearLate() }
        }
        if !own.contains(.tap) {
            tap = []
            clearTapRepeat()
        }
        if !own.contains(.appearance) { appearance = [] }
        nameItems(of: kind, named)
        if own.contains(.editingStyle) {
            editingStyle = kind.editingStyle.rawValue
        } else {
            clearEditingStyle()
        }
        if let group = kind.leading { leading = WireActionGroup(group, naming: named.leading) }
        if let group = kind.trailing { trailing = WireActionGroup(group, naming: named.trailing) }
        clear = Self.clearable.filter { own.contains($0.own) && !says($0.own) }.map(\.name)
    }

    /// The properties that it names; nil: it is complete.
    func readNamed() throws(Rejection) -> Kind.Named? {
        if hasDigest {
            if let name = clear.first { throw .notCleared(name) }
            guard dropItems.isEmpty else { throw .notCleared("dropItems") }
            return nil
        }
        var own: Kind.Own = []
        for (isNamed, part) in [
            (hasHeight, Kind.Own.height), (hasLayout, .layout), (margins.hasText, .textMargin),
            (margins.hasBottom, .bottomMargin), (!states.isEmpty, .states), (hasInitial, .initial),
            (hasStrip, .strip), (hasCanMove, .canMove), (hasCanDelete, .canDelete),
            (hasPinned, .pinned), (ages.hasWarn, .warn), (ages.hasLate, .late),
            (!tap.isEmpty, .tap), (!appearance.isEmpty, .appearance), (hasSpacing, .spacing),
            (hasPage, .page), (hasEditingStyle, .editingStyle),
        ] where isNamed {
            own.insert(part)
        }
        for name in clear {
            guard let part = Self.clearable.first(where: { $0.name == name })?.own, !says(part)
            else { throw .notCleared(name) }
            own.insert(part)
        }
        return Kind.Named(
            own,
            leading: try within("leading") { () throws(Rejection) in try leading.readNamed() },
            trailing: try within("trailing") { () throws(Rejection) in try trailing.readNamed() },
            droppedItems: try readDroppedItems())
    }

    /// The properties that can be removed. Absence cannot say so: absent properties stay.
    private static let clearable: [(name: String, own: Kind.Own)] = [
        ("tap", .tap), ("ages", .ages), ("warn", .warn), ("late", .late), ("leading", .leading),
        ("trailing", .trailing), ("appearance", .appearance), ("items", .items),
    ]

    private func says(_ part: Kind.Own) -> Bool {
        switch part {
        case .tap: return !tap.isEmpty
        case .ages: return hasAges
        case .warn: return ages.hasWarn
        case .late: return ages.hasLate
        case .leading: return hasLeading
        case .trailing: return hasTrailing
        case .appearance: return !appearance.isEmpty
        // Item kinds can be cleared and others given at once.
        case .items: return false
        default: return true
        }
    }
}

extension WireActionGroup {
    fileprivate init(_ group: ActionGroup, naming named: ActionGroup.Named) {
        self.init(group)
        let bits = UInt8(truncatingIfNeeded: named.rawValue)
        if let part = WireLook(group.look, naming: bits) {
            look = part
        } else {
            clearLook()
        }
        if !named.contains(.compatible) { clearCompatible() }
        if !named.contains(.fullSwipe) { clearFullSwipe() }
        if !named.contains(.actions) {
            actions = []
        }
        if !named.contains(.background) { clearBackground() }
        if !named.contains(.gap) { clearGap() }
        clear = Self.clearable.filter { named.contains($0.part) && !says($0.part) }.map(\.name)
    }

    /// The parts of `WireKind` that can be cleared.
    private static let clearable: [(name: String, part: ActionGroup.Named)] = [
        ("actions", .actions), ("background", .background), ("gap", .gap),
    ]

    private func says(_ part: ActionGroup.Named) -> Bool {
        switch part {
        case .actions: return !actions.isEmpty
        case .background: return hasBackground
        case .gap: return hasGap
        default: return true
        }
    }

    fileprivate func readNamed() throws(Rejection) -> ActionGroup.Named {
        var named = ActionGroup.Named(rawValue: UInt16(try look.readNamed()))
        if hasCompatible { named.insert(.compatible) }
        if hasFullSwipe { named.insert(.fullSwipe) }
        if !actions.isEmpty { named.insert(.actions) }
        if hasBackground { named.insert(.background) }
        if hasGap { named.insert(.gap) }
        for name in clear {
            guard let part = Self.clearable.first(where: { $0.name == name })?.part, !says(part)
            else { throw .notCleared(name) }
            named.insert(part)
        }
        return named
    }
}

extension WireSettings {
    /// With nil, all settings.
    init(_ settings: Settings, naming named: Settings.Named?) {
        self.init(settings)
        guard let named else { return }
        clearDigest()
        if !named.contains(.swipePolicy) { swipePolicy = "" }
        if !named.contains(.swipeScope) { swipeScope = "" }
        if !named.contains(.expandPolicy) { expandPolicy = "" }
        if named.contains(.scrollScope) {
            scrollScope = settings.scrollScope.rawValue
        } else {
            clearScrollScope()
        }
        if !named.contains(.faces) { faces = [] }
        for key in Motion.Key.allCases where !named.contains(.motion(key)) {
            motion[key.rawValue] = nil
        }
        if named.contains(.selection) {
            selection = settings.selection.rawValue
        } else {
            clearSelection()
        }
        let bits = UInt8(truncatingIfNeeded: named.rawValue)
        if let part = WireLook(settings.look, naming: bits) {
            look = part
        } else {
            clearLook()
        }
    }

    /// The settings that it names; nil: all.
    func readNamed() throws(Rejection) -> Settings.Named? {
        if hasDigest { return nil }
        let bits = try within("look") { () throws(Rejection) in try look.readNamed() }
        var named = Settings.Named(rawValue: UInt64(bits))
        for key in Motion.Key.allCases where motion[key.rawValue] != nil {
            named.insert(.motion(key))
        }
        if !faces.isEmpty || !dropFaces.isEmpty { named.insert(.faces) }
        if !swipePolicy.isEmpty { named.insert(.swipePolicy) }
        if !swipeScope.isEmpty { named.insert(.swipeScope) }
        if !expandPolicy.isEmpty { named.insert(.expandPolicy) }
        if hasScrollScope { named.insert(.scrollScope) }
        if hasSelection { named.insert(.selection) }
        return named
    }
}

extension WireLook {
    /// Bits for the properties of a group or a table. The first four are those of its look.
    fileprivate init?(_ look: Look, naming bits: UInt8) {
        if bits & 15 == 0 { return nil }
        self = WireLook(look) ?? WireLook()
        for (bit, name, says) in parts {
            if bits & bit == 0 { remove(bit) } else if !says { clear.append(name) }
        }
    }

    fileprivate func readNamed() throws(Rejection) -> UInt8 {
        var bits: UInt8 = 0
        for (bit, name, says) in parts {
            if says { bits |= bit }
            guard clear.contains(name) else { continue }
            if says { throw .notCleared(name) }
            bits |= bit
        }
        let names = parts.map(\.name)
        if let name = clear.first(where: { !names.contains($0) }) { throw .notCleared(name) }
        return bits
    }

    private var parts: [(bit: UInt8, name: String, says: Bool)] {
        [
            (1, "style", hasStyle), (2, "width", hasWidth || intrinsic || faceWidth),
            (4, "spacing", hasSpacing), (8, "insets", !insets.isEmpty),
        ]
    }

    private mutating func remove(_ bit: UInt8) {
        switch bit {
        case 1: clearStyle()
        case 2:
            clearWidth()
            clearIntrinsic()
            clearFaceWidth()
        case 4: clearSpacing()
        default: insets = []
        }
    }
}

extension Rejection {
    fileprivate static func notCleared(_ name: String) -> Rejection {
        Rejection(
            .badValue, "\"\(name)\" cannot be cleared: it is unknown, or it is set too.",
            field: "clear")
    }
}

// MARK: Carried properties of an added row

extension WireCommand.Add.Carried {
    init(_ carried: Carried) {
        if let time = carried.createdMs { createdMs = time }
        if carried.changedMs != 0 { changedMs = carried.changedMs }
        if carried.movedMs != 0 { movedMs = carried.movedMs }
        performed = carried.performed.map { WirePerformance($0) }
        if let own = carried.claim { claim = WireRow.Claim(own, .binary) }
    }

    func read() throws(Rejection) -> Carried {
        Carried(
            createdMs: hasCreatedMs ? createdMs : nil, changedMs: changedMs, movedMs: movedMs,
            performed: try performed.readAll("performed") { one throws(Rejection) in
                try one.read()
            },
            claim: hasClaim
                ? try within("claim") { () throws(Rejection) in try claim.read() } : nil)
    }
}
