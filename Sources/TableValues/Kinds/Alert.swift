/// A rule by which a screen makes people notice rows (docs/ROWS.md). Each screen applies it to the sections that it shows,
/// and has switches of its own.
public struct Alert: Canonical, Equatable, Sendable {
    /// The news that it is about.
    public var event: Event
    /// The sections in which it counts; empty: in all.
    public var sections: [SectionID]
    /// The kinds of rows of which it counts; empty: of all.
    public var kinds: [KindID]
    /// The sound, where a screen may sound.
    public var sound: Sound
    /// Seconds after which it sounds again until somebody touches the screen; 0: it sounds once.
    public var repeatSeconds: UInt64

    /// A rule that sounds once, for rows of all kinds in all sections.
    public init(
        _ event: Event, in sections: [SectionID] = [], of kinds: [KindID] = [],
        sound: Sound = .chime, repeatSeconds: UInt64 = 0
    ) {
        self.event = event
        self.sections = sections
        self.kinds = kinds
        self.sound = sound
        self.repeatSeconds = repeatSeconds
    }

    /// The news about a row.
    public enum Event: String, Sendable, CaseIterable {
        /// It is new on this screen, also where it came by a move.
        case new
        /// It has become late, as its kind's `ages` say.
        case late
        /// An emphasis of its kind holds that did not.
        case emphasised
        /// An action on it has failed.
        case failed
    }

    /// The sounds that a screen can make.
    public enum Sound: String, Sendable, CaseIterable {
        case chime, bell, alarm, none
    }

    /// Rules of a table, at most: each is tried for every row.
    public static let most = 16
    /// Sections, and kinds, that one rule names, at most.
    public static let mostNames = 64
    /// The longest time between two sounds: an hour.
    public static let mostRepeatSeconds: UInt64 = 3_600

    func write(to writer: inout CanonicalWriter) {
        writer.write(event.rawValue)
        writer.write(sections)
        writer.write(kinds)
        writer.write(sound.rawValue)
        writer.write(repeatSeconds)
    }
}
