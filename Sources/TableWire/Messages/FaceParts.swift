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
