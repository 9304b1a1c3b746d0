// The face of a kind's rows, and the fields that stand out in them (docs/ROWS.md).

extension Kind {
    /// Which of its texts a row shows, where, and in which form. By default a row shows its title and all of its
    /// fields, in the order of their keys.
    public struct Show: Equatable, Sendable {
        /// A template in the title's place; nil: the row's title.
        public var title: String?
        /// Templates of the line below the title; nil: all fields with their keys.
        public var line: [String]?
        /// A template of a badge beside the title; nil: none.
        public var badge: String?
        /// The fields that an opened row shows first, in this order.
        public var detail: [ID] = []
        /// Fields that are not shown unless they stand out.
        public var hide: [ID] = []
        /// The forms of the values of fields.
        public var forms: [ID: ValueForm] = [:]
        /// How many lines the title of a closed row may have.
        public var wrap: UInt64 = 1
        /// The field by whose value rows belong together; nil: none.
        public var group: ID?
        /// The field whose value is the row's own colour; nil: none. It is shown as a colour, and not as a text.
        public var color: ID?

        /// By default as a row without it.
        public init() {}

        /// The title of a closed row has no more lines.
        public static let mostLines: UInt64 = 8
    }

    /// A part of a row that stands out where a condition holds. It is never cut and never hidden.
    public struct Emphasis: Equatable, Sendable {
        /// The rows in which it stands out.
        public var when: RowCondition
        /// The field that stands out; nil: the whole row with its title.
        public var field: ID?
        /// The colour behind it; nil: the viewer's own.
        public var background: String?
        /// The colour of its text; nil: one that is readable on the background.
        public var color: String?
        /// An icon before it; nil: none.
        public var icon: String?

        /// Emphasis in the viewer's own colours.
        public init(
            when: RowCondition, field: ID? = nil, background: String? = nil, color: String? = nil,
            icon: String? = nil
        ) {
            self.when = when
            self.field = field
            self.background = background
            self.color = color
            self.icon = icon
        }
    }

    /// No kind has more emphases: each is a condition that is tried for every row.
    package static let mostEmphases = 16

    /// The emphases that hold for a row with this content, in order.
    public func emphases(of content: Row.Content, in state: Expansion) -> [Emphasis] {
        emphasis.filter { $0.when.holds(for: content, in: state) }
    }
}

/// The form in which a value of a field is shown.
public enum ValueForm: Equatable, Sendable {
    /// Milliseconds since 1970 (UTC) as a time of day: 18:05.
    case clock
    /// Milliseconds since 1970 (UTC) as a day: 2026-11-28.
    case date
    /// Milliseconds since 1970 (UTC) as the time that has passed: 4 m.
    case age
    /// Seconds as a length of time: 7:05, 1:07:05.
    case duration
    /// A number with so many decimals.
    case decimals(Int)

    /// The form of that name; `0.00` is a number with two decimals. Nil: there is none.
    public init?(_ name: String) {
        switch name {
        case "clock": self = .clock
        case "date": self = .date
        case "age": self = .age
        case "duration": self = .duration
        case "0": self = .decimals(0)
        default:
            guard name.utf8.count <= 11, name.hasPrefix("0."), name.utf8.count > 2,
                name.dropFirst(2).allSatisfy({ $0 == "0" })
            else { return nil }
            self = .decimals(name.utf8.count - 2)
        }
    }

    /// Its name.
    public var name: String {
        switch self {
        case .clock: "clock"
        case .date: "date"
        case .age: "age"
        case .duration: "duration"
        case .decimals(let count):
            count == 0 ? "0" : "0." + String(repeating: "0", count: count)
        }
    }

    /// The names of all forms, for messages.
    public static let names = "clock, date, age, duration, 0, 0.0 to 0.000000000"
}

// MARK: The canonical form

extension Kind {
    /// Written only where a kind says something, so that other kinds have the digests they had.
    func writeFace(to writer: inout CanonicalWriter) {
        if show != Show() {
            writer.write("show")
            show.write(to: &writer)
        }
        if !emphasis.isEmpty {
            writer.write("emphasis")
            writer.write(UInt64(emphasis.count))
            for one in emphasis {
                writer.write(one.when.text)
                writer.write(optional: one.field?.text)
                for text in [one.background, one.color, one.icon] { writer.write(optional: text) }
            }
        }
        if let ages, !ages.sections.isEmpty {
            writer.write("ages in")
            writer.write(ages.sections)
        }
        if let ages, ages.since != .made { writer.write("ages since \(ages.since.rawValue)") }
        if !form.isEmpty {
            writer.write("form")
            writer.write(form)
        }
    }
}

extension Kind.Show {
    fileprivate func write(to writer: inout CanonicalWriter) {
        writer.write(optional: title)
        writer.write(line != nil)
        writer.write(UInt64(line?.count ?? 0))
        for part in line ?? [] { writer.write(part) }
        writer.write(optional: badge)
        writer.write(detail)
        writer.write(hide)
        writer.write(UInt64(forms.count))
        for (key, form) in forms.sorted(by: { $0.key < $1.key }) {
            writer.write(key)
            writer.write(form.name)
        }
        writer.write(wrap)
        writer.write(optional: group?.text)
        if let color {
            writer.write("color")
            writer.write(color)
        }
    }
}
