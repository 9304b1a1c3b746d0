/// An image that a face brings along (F4): a drawing as SVG path data, or a PNG.
public struct FaceImage: Equatable, Sendable {
    /// The image itself.
    public enum Data: Equatable, Sendable {
        /// Commands of an SVG path. The shape is filled.
        case path(String)
        /// A file in the format PNG.
        case png([UInt8])
    }

    /// The image itself.
    public var data: Data
    /// Width and height of the grid that a path is drawn on; a PNG has its own.
    public var grid: Grid
    /// Tinted: only its shape counts, in the colour of the face. Else a PNG has its own colours,
    /// and a path its part's own colour, or black.
    public var isTemplate: Bool

    /// Width and height, in any unit.
    public struct Grid: Equatable, Sendable {
        public var width: Double, height: Double

        /// By default 24 × 24, as most icon sets have it.
        public init(width: Double = 24, height: Double = 24) {
            self.width = width
            self.height = height
        }
    }

    /// By default with its own colours, and paths on a grid of 24 × 24.
    public init(_ data: Data, grid: Grid = Grid(), isTemplate: Bool = false) {
        self.data = data
        self.grid = grid
        self.isTemplate = isTemplate
    }

    /// Width and height: those of the grid, or the pixels of a PNG.
    public var size: Grid {
        guard case .png(let bytes) = data, let pixels = PNG.pixels(of: bytes) else { return grid }
        return Grid(width: Double(pixels.width), height: Double(pixels.height))
    }

    /// Width divided by height; above 0, and 1 for an image that is none.
    public var aspect: Double {
        let size = size
        let ratio = size.width / size.height
        return ratio.isFinite && ratio > 0 ? ratio : 1
    }

    /// It is an image: the path is well formed, or the PNG is whole.
    public var isSound: Bool {
        switch data {
        case .path(let path): return PathData.fault(path) == nil
        case .png(let bytes): return PNG(bytes) != nil
        }
    }

    /// Bytes of the path or of the file.
    package var byteCount: Int {
        switch data {
        case .path(let path): return path.utf8.count
        case .png(let bytes): return bytes.count
        }
    }

    func write(to writer: inout CanonicalWriter) {
        writer.write("image")
        switch data {
        case .path(let path):
            writer.write("path")
            writer.write(path)
            writer.write(grid.width)
            writer.write(grid.height)
        case .png(let bytes):
            writer.write("png")
            writer.write(Base64.text(bytes))
        }
        writer.write(isTemplate)
    }
}
