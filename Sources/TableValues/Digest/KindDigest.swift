// The canonical form of kinds and settings, from which their hashes are computed. Viewers in other
// languages need not write it: a kind travels with its digest.

extension Kind {
    /// The hash of the whole definition.
    public var hash: UInt64 { canonical.hash }

    /// Size of the canonical form.
    public var byteCount: Int { canonical.bytes.count }

    private var canonical: CanonicalWriter {
        var writer = CanonicalWriter(capacity: 256)
        writer.write(id)
        writer.write(heightPoints)
        writer.write(layout.rawValue)
        writer.write(margins.text)
        writer.write(margins.bottom)
        writer.write(states)
        writer.write(initial.text)
        for flag in [isStrip, canMove, canDelete, isPinned] { writer.write(flag) }
        writer.write(ages != nil)
        writer.write(optional: ages?.warnSeconds)
        writer.write(optional: ages?.lateSeconds)
        writer.write(tap)
        for group in [leading, trailing] {
            writer.write(group != nil)
            group?.write(to: &writer)
        }
        writeAppearances(to: &writer)
        writeItemKinds(to: &writer)
        if editingStyle != .delete { writer.write("editing \(editingStyle.rawValue)") }
        writeRepeatingTaps(to: &writer)
        writeFace(to: &writer)
        return writer
    }
}

// By the canonical form: two kinds are equal exactly if two tables that differ only in them have
// the same digest. So a change of normalisation in a title is a change.
extension Kind: Equatable {
    /// By the bytes of the canonical form.
    public static func == (a: Kind, b: Kind) -> Bool { a.canonical.bytes == b.canonical.bytes }
}

extension Settings {
    /// The hash of all settings.
    public var hash: UInt64 {
        CanonicalWriter.hash { writer in
            writer.write(swipePolicy.rawValue)
            writer.write(swipeScope.rawValue)
            writer.write(expandPolicy.rawValue)
            // A property that came later is written only if it is not the default, after its name.
            // So older journals keep their digests. This holds for all such properties.
            if look != Look() {
                writer.write("look")
                look.write(to: &writer)
            }
            motion.write(to: &writer)
            if !faces.isEmpty {
                writer.write("faces")
                writer.write(UInt64(faces.count))
                for (name, face) in faces.sorted(by: { $0.key < $1.key }) {
                    writer.write(name)
                    face.write(to: &writer)
                }
            }
            if scrollScope != .viewer { writer.write("scroll \(scrollScope.rawValue)") }
            if expandScope != .shared { writer.write("expand \(expandScope.rawValue)") }
            if selection != .none { writer.write("selection \(selection.rawValue)") }
            writer.write("alerts", ifAny: alerts)
            writer.write("pauses", ifAny: pauses)
        }
    }
}

extension Kind.State: Canonical {
    func write(to writer: inout CanonicalWriter) {
        writer.write(expansion.text)
        if case .named(_, let height) = self { writer.write(height) } else { writer.write(nil) }
    }
}

extension ActionGroup {
    func write(to writer: inout CanonicalWriter) {
        look.write(to: &writer)
        writer.write(isCompatible)
        writer.write(hasFullSwipe)
        writer.write(actions)
        // These came later: written only if they are set, each after its name.
        if let background {
            writer.write("background")
            writer.write(background)
        }
        if let gapPoints {
            writer.write("gap")
            writer.write(gapPoints)
        }
    }
}

extension Look {
    fileprivate func write(to writer: inout CanonicalWriter) {
        writer.write(optional: style?.rawValue)
        switch width {
        case nil: writer.write(0 as UInt64)
        case .points(let points): writer.write(points)
        case .intrinsic: writer.write(2 as UInt64)
        case .face: writer.write(3 as UInt64)
        }
        writer.write(spacingPoints)
        write(insets, to: &writer)
    }

    fileprivate func write(_ insets: Insets?, to writer: inout CanonicalWriter) {
        writer.write(insets != nil)
        guard let insets else { return }
        for side in [insets.top, insets.left, insets.bottom, insets.right] { writer.write(side) }
    }
}

extension Action: Canonical {
    func write(to writer: inout CanonicalWriter) {
        writer.write(id)
        writer.write(title)
        writer.write(role.rawValue)
        for text in [icon, background, foreground] { writer.write(optional: text) }
        look.write(to: &writer)
        writer.write(face != nil)
        face?.write(to: &writer)
        writer.write(hidesWhenSelected)
        // Whether it repeats came later, as did its guard.
        writer.write(
            (asksToConfirm ? 1 : 0) as UInt64 | (repeats ? 2 : 0) | (guarded == nil ? 0 : 4))
        writer.write(effects)
        if let guarded {
            writer.write(guarded.when)
            writer.write(optional: guarded.unless)
        }
    }
}

extension Face: Canonical {
    func write(to writer: inout CanonicalWriter) {
        switch content {
        case .vertical(let parts):
            writer.write("vertical")
            writer.write(parts)
        case .horizontal(let parts):
            writer.write("horizontal")
            writer.write(parts)
        case .icon(let name):
            writer.write("icon")
            writer.write(name)
        case .text(let text):
            writer.write("text")
            writer.write(text)
        case .spacer(let points):
            writer.write("spacer")
            writer.write(points)
        case .image(let image): image.write(to: &writer)
        case .shared(let name):
            writer.write("shared")
            writer.write(name)
        }
        writer.write(sizePoints)
        for text in [weight, color, align] { writer.write(optional: text) }
        writer.write(spacingPoints)
        Look().write(insets, to: &writer)
        // These came later: written only if they say something, each after its name.
        if !families.isEmpty {
            writer.write("families")
            writer.write(UInt64(families.count))
            for family in families { writer.write(family) }
        }
        if let isItalic { writer.write(isItalic ? "italic" : "upright") }
    }
}

extension Effect: Canonical {
    func write(to writer: inout CanonicalWriter) {
        switch self {
        case .remove: writer.write("remove")
        case .move(let section, let anchor):
            writer.write("move")
            writer.write(optional: section?.text)
            anchor.write(to: &writer)
        case .set(let fields):
            // Sorted, since fields travel as a map.
            writer.write("set")
            writer.write(Row.Field.sorted(fields))
        case .fill(let fields):
            writer.write("fill")
            writer.write(Row.Field.sorted(fields))
        case .increment(let increments):
            let increments = Increment.sorted(increments)
            writer.write("increment")
            writer.write(UInt64(increments.count))
            for one in increments {
                writer.write(one.key)
                writer.write(UInt64(bitPattern: one.by))
            }
        case .toggle: writer.write("toggle")
        case .expand(let state):
            writer.write("expand")
            writer.write(state.text)
        case .removeItem: writer.write("removeItem")
        case .setItem(let fields):
            writer.write("setItem")
            writer.write(Row.Field.sorted(fields))
        case .unset(let keys):
            writer.write("unset")
            writer.write(keys)
        case .kind(let kind):
            writer.write("kind")
            writer.write(kind)
        case .moveBack: writer.write("moveBack")
        case .group(let effects):
            writer.write("group")
            writer.write(effects)
        case .snooze(let milliseconds, let isToTop):
            writer.write("snooze")
            writer.write(milliseconds)
            writer.write(isToTop ? "top" : "place")
        case .invoke(let deadline, let then, let retries):
            writer.write("invoke")
            writer.write(deadline)
            writer.write("then", ifAny: then)
            retries.write(to: &writer)
        }
    }
}

extension Anchor {
    fileprivate func write(to writer: inout CanonicalWriter) {
        switch self {
        case .top: writer.write("top")
        case .bottom: writer.write("bottom")
        case .before(let row):
            writer.write("before")
            writer.write(row)
        case .after(let row):
            writer.write("after")
            writer.write(row)
        }
    }
}
