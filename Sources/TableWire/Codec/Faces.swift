internal import TableModel

extension Face {
    func write<S: Sink>(to s: inout S) {
        switch content {
        case .vertical(let parts): s.message(1, "vertical") { Self.write(parts, to: &$0) }
        case .horizontal(let parts): s.message(2, "horizontal") { Self.write(parts, to: &$0) }
        case .icon(let name): s.text(3, "icon", name)
        case .text(let text): s.text(4, "text", text)
        case .spacer(let points): s.double(5, "spacer", points)
        case .image, .shared: break
        }
        s.double(6, "size", sizePoints)
        s.text(7, "weight", weight)
        s.text(8, "color", color)
        s.text(9, "align", align)
        s.double(10, "spacing", spacingPoints)
        s.doubles(11, "insets", insets.sides)
        if case .image(let image) = content { s.message(12, "image") { image.write(to: &$0) } }
        if case .shared(let name) = content { s.id(13, "face", name) }
        s.texts(14, "family", families)
        s.flag(15, "italic", isItalic)
    }

    private static func write<S: Sink>(_ parts: [Face], to s: inout S) {
        s.messages(1, "parts", parts) { $0.write(to: &$1) }
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Face {
        var (face, content, insets) = (Face(.text("")), FaceContent?.none, [Double]())
        while try s.more() {
            try s.choice(1, "vertical", &content, parts(from:)) { .vertical($0) }
            try s.choice(2, "horizontal", &content, parts(from:)) { .horizontal($0) }
            try s.choice(3, "icon", &content, text: { .icon($0) })
            try s.choice(4, "text", &content, text: { .text($0) })
            try s.choice(5, "spacer", &content, double: { .spacer($0) })
            try s.double(6, "size", &face.sizePoints)
            try s.text(7, "weight", &face.weight)
            try s.text(8, "color", &face.color)
            try s.text(9, "align", &face.align)
            try s.double(10, "spacing", &face.spacingPoints)
            try s.doubles(11, "insets", &insets)
            try s.choice(12, "image", &content, FaceImage.read(from:)) { .image($0) }
            try s.choice(13, "face", &content, id: { .shared($0) })
            try s.texts(14, "family", &face.families)
            try s.flag(15, "italic", &face.isItalic)
        }
        guard let content else {
            throw Refusal(
                .malformed, "One of: vertical, horizontal, icon, text, spacer, image, face.")
        }
        face.content = content
        face.insets = try Look.Insets.read(insets)
        return face
    }

    private static func parts<S: Source>(from s: inout S) throws(Refusal) -> [Face] {
        try s.only(1, "parts", Face.read(from:))
    }
}

extension FaceImage {
    func write<S: Sink>(to s: inout S) {
        switch data {
        case .path(let path):
            s.text(1, "path", path)
            if grid != Grid() { s.doubles(3, "grid", [grid.width, grid.height]) }
        case .png(let bytes): s.bytes(2, "png", bytes[...])
        }
        s.flag(4, "template", ifSet: isTemplate)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> FaceImage {
        var (path, png): (String?, [UInt8]?) = (nil, nil)
        var (grid, isTemplate): ([Double], Bool) = ([], false)
        while try s.more() {
            try s.text(1, "path", &path)
            try s.bytes(2, "png", &png)
            try s.doubles(3, "grid", &grid)
            try s.flag(4, "template", &isTemplate)
        }
        if S.isJSON, path != nil, png != nil { throw .twice("png") }
        guard let data: Data = png.map({ .png($0) }) ?? path.map({ .path($0) }) else {
            throw Refusal(.malformed, "One of: path, png.")
        }
        var image = FaceImage(data)
        image.isTemplate = isTemplate
        if grid.isEmpty { return image }
        guard case .path = data, grid.count == 2 else {
            throw Refusal(.badValue, "A path has a grid, of two numbers: width, height.", "grid")
        }
        image.grid = Grid(width: grid[0], height: grid[1])
        return image
    }
}

extension Kind.Show {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "title", title)
        if let line { s.message(2, "line") { $0.texts(1, "parts", line) } }
        s.text(3, "badge", badge)
        s.ids(4, "detail", detail)
        s.ids(5, "hide", hide)
        s.map(6, "as", forms.map { Row.Field($0.key, $0.value.name) })
        if wrap != 1 { s.number(7, "wrap", wrap) }
        s.id(8, "group", group)
        s.id(9, "color", color)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var show = Self()
        var forms: [Row.Field] = []
        let most = s.bounds.fields
        while try s.more() {
            try s.text(1, "title", &show.title)
            try s.one(2, "line", &show.line) { (s) throws(Refusal) in
                var parts: [String] = []
                while try s.more() { try s.texts(1, "parts", &parts) }
                return parts
            }
            try s.text(3, "badge", &show.badge)
            try s.ids(4, "detail", &show.detail, most: most)
            try s.ids(5, "hide", &show.hide, most: most)
            try s.map(6, "as", &forms)
            try s.number(7, "wrap", &show.wrap)
            try s.id(8, "group", &show.group)
            try s.id(9, "color", &show.color)
        }
        for field in forms {
            guard let form = ValueForm(field.value) else {
                throw Refusal(.badValue, "One of: \(ValueForm.names).", "as")
            }
            show.forms[field.key] = form
        }
        return show
    }
}

extension Kind.Emphasis {
    func write<S: Sink>(to s: inout S) {
        s.text(1, "when", unlessEmpty: when.text)
        s.id(2, "field", field)
        s.text(3, "background", background)
        s.text(4, "color", color)
        s.text(5, "icon", icon)
    }

    static func read<S: Source>(from s: inout S) throws(Refusal) -> Self {
        var when = ""
        var look = Self(when: RowCondition(""))
        while try s.more() {
            try s.text(1, "when", &when)
            try s.id(2, "field", &look.field)
            try s.text(3, "background", &look.background)
            try s.text(4, "color", &look.color)
            try s.text(5, "icon", &look.icon)
        }
        look.when = RowCondition(when)
        return look
    }
}
