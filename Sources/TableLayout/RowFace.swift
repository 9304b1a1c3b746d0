public import TableModel

/// The texts that a row shows, as its kind says (docs/ROWS.md). Terminals, pictures and `trestle show` follow it;
/// web/src/layout/rowface.js says the same for pages.
public struct RowFace: Equatable, Sendable {
    /// The title: the kind's template where all its names have values, or else the row's own.
    public let title: String
    /// The parts of the line below the title, without those that stand out.
    public let line: [String]
    /// In the badge beside the title; nil: none.
    public let badge: String?
    /// The fields that stand out, in the order of the kind's list.
    public let emphasised: [Emphasised]
    /// The other fields of an opened row, in order.
    public let details: [Field]
    /// How the whole row stands out; nil: it does not.
    public let row: Kind.Emphasis?

    /// A field and its value in the form that the kind says.
    public struct Field: Equatable, Sendable {
        /// The field's name.
        public let key: ID
        /// Its value as people see it.
        public let value: String
        /// Both in one text, as an opened row has it.
        public var text: String { "\(key.text): \(value)" }
    }

    /// A field that stands out.
    public struct Emphasised: Equatable, Sendable {
        /// Its text: the part of the line that names it, or else its value.
        public let text: String
        /// Its colours and its icon.
        public let look: Kind.Emphasis
    }

    /// The present and the zone, for values in the forms of times.
    public struct Clock: Equatable, Sendable {
        /// Milliseconds since 1970 (UTC); nil: the form `age` is shown as `clock`.
        public var nowMs: UInt64?
        /// Seconds that the viewer's time of day is ahead of UTC.
        public var zoneSeconds: Int

        /// By default there is no present, and the time of day is that of UTC.
        public init(nowMs: UInt64? = nil, zoneSeconds: Int = 0) {
            self.nowMs = nowMs
            self.zoneSeconds = zoneSeconds
        }
    }

    /// The face of a row with this content, in this state.
    ///
    /// Title and emphasised texts are wrapped, and heights must not depend on the present: there the form `age` is
    /// shown as `clock`. `plain` gives what is shown for a value without a form, and `count` the number that stands for
    /// a name such as `count(group where …)` in the line and the badge; nil: there is none. Without it, as where heights
    /// are measured, each row of a group has a number.
    public init(
        _ content: Row.Content, _ state: Expansion, kind: Kind, clock: Clock = Clock(),
        plain: (String) -> String = { $0 }, count: ((String) -> String?)? = nil
    ) {
        let show = kind.show
        let emphases = kind.emphasis.isEmpty ? [] : kind.emphases(of: content, in: state)
        let timeless = Clock(zoneSeconds: clock.zoneSeconds)
        func fixed(_ key: ID) -> String? {
            content.value(of: key).map { value in
                show.forms[key].map { $0.text(value, timeless) } ?? value
            }
        }
        func value(_ key: ID, _ value: String) -> String {
            show.forms[key].map { $0.text(value, clock) } ?? plain(value)
        }
        let isGrouped = show.group.flatMap(content.value(of:))?.isEmpty == false
        func present(_ name: Template.Name) -> String? {
            switch name {
            case .title: return content.title
            case .field(let key): return content.value(of: key).map { value(key, $0) }
            case .count(let text): return isGrouped ? count.map { $0(text) } ?? "0" : nil
            }
        }
        func steady(_ name: Template.Name) -> String? {
            switch name {
            case .title: return content.title
            case .field(let key): return fixed(key)
            case .count: return nil
            }
        }
        let parts = (show.line ?? []).map { Template($0) }
        var taken: Set<ID> = []
        var emphasised: [Emphasised] = []
        for look in emphases {
            guard let key = look.field, let value = fixed(key), !value.isEmpty,
                taken.insert(key).inserted
            else { continue }
            let part = parts.lazy.compactMap { $0 }.first { $0.fields.contains(key) }
            emphasised.append(Emphasised(text: part?.text(steady) ?? value, look: look))
        }
        self.emphasised = emphasised
        row = emphases.first { $0.field == nil }
        title = show.title.flatMap { Template($0) }?.text(steady) ?? content.title
        badge = show.badge.flatMap { Template($0) }?.text(present)
        let fields = content.fields
        let hidden = taken.union(show.hide).union(show.color.map { [$0] } ?? [])
        if show.line != nil {
            line = parts.compactMap { part in
                guard let part, taken.isDisjoint(with: part.fields) else { return nil }
                return part.text(present)
            }
        } else {
            line = fields.filter { !hidden.contains($0.key) }
                .map { "\($0.key.text) \(value($0.key, $0.value))" }
        }
        let first = show.detail.compactMap { key in fields.first { $0.key == key } }
        let rest = show.detail.isEmpty ? fields : fields.filter { !show.detail.contains($0.key) }
        details =
            first.filter { !taken.contains($0.key) }
            .map { Field(key: $0.key, value: value($0.key, $0.value)) }
            + rest.filter { !hidden.contains($0.key) }
            .map { Field(key: $0.key, value: value($0.key, $0.value)) }
    }
}

extension Template {
    /// The fields that it names.
    fileprivate var fields: [ID] {
        parts.compactMap { part in
            guard case .name(let name) = part, case .field(let key) = Name(name) else { return nil }
            return key
        }
    }

    /// A name in braces.
    fileprivate enum Name {
        case title
        /// `{field.title}` is the field `title`.
        case field(ID)
        /// A number of rows of the row's group.
        case count(String)

        init(_ name: String) {
            if name == "title" {
                self = .title
            } else if Template.isCount(name) {
                self = .count(name)
            } else {
                self = .field(ID(name.hasPrefix("field.") ? String(name.dropFirst(6)) : name))
            }
        }
    }

    /// The text with its names replaced; nil: one of them has no value, or there is more than a screen would show.
    fileprivate func text(_ value: (Name) -> String?) -> String? {
        var isWhole = true
        let text = filled(atMost: Self.mostBytes) { name in
            let found = value(Name(name)) ?? ""
            if found.isEmpty { isWhole = false }
            return found
        }
        return isWhole ? text : nil
    }

    private static let mostBytes = 16_384
}

extension Row.Sleep {
    /// Until when it sleeps, as viewers show it: the time of day, or the day where that is more than a day ahead.
    public func text(_ clock: RowFace.Clock) -> String { "until \(time(clock))" }

    /// That time of day, or day.
    public func time(_ clock: RowFace.Clock) -> String {
        let isFar = clock.nowMs.map { untilMs > $0 && untilMs - $0 >= 86_400_000 } ?? false
        return (isFar ? ValueForm.date : .clock).text("\(untilMs)", clock)
    }
}

extension ValueForm {
    /// A value in this form; one that has no such form stays as it is.
    func text(_ value: String, _ clock: RowFace.Clock) -> String {
        switch self {
        case .decimals(let count): return Self.rounded(value, to: count) ?? value
        case .duration:
            guard let seconds = Self.whole(value), seconds <= 999_999_999 else { return value }
            let (minutes, rest) = (seconds / 60, Self.two(seconds % 60))
            if minutes < 60 { return "\(minutes):\(rest)" }
            return "\(minutes / 60):\(Self.two(minutes % 60)):\(rest)"
        case .clock, .date, .age:
            guard let timeMs = Self.whole(value), timeMs <= Limits().timeMs else { return value }
            if self == .age, let nowMs = clock.nowMs {
                return Age.boardText(seconds: nowMs > timeMs ? (nowMs - timeMs) / 1_000 : 0)
            }
            let seconds = max(0, Int(timeMs / 1_000) + clock.zoneSeconds)
            if self == .date { return Self.date(days: seconds / 86_400) }
            let minutes = UInt64(seconds % 86_400 / 60)
            return "\(Self.two(minutes / 60)):\(Self.two(minutes % 60))"
        }
    }

    /// Digits alone, as every language reads them.
    private static func whole(_ text: String) -> UInt64? {
        let isPlain = (1...15).contains(text.utf8.count) && text.utf8.allSatisfy { 48...57 ~= $0 }
        return isPlain ? UInt64(text) : nil
    }

    private static func two(_ number: UInt64) -> String { (number < 10 ? "0" : "") + "\(number)" }

    /// The day of the proleptic Gregorian calendar so many days after 1970-01-01.
    private static func date(days: Int) -> String {
        // Eras of 400 years that begin in March, so that the leap day is the last of its year.
        let day = days + 719_468
        let (era, ofEra) = (day / 146_097, day % 146_097)
        let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let march = (5 * ofYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        let calendarYear = era * 400 + year + (month <= 2 ? 1 : 0)
        let padding = String(repeating: "0", count: max(0, 4 - "\(calendarYear)".count))
        let dayOfMonth = ofYear - (153 * march + 2) / 5 + 1
        return "\(padding)\(calendarYear)-\(two(UInt64(month)))-\(two(UInt64(dayOfMonth)))"
    }

    /// A decimal number with so many decimals, halves away from zero; nil: the text is none. By its digits, so that
    /// every language rounds alike.
    private static func rounded(_ text: String, to decimals: Int) -> String? {
        let isNegative = text.hasPrefix("-")
        let parts = text.utf8.dropFirst(isNegative ? 1 : 0)
            .split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard text.utf8.count <= 40, 1...2 ~= parts.count,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { 48...57 ~= $0 } })
        else { return nil }
        let fraction = parts.count > 1 ? Array(parts[1]) : []
        var digits = Array(parts[0]) + fraction.prefix(decimals)
        digits += Array(repeating: 48, count: max(0, decimals - fraction.count))
        if fraction.count > decimals, fraction[decimals] >= UInt8(ascii: "5") {
            var index = digits.count - 1
            while index >= 0, digits[index] == UInt8(ascii: "9") {
                digits[index] = 48
                index -= 1
            }
            if index < 0 { digits.insert(UInt8(ascii: "1"), at: 0) } else { digits[index] += 1 }
        }
        let zeros = digits.dropLast(decimals + 1).prefix { $0 == 48 }.count
        let kept = digits.dropFirst(zeros)
        let whole = String(decoding: kept.dropLast(decimals), as: UTF8.self)
        let rest = decimals == 0 ? "" : "." + String(decoding: kept.suffix(decimals), as: UTF8.self)
        return (isNegative && kept.contains { $0 != 48 } ? "-" : "") + whole + rest
    }
}
