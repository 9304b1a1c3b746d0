/// How viewers move things: durations, and how a lifted row looks (F1). It is data that viewers get
/// with the kinds. State never waits for it (B10).
public struct Motion: Equatable, Sendable {
    /// The values that differ from the standard.
    private var changed: [Key: Double] = [:]

    /// Everything as standard.
    public init() {}

    /// A value: seconds, points, or a factor. A value that is standard is the same as none.
    public subscript(key: Key) -> Double {
        get { changed[key] ?? key.standard }
        set { changed[key] = newValue == key.standard ? nil : newValue }
    }

    /// The values of a motion profile, in the order in which they are printed.
    public enum Key: String, Sendable, CaseIterable {
        /// Seconds in which a circular face goes to its new place; the first time at once (A16).
        case circular
        case circularFirst
        /// Seconds in which a custom face goes to its new place: it moves with the swipe.
        case face
        /// Seconds in which a row expands or collapses (C4).
        case expand
        /// Seconds for which a row is pressed until it is lifted (B8).
        case longPress
        /// Seconds in which a row is lifted, and in which it is dropped.
        case lift
        case drop
        /// How large and how opaque a lifted row is, as factors.
        case liftedScale
        case liftedAlpha
        /// The shadow of a lifted row: its offset and radius in points, and its opacity.
        case shadowX
        case shadowY
        case shadowRadius
        case shadowOpacity
        /// 1: the row itself is hidden while it is lifted; 0: it stays where it was.
        case hidesLifted

        /// The value of a table that says nothing.
        public var standard: Double {
            switch self {
            case .circular, .longPress: return 0.5
            case .circularFirst, .face, .shadowY: return 0
            case .expand, .lift, .drop: return 0.3
            case .liftedScale: return 1.05
            case .liftedAlpha: return 0.98
            case .shadowX: return -5
            case .shadowRadius: return 5
            case .shadowOpacity: return 0.4
            case .hidesLifted: return 1
            }
        }

        /// The values that a table may set.
        public var range: ClosedRange<Double> {
            switch self {
            case .circular, .circularFirst, .face, .expand, .longPress, .lift, .drop: return 0...10
            case .liftedScale: return 0.1...10
            case .liftedAlpha, .shadowOpacity, .hidesLifted: return 0...1
            case .shadowX, .shadowY: return -100...100
            case .shadowRadius: return 0...100
            }
        }
    }

    func write(to writer: inout CanonicalWriter) {
        // Only what is not standard, after the name: a table without it keeps its digest.
        if changed.isEmpty { return }
        writer.write("motion")
        writer.write(UInt64(changed.count))
        for key in Key.allCases {
            guard let value = changed[key] else { continue }
            writer.write(key.rawValue)
            writer.write(value)
        }
    }
}

extension Settings.Named {
    /// The bit of a value of the motion profile.
    public static func motion(_ key: Motion.Key) -> Settings.Named {
        Settings.Named(rawValue: 1 << UInt64(32 + (Motion.Key.allCases.firstIndex(of: key) ?? 0)))
    }
}
