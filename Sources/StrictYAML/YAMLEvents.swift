import CYAML

/// The events of a YAML text, one by one, as libyaml finds them.
///
/// libyaml reads as far as the next event needs, and keeps no more than its own stack of open lists and
/// mappings: who stops asking stops the reading.
struct YAMLEvents: ~Copyable {
    /// An event of libyaml.
    struct Event {
        enum Content {
            case scalar(String, quoted: Bool)
            case listStart, mappingStart
            /// The end of a list, a mapping or a document.
            case end
            case alias
            case documentStart, streamEnd
        }
        let content: Content
        let place: Node.Place
        /// It has an anchor or a tag.
        var isMarked = false
    }

    /// Why there is no next event.
    struct Problem: Error {
        let text: String
        let line: Int
        /// Nil: only the line is known.
        let column: Int?

        static let second =
            "a second document begins here, and a file holds one: join them, or make two files"
        static let tab =
            "a tab stands here, and YAML indents with blanks alone: put blanks in its place"
        static let comment = "a `#` behind a blank begins a comment: a colour stands in quotes"
    }

    private let parser: UnsafeMutablePointer<yaml_parser_t>
    /// libyaml reads where the text lies.
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ text: String) {
        parser = .allocate(capacity: 1)
        bytes = .allocate(capacity: text.utf8.count)
        _ = bytes.initialize(from: text.utf8)
        guard yaml_parser_initialize(parser) == 1 else { fatalError("no memory for a parser") }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        bytes.deallocate()
    }

    /// The next event. After `streamEnd` and after a problem there is none.
    mutating func next() throws(Problem) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem }
        defer { yaml_event_delete(&event) }
        let place = Node.Place(event.start_mark)
        switch event.type {
        case YAML_STREAM_START_EVENT: return try next()
        case YAML_DOCUMENT_START_EVENT: return Event(content: .documentStart, place: place)
        case YAML_DOCUMENT_END_EVENT, YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
            return Event(content: .end, place: place)
        case YAML_ALIAS_EVENT: return Event(content: .alias, place: place)
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length),
                as: UTF8.self)
            let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            return Event(
                content: .scalar(text, quoted: !isPlain), place: place,
                isMarked: scalar.anchor != nil || scalar.tag != nil)
        case YAML_SEQUENCE_START_EVENT:
            let start = event.data.sequence_start
            return Event(
                content: .listStart, place: place,
                isMarked: start.anchor != nil || start.tag != nil)
        case YAML_MAPPING_START_EVENT:
            let start = event.data.mapping_start
            return Event(
                content: .mappingStart, place: place,
                isMarked: start.anchor != nil || start.tag != nil)
        default: return Event(content: .streamEnd, place: place)
        }
    }

    /// The fault that libyaml reports. Where it cannot read a character it knows the byte alone.
    private var problem: Problem {
        let text = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
        guard parser.pointee.error == YAML_READER_ERROR else {
            let place = Node.Place(parser.pointee.problem_mark)
            return Problem(text: said(text, place), line: place.line, column: place.column)
        }
        let before = bytes.prefix(parser.pointee.problem_offset)
        let lines = String(decoding: before, as: UTF8.self).count(where: \.isNewline)
        return Problem(text: text, line: 1 + lines, column: nil)
    }

    /// libyaml's words, or better ones for what people do most.
    private func said(_ text: String, _ place: Node.Place) -> String {
        if text == "did not find expected <document start>" { return Problem.second }
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        let line = lines.dropFirst(place.line - 1).first
        let scalars = line.map { String(decoding: $0, as: UTF8.self).unicodeScalars }
        if scalars?.dropFirst(place.column - 1).first == "\t" { return Problem.tab }
        // A brace behind a colour without quotes is part of the comment, so that something is missing further down.
        let hasComment = lines.prefix(place.line).suffix(2).contains { line in
            let parts = line.split(separator: UInt8(ascii: "#"), omittingEmptySubsequences: false)
            return zip(parts, parts.dropFirst()).contains { before, digits in
                before.suffix(2).elementsEqual(": ".utf8)
                    && digits.prefix { Unicode.Scalar($0).properties.isASCIIHexDigit }.count >= 3
            }
        }
        return hasComment ? "\(text) (\(Problem.comment))" : text
    }
}

extension Node.Place {
    /// libyaml counts both from 0.
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: mark.line + 1, column: mark.column + 1)
    }
}
