internal import TableModel

// What a face holds beside text: images of its own.

extension WireFace.Image {
    init(_ image: FaceImage) {
        switch image.data {
        case .path(let path):
            self.path = path
            if image.grid != FaceImage.Grid() { grid = [image.grid.width, image.grid.height] }
        case .png(let bytes): png = .init(bytes)
        }
        if image.isTemplate { template = true }
    }

    func read() throws(Rejection) -> FaceImage {
        var image: FaceImage
        switch data {
        case .path(let path): image = FaceImage(.path(path))
        case .png(let bytes): image = FaceImage(.png([UInt8](bytes)))
        case nil: throw Rejection(.malformed, "One of: path, png.")
        }
        if !grid.isEmpty {
            guard case .path = image.data, grid.count == 2 else {
                throw Rejection(
                    .badValue, "A path has a grid, of two numbers: width, height.", field: "grid")
            }
            image.grid = FaceImage.Grid(
                width: try Double(read: grid[0], "grid"), height: try Double(read: grid[1], "grid"))
        }
        image.isTemplate = template
        return image
    }
}

// MARK: Shared faces (F6)

extension WireSettings.SharedFace {
    init(_ name: ID, _ face: Face) {
        self.name = name.text
        self.face = WireFace(face)
    }
}

extension WireSettings {
    func readFaces() throws(Rejection) -> [ID: Face] {
        var found: [ID: Face] = [:]
        for (index, shared) in faces.enumerated() {
            let name = try ID(read: shared.name, "faces[\(index)].name")
            guard found[name] == nil else {
                throw Rejection(.duplicate, "A face stands twice.", field: "faces.\(name.text)")
            }
            found[name] = try within("faces.\(name.text)") { () throws(Rejection) in
                try shared.face.read()
            }
        }
        return found
    }

    /// The shared faces to remove; none in a definition that is complete.
    func readCleared() throws(Rejection) -> [ID] {
        guard !hasDigest || dropFaces.isEmpty else {
            throw Rejection(
                .badValue, "A complete definition clears nothing.", field: "dropFaces")
        }
        return try dropFaces.readAll("dropFaces") { name throws(Rejection) in
            let name = try ID(read: name, "name")
            guard !faces.contains(where: { $0.name == name.text }) else {
                throw Rejection(.badValue, "The face is defined as well.")
            }
            return name
        }
    }
}
