internal import TableModel

// How rows look in their states.

extension WireKind.Appearance {
    fileprivate init(_ state: Expansion, _ appearance: Kind.Appearance) {
        self.state = state.text
        if let text = appearance.background { background = text }
        if let number = appearance.alpha { alpha = number }
        if let text = appearance.tint { tint = text }
    }

    fileprivate func read() throws(Rejection) -> Kind.Appearance {
        Kind.Appearance(
            background: hasBackground ? background : nil,
            alpha: hasAlpha ? try Double(read: alpha, "alpha") : nil, tint: hasTint ? tint : nil)
    }
}

extension [WireKind.Appearance] {
    /// In the order of the states' names, so that one kind has one form.
    init(_ appearances: [Expansion: Kind.Appearance]) {
        self = appearances.sorted { ID($0.key.text) < ID($1.key.text) }
            .map { WireKind.Appearance($0.key, $0.value) }
    }

    func readAppearances() throws(Rejection) -> [Expansion: Kind.Appearance] {
        var all: [Expansion: Kind.Appearance] = [:]
        let pairs = try readAll("appearance") { one throws(Rejection) in
            (try Expansion(read: one.state, "state"), try one.read())
        }
        for (state, appearance) in pairs where all.updateValue(appearance, forKey: state) != nil {
            throw Rejection(
                .duplicate, "State \"\(state.text)\" stands twice.", field: "appearance")
        }
        return all
    }
}
