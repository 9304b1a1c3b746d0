import StrictYAML
import TableModel

extension Configuration {
    /// The limits that a site may change. The others are not matters of size: `frames` is the
    /// protocol's, `faceDepth` bounds recursion, `heightPoints` keeps sums of heights exact.
    enum LimitKey: String, CaseIterable {
        case requestBytes = "request_bytes"
        case batchCommands = "batch_commands"
        case idBytes = "id_bytes"
        case titleBytes = "title_bytes"
        case rowBytes = "row_bytes"
        case fields
        case rows
        case tables
        case sections
        case kinds
        case kindBytes = "kind_bytes"
        case actions
        case sessions
        case repliesPerSession = "replies_per_session"
        case replies
        case removedPlaces = "removed_places"
        case restoreBytes = "restore_bytes"

        /// Which limit it is, and what it can be set to.
        var fieldAndRange: (WritableKeyPath<Limits, Int>, ClosedRange<Int>) {
            switch self {
            case .requestBytes: return (\.requestBytes, 1 << 10...16 << 20)
            case .batchCommands: return (\.batchCommands, 1...100_000)
            // An id is a key of a kinds file, and YAML bounds its keys to 1024 characters.
            case .idBytes: return (\.idBytes, 16...256)
            case .titleBytes: return (\.titleBytes, 64...64 << 10)
            case .rowBytes: return (\.rowBytes, 1 << 10...1 << 20)
            case .fields: return (\.fields, 1...4_096)
            case .rows: return (\.rows, 1...10_000_000)
            case .tables: return (\.tables, 1...65_536)
            case .sections: return (\.sections, 1...65_536)
            case .kinds: return (\.kinds, 1...4_096)
            case .kindBytes: return (\.kindBytes, 1 << 10...1 << 20)
            case .actions: return (\.actions, 1...64)
            case .sessions: return (\.sessions, 1...1_000_000)
            case .repliesPerSession: return (\.repliesPerSession, 1...1_024)
            case .replies: return (\.replies, 1...10_000_000)
            case .removedPlaces: return (\.removedPlaces, 0...1_000_000)
            case .restoreBytes: return (\.restoreBytes, 1 << 20...1 << 40)
            }
        }
    }

    /// What is around a row or a kind in a request: other ids, a claim with its note, the frames.
    private static let aroundBytes = 4 << 10
    /// The lengths of a field, its key and its value.
    private static let fieldBytes = 8

    /// So many bytes of a row or a kind go into one request, with what is around them.
    private var mostInRequest: Int {
        let around = Self.aroundBytes + Self.fieldBytes * limits.fields
        return limits.requestBytes - min(around, limits.requestBytes / 2)
    }

    /// A row may be made little by little, and comes back from a backup or an export in one request, as a kind
    /// does. A larger one that the file allows is a fault. The default is made smaller, also where it is named:
    /// the shipped file names all of them, and whoever has lowered only `request_bytes` in it is served.
    mutating func fitRequests(_ fields: Fields<LimitKey>, _ faults: inout Faults) {
        let most = mostInRequest
        for key in [LimitKey.rowBytes, .kindBytes] {
            let field = key.fieldAndRange.0
            guard limits[keyPath: field] > most else { continue }
            guard let value = fields[key],
                limits[keyPath: field] != Limits()[keyPath: field]
            else {
                limits[keyPath: field] = most
                continue
            }
            faults.append(
                value.fault(
                    "beside `request_bytes: \(limits.requestBytes)` at most \(most), since a row and a "
                        + "kind come back from a backup in one request; found "
                        + "`\(limits[keyPath: field])`"))
        }
    }

    /// Every key of the file, at any level. `Setting.all` says of each that holds a value when it
    /// takes effect.
    static var allKeys: [String] {
        Key.allCases.map(\.rawValue) + LogKey.allCases.map(\.rawValue)
            + RetainKey.allCases.map(\.rawValue) + CheckpointKey.allCases.map(\.rawValue)
            + DiskKey.allCases.map(\.rawValue)
            + JournalKey.allCases.map(\.rawValue) + EtcdKey.allCases.map(\.rawValue)
            + EndpointsKey.allCases.map(\.rawValue) + LimitKey.allCases.map(\.rawValue)
    }
}
