/// How old a row is, if its kind has ages where the row stands. Never negative, although clocks differ.
public struct Age: Equatable, Sendable {
    /// The stage that the kind's ages give.
    public enum Stage: Sendable { case fresh, warned, late }
    /// Since the row was made, or since it moved, as its kind says.
    public let seconds: UInt64
    /// The stage at that age.
    public let stage: Stage

    /// Nil if the kind has no ages in this section, or if the row sleeps: a viewer says until when instead, and
    /// nothing that was put off is late. `nowMs` is milliseconds since 1970 (UTC).
    public init?(of row: Row, kind: Kind?, in section: SectionID, nowMs: UInt64) {
        guard let ages = kind?.ages, ages != Kind.Ages(), row.sleep == nil else { return nil }
        guard ages.sections.isEmpty || ages.sections.contains(section) else { return nil }
        seconds = Self.seconds(since: Self.beganMs(of: row, kind: kind), nowMs: nowMs)
        if let late = ages.lateSeconds, seconds >= late {
            stage = .late
        } else if let warn = ages.warnSeconds, seconds >= warn {
            stage = .warned
        } else {
            stage = .fresh
        }
    }

    /// The moment since which a row's age counts: its making or, if its kind says so, its last move.
    package static func beganMs(of row: Row, kind: Kind?) -> UInt64 {
        kind?.ages?.since == .moved && row.movedMs != 0 ? row.movedMs : row.createdMs
    }

    /// The whole seconds between two moments; 0 if the first is the later one.
    package static func seconds(since beganMs: UInt64, nowMs: UInt64) -> UInt64 {
        nowMs > beganMs ? (nowMs - beganMs) / 1_000 : 0
    }

    /// For what is printed once: for example `now`, `4 m`, `1 h 05`, `3 d`.
    public var text: String { Self.text(seconds: seconds) }

    /// An age for boards, which count: for example `0:42`, `7:05`, `1 h 05`, `3 d`.
    public static func boardText(seconds: UInt64) -> String {
        guard seconds < 3_600 else { return text(seconds: seconds) }
        let rest = seconds % 60
        return "\(seconds / 60):" + (rest < 10 ? "0" : "") + "\(rest)"
    }

    /// An age in the same words.
    public static func text(seconds: UInt64) -> String {
        switch seconds {
        case ..<60: return "now"
        case ..<3_600: return "\(seconds / 60) m"
        case ..<86_400:
            let minutes = seconds / 60 % 60
            return "\(seconds / 3_600) h " + (minutes < 10 ? "0" : "") + "\(minutes)"
        default: return "\(seconds / 86_400) d"
        }
    }
}
