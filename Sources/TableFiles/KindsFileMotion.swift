import StrictYAML
import TableModel

// The motion profile in a kinds file (F1): `table: {motion: {lift: 0.2}}`.

extension KindsFile {
    static func motion(_ value: Value) throws(Fault) -> Motion {
        let fields = try value.fields(Motion.Key.self)
        var motion = Motion()
        for key in Motion.Key.allCases {
            guard let value = fields[key] else { continue }
            motion[key] = key == .hidesLifted ? (try value.bool() ? 1 : 0) : try value.double()
        }
        return motion
    }

    /// The values that the file names; without any value, all of them go back to their defaults.
    static func named(inMotion fields: Fields<SettingsKey>) throws(Fault) -> Settings.Named {
        guard fields.names(.motion) else { return [] }
        let values = try fields[.motion]?.fields(Motion.Key.self)
        return Motion.Key.allCases.reduce(into: []) { named, key in
            if values?.names(key) ?? true { named.insert(.motion(key)) }
        }
    }

    static func draft(_ motion: Motion) -> Draft {
        .mapping(
            Motion.Key.allCases.map { key in
                let value = motion[key]
                return (key.rawValue, key == .hidesLifted ? .flag(value != 0) : .number(value))
            })
    }
}
