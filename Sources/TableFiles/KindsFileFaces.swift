import StrictYAML
import TableModel

// Images of faces in a kinds file (F4).

extension KindsFile {
    enum ImageKey: String, CaseIterable { case path, png, grid, template }

    static func image(_ value: Value) throws(Fault) -> FaceImage {
        let fields = try value.fields(ImageKey.self)
        let data = try fields.one(of: [.path, .png])
        var image: FaceImage
        if data.key == .path {
            image = FaceImage(.path(try data.value.string()))
            if let grid = try fields[.grid]?.list({ side throws(Fault) in try side.double() }) {
                guard grid.count == 2 else {
                    throw value.fault("expected [width, height], found \(grid.count) numbers")
                }
                image.grid = FaceImage.Grid(width: grid[0], height: grid[1])
            }
        } else {
            // Long texts are often folded over lines.
            let text = try data.value.string().filter { !$0.isWhitespace }
            guard let bytes = Base64.bytes(text) else { throw data.value.expected("base64") }
            image = FaceImage(.png(bytes))
            if let grid = fields[.grid] { throw grid.fault("a PNG has a size of its own") }
        }
        image.isTemplate = try fields[.template]?.bool() ?? false
        return image
    }

    static func draft(_ image: FaceImage) -> Draft {
        var out = Keys<ImageKey>()
        switch image.data {
        case .path(let path):
            out[.path] = .text(path)
            if image.grid != FaceImage.Grid() {
                out[.grid] = .list([.number(image.grid.width), .number(image.grid.height)])
            }
        case .png(let bytes): out[.png] = .text(Base64.text(bytes))
        }
        if image.isTemplate { out[.template] = .flag(true) }
        return out.draft
    }
}
