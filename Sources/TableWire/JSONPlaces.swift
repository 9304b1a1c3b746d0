/// Where the values of a JSON text stand, for a sentence about what is wrong with it.
struct JSONPlaces {
    struct Place {
        /// As a refusal names a field: `command.add.title`, `commands[1]`.
        let path: String
        let range: Range<Int>
        /// The sort of value, in words.
        let what: String
    }

    /// A value that encloses others comes after them.
    private(set) var places: [Place] = []
    /// The first byte that cannot stand where it stands; nil: it is JSON.
    private(set) var wrongAt: Int?

    private let bytes: UnsafeRawBufferPointer
    private var at = 0
    private static let depth = 100

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        if !value("", depth: 0) || next != nil { wrongAt = at }
    }

    /// The next byte that is no blank.
    private var next: UInt8? {
        mutating get {
            while at < bytes.count, [32, 9, 10, 13].contains(bytes[at]) { at += 1 }
            return at < bytes.count ? bytes[at] : nil
        }
    }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    /// False: it is no value.
    private mutating func value(_ path: String, depth: Int) -> Bool {
        guard depth <= Self.depth, let first = next else { return false }
        let start = at
        let what: String
        switch first {
        case UInt8(ascii: "{"):
            guard object(path, depth: depth) else { return false }
            what = "an object"
        case UInt8(ascii: "["):
            guard list(path, depth: depth) else { return false }
            what = "a list"
        case UInt8(ascii: "\""):
            guard text() != nil else { return false }
            what = "text"
        default:
            let word = bytes[at...].prefix { $0.isOfWord }
            switch String(decoding: word, as: UTF8.self) {
            case "true", "false": what = "true or false"
            case "null": what = "null"
            case let number where Double(number) != nil && number.utf8.allSatisfy(\.isOfNumber):
                what = "a number"
            default: return false
            }
            at += word.count
        }
        places.append(Place(path: path, range: start..<at, what: what))
        return true
    }

    private mutating func object(_ path: String, depth: Int) -> Bool {
        at += 1
        if takes("}") { return true }
        repeat {
            guard next == UInt8(ascii: "\""), let key = text(), takes(":"),
                value(path.isEmpty ? key : "\(path).\(key)", depth: depth + 1)
            else { return false }
        } while takes(",")
        return takes("}")
    }

    private mutating func list(_ path: String, depth: Int) -> Bool {
        at += 1
        if takes("]") { return true }
        var index = 0
        repeat {
            guard value("\(path)[\(index)]", depth: depth + 1) else { return false }
            index += 1
        } while takes(",")
        return takes("]")
    }

    /// The text between two quotation marks, with its escapes.
    private mutating func text() -> String? {
        var end = at + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") {
            // A control character cannot stand there.
            if bytes[end] < 32 { break }
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
            at = min(end, bytes.count)
            return nil
        }
        defer { at = end + 1 }
        return String(decoding: bytes[(at + 1)..<end], as: UTF8.self)
    }
}

extension UInt8 {
    fileprivate var isOfWord: Bool {
        65...90 ~= self || 97...122 ~= self || isOfNumber
    }

    /// A digit, a sign, a point or an exponent.
    fileprivate var isOfNumber: Bool {
        48...57 ~= self || [43, 45, 46, 69, 101].contains(self)
    }
}
