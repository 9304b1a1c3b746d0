import TableModel

// Checks of what faces name: shared faces, fonts, and values of the row.

extension Decision {
    /// The table's shared faces (F6).
    func checkFaces(of settings: Settings) throws(Rejection) {
        let faces = settings.faces
        try bound("faces", faces.count, by: limits.faces, field: "faces")
        var size = 0
        for (name, face) in faces.sorted(by: { $0.key < $1.key }) {
            let field = "faces.\(name.text)"
            try checkID(name, field: field)
            // So that a face ends: none can hold itself.
            if let other = face.sharedNames.first {
                throw Rejection(
                    .badValue, "A shared face cannot name another: \"\(other.text)\".", field: field
                )
            }
            try checkWhole(face, field: field)
            size += face.byteCount + face.imageBytes
        }
        try bound("bytes of all faces", size, by: limits.facesBytes, field: "faces")
    }

    /// No face that a kind, or a row's own actions, names goes away with the new settings.
    func checkNamed(
        _ settings: Settings, since old: Settings, by kinds: some Sequence<Kind>,
        field: String? = nil
    ) throws(Rejection) {
        let gone = Set(old.faces.keys).subtracting(settings.faces.keys)
        guard !gone.isEmpty,
            let (name, user) = Table.sharedFace(where: gone.contains, in: kinds, table.rows)
        else { return }
        throw Rejection(
            .kindInUse, "Face \"\(name.text)\" is in use in \(user).",
            field: field ?? "faces.\(name.text)")
    }

    func checkShared(_ name: ID, field: String) throws(Rejection) {
        if isOfPast || (newFaces ?? table.settings.faces)[name] != nil { return }
        throw Rejection(.badValue, "There is no face \"\(name.text)\".", field: field)
    }

    /// The families of a font (F3), as they can stand in a style sheet.
    func checkFamilies(_ families: [String], field: String) throws(Rejection) {
        try bound("families", families.count, by: limits.families, field: field)
        for (index, family) in families.enumerated() {
            let isName = family.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "-"):
                    return true
                default: return false
                }
            }
            try require(
                isName && (1...64).contains(family.utf8.count) && family.first != " "
                    && family.last != " ", or: .badValue,
                "A family has 1 to 64 letters, digits, blanks or `-`.", field: "\(field)[\(index)]")
        }
    }

    /// A text whose braces are names of the row's values (F7).
    func checkFaceText(_ text: String, field: String) throws(Rejection) {
        try checkTitle(text, field: field)
        guard FaceText(text) == nil, !isOld({ part, _ in part.content == .text(text) }) else {
            return
        }
        throw Rejection(
            .badValue, "Braces hold a name, such as {title}; {{ and }} are braces themselves.",
            field: field)
    }

    /// Whether a part stands in the table already, or is restored: it was defined before such
    /// things were checked, and must not keep the rest of its kind from being changed. The closure
    /// takes a part, and the icon of its action.
    func isOld(_ isIt: (Face, String?) -> Bool) -> Bool {
        if keepsOld { return true }
        let none = Face(.spacer(0))
        return table.kinds.values.contains { kind in
            [kind.leading, kind.trailing].contains { group in
                (group?.actions ?? []).contains { action in
                    isIt(none, action.icon) || action.face?.contains { isIt($0, nil) } ?? false
                }
            }
        }
    }
}

extension Table {
    /// A shared face of this sort that a kind or a row's own actions name, and who names it.
    static func sharedFace(
        where isIt: (ID) -> Bool, in kinds: some Sequence<Kind>, _ rows: some Sequence<Row>
    ) -> (name: ID, user: String)? {
        for kind in kinds {
            if let name = sharedFace(where: isIt, in: [kind.leading, kind.trailing]) {
                return (name, "kind \"\(kind.id.text)\"")
            }
        }
        for row in rows {
            guard let own = row.content.actions else { continue }
            if let name = sharedFace(where: isIt, in: [own.leading, own.trailing]) {
                return (name, "row \"\(row.id.text)\"")
            }
        }
        return nil
    }

    private static func sharedFace(where isIt: (ID) -> Bool, in groups: [ActionGroup?]) -> ID? {
        for action in groups.compactMap({ $0 }).flatMap(\.actions) {
            if let name = action.face?.sharedNames.first(where: isIt) { return name }
        }
        return nil
    }
}

extension Decision {
    /// Refuses what is no image, and what is too large.
    func checkImage(_ image: FaceImage, field: String) throws(Rejection) {
        let size = image.byteCount
        try bound("bytes of an image", size, by: limits.imageBytes, field: field)
        switch image.data {
        case .path(let path):
            if let fault = PathData.fault(path) {
                throw Rejection(.badValue, "This is no SVG path: \(fault).", field: "\(field).path")
            }
            for side in [image.grid.width, image.grid.height] {
                try require(
                    side.isFinite && side > 0 && side <= PathData.most, or: .badNumber,
                    "A side of the grid is above 0 and at most 10,000.", field: "\(field).grid")
            }
        case .png(let bytes):
            guard let png = PNG(bytes) else {
                throw Rejection(.badValue, "This is no whole PNG.", field: "\(field).png")
            }
            try bound(
                "pixels of an image's side", max(png.width, png.height), by: limits.imagePixels,
                field: "\(field).png")
        }
    }
}
