internal import TableModel

/// Counts what a request holds, without building anything of it.
///
/// Lists are counted for each message that is an element of a list, or the request itself: a message that
/// a field holds once may be sent in pieces, and its lists go on in each of them.
struct ElementCounter {
    /// By the places of `Holder.Most`.
    private let limits: [Int]
    /// Messages and entries of maps so far.
    private(set) var total = 0
    /// The counts of the lists of the messages that are being read, the outermost message first.
    private var counts: [Int] = []

    init(limits: Limits) {
        self.limits = Holder.Most.allCases.map { $0.limit(in: limits) }
    }

    // MARK: Binary

    /// Counts an element of a list, or the request. `level` is how many messages enclose it.
    mutating func element(
        _ bytes: UnsafeRawBufferPointer, of holder: Holder, level: Int
    ) throws(Rejection) {
        let lists = HeldLists.of(holder)
        let base = begin(lists)
        try fields(bytes, of: holder, listsFrom: base, level: level)
        try end(lists, base)
    }

    private mutating func fields(
        _ bytes: UnsafeRawBufferPointer, of holder: Holder, listsFrom base: Int, level: Int
    ) throws(Rejection) {
        // Deeper ones are refused before they are built.
        guard level <= depthLimit, holder != .leaf else { return }
        let lists = HeldLists.of(holder)
        var reader = TagReader(bytes)
        while let next = reader.next() {
            guard let content = next.content, let field = lists.field(next.number) else { continue }
            total += 1
            switch field.kind {
            case .one(let child):
                try within(field.name) { () throws(Rejection) in
                    try fields(content, of: child, listsFrom: base + field.list, level: level + 1)
                }
            case .many(let child):
                // Where there are too many nobody looks into the rest.
                if isFull(field.list, from: base, lists) || child == .leaf || content.isEmpty {
                    continue
                }
                do throws(Rejection) {
                    try element(content, of: child, level: level + 1)
                } catch { throw placed(error, in: field.list, of: base, lists) }
            case .entries: counts[base + field.list] += 1
            }
        }
    }

    // MARK: JSON

    /// As above. False: what follows is not JSON of the schema, and nobody reads it.
    mutating func element(
        _ text: inout JSONStructure, of holder: Holder, level: Int
    ) throws(Rejection) -> Bool {
        let lists = HeldLists.of(holder)
        let base = begin(lists)
        let isWhole = try members(&text, of: holder, listsFrom: base, level: level)
        try end(lists, base)
        return isWhole
    }

    private mutating func members(
        _ text: inout JSONStructure, of holder: Holder, listsFrom base: Int, level: Int
    ) throws(Rejection) -> Bool {
        guard level <= depthLimit else { return false }
        guard holder != .leaf, text.peeks("{") else { return text.skipValue() }
        let lists = HeldLists.of(holder)
        return try text.object { text, key throws(Rejection) in
            guard let field = lists.field(key) else { return text.skipValue() }
            switch field.kind {
            case .one(let child):
                total += 1
                return try within(field.name) { () throws(Rejection) in
                    try members(&text, of: child, listsFrom: base + field.list, level: level + 1)
                }
            case .many(let child):
                return try text.array { text throws(Rejection) in
                    total += 1
                    if isFull(field.list, from: base, lists) || child == .leaf {
                        return text.skipValue()
                    }
                    do throws(Rejection) {
                        return try element(&text, of: child, level: level + 1)
                    } catch { throw placed(error, in: field.list, of: base, lists) }
                }
            case .entries:
                return try text.object { text, _ throws(Rejection) in
                    total += 1
                    counts[base + field.list] += 1
                    return text.skipValue()
                }
            }
        }
    }

    // MARK: Lists

    private mutating func begin(_ lists: HeldLists) -> Int {
        counts.append(contentsOf: repeatElement(0, count: lists.all.count))
        return counts.count - lists.all.count
    }

    /// Counts one more. Whether these are too many.
    private mutating func isFull(_ list: Int, from base: Int, _ lists: HeldLists) -> Bool {
        counts[base + list] += 1
        guard let most = lists.all[list].most else { return false }
        return counts[base + list] > limits[most.rawValue]
    }

    private mutating func end(_ lists: HeldLists, _ base: Int) throws(Rejection) {
        for index in lists.all.indices where counts[base + index] > 0 {
            guard let most = lists.all[index].most else { continue }
            let (count, limit) = (counts[base + index], limits[most.rawValue])
            if count > limit {
                throw .tooMuch(most.word, count, limit: limit, lists.all[index].path)
            }
        }
        counts.removeLast(lists.all.count)
    }
}

extension ElementCounter {
    /// A refusal of an element of a list, with the field from this message down.
    private func placed(
        _ rejection: Rejection, in list: Int, of base: Int, _ lists: HeldLists
    ) -> Rejection {
        let (path, index) = (lists.all[list].path, counts[base + list] - 1)
        let isCommand = lists.all[list].isCommands
        var rejection = rejection
        let inner = rejection.field.map { ".\($0)" } ?? ""
        rejection.field = isCommand ? "\(path)\(inner)" : "\(path)[\(index)]\(inner)"
        if isCommand { rejection.command = index }
        return rejection
    }
}

/// The lists of a message, and those of the messages that it holds once.
final class HeldLists: Sendable {
    struct List {
        /// Its field, from the message down.
        let path: String
        let most: Holder.Most?
        /// Whether it is a batch's. A refusal then counts the command, and does not name its place.
        let isCommands: Bool
    }

    enum Kind {
        case one(Holder)
        case many(Holder)
        case entries
    }

    struct Field {
        let number: UInt64
        let name: String
        /// In JSON, and in the schema: both may be written.
        let names: [[UInt8]]
        let kind: Kind
        /// Its list; of what a message holds once, the first list in that.
        let list: Int
    }

    let all: [List]
    private let fields: [Field]
    /// One more than the place of a field, by its number.
    private let places: [Int]

    private static let byHolder = Holder.allCases.map { HeldLists($0) }

    static func of(_ holder: Holder) -> HeldLists { byHolder[holder.rawValue] }

    private init(_ holder: Holder) {
        var all: [List] = []
        var fields: [Field] = []
        for field in holder.fields {
            let kind: Kind =
                switch field.count {
                case .one(let child): .one(child)
                case .many(let child, _): .many(child)
                case .entries: .entries
                }
            let names = Set([field.jsonName, field.name]).map { Array($0.utf8) }
            fields.append(
                Field(
                    number: field.number, name: field.jsonName, names: names, kind: kind,
                    list: all.count))
            all += Self.lists(of: field)
        }
        var places = [Int](repeating: 0, count: 128)
        for (place, field) in fields.enumerated() { places[Int(field.number)] = place + 1 }
        (self.all, self.fields, self.places) = (all, fields, places)
    }

    private static func lists(of field: Holder.Field) -> [List] {
        switch field.count {
        case .one(let child):
            child.fields.flatMap { lists(of: $0) }.map {
                List(
                    path: "\(field.jsonName).\($0.path)", most: $0.most, isCommands: $0.isCommands)
            }
        case .many(let child, let most):
            [List(path: field.jsonName, most: most, isCommands: child == .command)]
        case .entries(let most): [List(path: field.jsonName, most: most, isCommands: false)]
        }
    }

    func field(_ number: UInt64) -> Field? {
        guard number < places.count, places[Int(number)] > 0 else { return nil }
        return fields[places[Int(number)] - 1]
    }

    func field(_ name: UnsafeRawBufferPointer) -> Field? {
        fields.first { $0.names.contains { $0.elementsEqual(name) } }
    }
}

extension Holder.Field {
    /// Its name in JSON: without underscores, and the letter after each is a capital.
    var jsonName: String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(String(words.first ?? "")) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }
}
