import EtcdJournal
import StrictYAML

extension Configuration {
    enum JournalKey: String, CaseIterable { case etcd, follow }

    enum FollowKey: String, CaseIterable { case endpoint, key, advertise }

    enum EtcdKey: String, CaseIterable {
        case endpoints, name
        case caFile = "ca_file"
        case certFile = "cert_file"
        case keyFile = "key_file"
        case user
        case passwordFile = "password_file"
        case leaseSeconds = "lease_seconds"
        case quotaBytes = "quota_bytes"
        case maxStateBytes = "max_state_bytes"
        case advertise
    }

    /// Where the journal is; nil: the file does not name `journal`, or something is wrong.
    static func journal(_ all: Fields<Key>, _ faults: inout Faults) -> JournalSetting? {
        guard let (key, value) = place(all, &faults) else { return nil }
        switch key {
        case .etcd: return etcd(value, &faults).map { .etcd($0) }
        case .follow: return follow(value, &faults).map { .follow($0) }
        }
    }

    /// The key that says where the journal is, and what is behind it.
    ///
    /// A key with nothing behind it is a fault. Its writer has a service of several in mind, and a daemon
    /// that kept a journal of its own would take the commands of their clients.
    private static func place(_ all: Fields<Key>, _ faults: inout Faults) -> (JournalKey, Value)? {
        if let nothing = all.nothing(behind: .journal) {
            faults.append(nothing.fault("`etcd` is missing"))
        }
        let count = faults.found.count
        guard let journal = faults.fields(all[.journal], JournalKey.self) else { return nil }
        if let nothing = journal.nothing(behind: .etcd) {
            faults.append(nothing.fault("`endpoints` is missing"))
        }
        if let nothing = journal.nothing(behind: .follow) {
            faults.append(nothing.fault("`endpoint` is missing"))
        }
        if let follow = journal[.follow] {
            if journal.names(.etcd) {
                faults.append(follow.fault("a journal is on etcd, or it follows another: not both"))
            }
            return (.follow, follow)
        }
        // A key that is missing beside an unknown one was most likely meant by it.
        guard faults.found.count == count else { return journal[.etcd].map { (.etcd, $0) } }
        return faults.reading { () throws(Fault) in (.etcd, try journal.required(.etcd)) }
    }

    /// The daemon that is followed.
    private static func follow(_ value: Value, _ faults: inout Faults) -> FollowSettings? {
        guard let keys = faults.fields(value, FollowKey.self) else { return nil }
        let count = faults.found.count
        var settings = FollowSettings()
        faults.read(keys[.key], into: &settings.key) { value throws(Fault) in
            let text = try value.string()
            guard isKey(text) else {
                throw value.expected("the 40 characters of `trestled keys show` there")
            }
            return text
        }
        let read = faults.reading { () throws(Fault) in
            let value = try keys.required(.endpoint)
            let text = try value.string()
            if text.hasPrefix("tcp://") { _ = try url(value, ["tcp://"]) }
            guard text.hasPrefix("tcp://") || fault(inEndpoint: text) == nil else {
                throw value.expected("tcp://HOST:PORT, or ipc:// and an absolute path")
            }
            let isHere = fault(inEndpoint: text) == nil
            guard settings.key != nil || isHere else {
                throw value.fault("beyond this machine the other daemon's `key` is needed")
            }
            return text
        }
        if let read { settings.endpoint = read }
        faults.read(keys[.advertise], into: &settings.advertise) { value throws(Fault) in
            try addresses(value, ["tcp://"])
        }
        return faults.found.count == count ? settings : nil
    }

    private static func addresses(_ value: Value, _ schemes: [String]) throws(Fault) -> [String] {
        let all = try value.list { one throws(Fault) in try url(one, schemes) }
        guard 1...16 ~= all.count, Set(all).count == all.count else {
            throw value.fault("expected 1 to 16 addresses, each once")
        }
        return all
    }

    /// Whether it has the form of a public key: 40 characters of Z85.
    private static func isKey(_ text: String) -> Bool {
        text.utf8.count == 40
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: ".-:+=^!/*?&<>()[]{}@%$#".utf8.contains(byte)
                }
            }
    }

    /// A journal on etcd.
    private static func etcd(_ value: Value, _ faults: inout Faults) -> EtcdSettings? {
        guard let keys = faults.fields(value, EtcdKey.self) else { return nil }
        let count = faults.found.count
        var settings = EtcdSettings()
        faults.read(keys[.endpoints], into: &settings.endpoints) { value throws(Fault) in
            try addresses(value, ["http://", "https://"])
        }
        faults.read(keys[.advertise], into: &settings.advertise) { value throws(Fault) in
            try addresses(value, ["tcp://"])
        }
        faults.read(keys[.name], into: &settings.name, name)
        for (key, field) in [
            (EtcdKey.caFile, \EtcdSettings.authority), (.certFile, \.certificate),
            (.keyFile, \.key), (.passwordFile, \.passwordFile),
        ] {
            faults.read(keys[key], into: &settings[keyPath: field]) { value throws(Fault) in
                try absolutePath(value)
            }
        }
        faults.read(keys[.user], into: &settings.user) { value throws(Fault) in try value.string() }
        faults.read(keys[.leaseSeconds], into: &settings.leaseSeconds, in: 2...60)
        faults.read(keys[.quotaBytes], into: &settings.quotaBytes, in: 64 << 20...1 << 40)
        faults.read(keys[.maxStateBytes], into: &settings.mostStateBytes, in: 1 << 20...1 << 30)
        guard faults.found.count == count else { return nil }
        return lacks(settings, value, &faults) ? nil : settings
    }

    /// Finds keys that are missing or do not go together.
    private static func lacks(
        _ settings: EtcdSettings, _ value: Value, _ faults: inout Faults
    ) -> Bool {
        let isSealed = settings.endpoints.contains { $0.hasPrefix("https://") }
        let isPlain = settings.endpoints.contains { $0.hasPrefix("http://") }
        let files = [settings.authority, settings.certificate, settings.key]
        let fault: String? =
            if settings.endpoints.isEmpty {
                "`endpoints` is missing"
            } else if settings.name.isEmpty {
                "`name` is missing: keys of etcd are below /trestle/NAME/"
            } else if isSealed, isPlain {
                "all endpoints are http:// or all are https://"
            } else if isPlain, files.contains(where: { $0 != nil }) {
                "files of certificates are for https://"
            } else if (settings.certificate == nil) != (settings.key == nil) {
                "`cert_file` and `key_file` go together"
            } else if (settings.user == nil) != (settings.passwordFile == nil) {
                "`user` and `password_file` go together"
            } else {
                nil
            }
        if let fault { faults.append(value.fault(fault)) }
        return fault != nil
    }

    private static func name(_ value: Value) throws(Fault) -> String {
        let text = try value.string()
        guard KeyName.isPlain(text) else {
            throw value.expected(
                "1 to 64 letters, digits, dots, - and _, the first a letter or digit")
        }
        return text
    }

    /// SCHEME://HOST:PORT and nothing more.
    private static func url(_ value: Value, _ schemes: [String]) throws(Fault) -> String {
        let text = try value.string()
        guard let scheme = schemes.first(where: text.hasPrefix) else {
            throw value.expected("\(schemes.joined(separator: " or "))HOST:PORT")
        }
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        guard let colon = rest.lastIndex(of: UInt8(ascii: ":")), colon > rest.startIndex,
            let port = Int(String(decoding: rest[rest.index(after: colon)...], as: UTF8.self)),
            1...65_535 ~= port, text.utf8.count <= 256,
            rest.allSatisfy({ $0 > 32 && $0 < 127 && $0 != 47 && $0 != 64 && $0 != 35 && $0 != 63 })
        else { throw value.expected("\(scheme)HOST:PORT") }
        return text
    }

    /// For the log and `check-config`.
    static func text(of journal: JournalSetting) -> String {
        switch journal {
        case .log: "in the state directory"
        case .etcd(let etcd):
            "on etcd, below /trestle/\(etcd.name)/ at \(etcd.endpoints.joined(separator: " "))"
        case .follow(let other): "in the state directory, following \(other.endpoint)"
        }
    }
}
