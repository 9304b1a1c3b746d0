// Calls and answers as etcd's messages, version 3 of its API. Names and numbers of fields are those of
// etcd's rpc.proto and kv.proto; what nobody here reads is passed over.

extension EtcdCall {
    /// The path of the method.
    var path: String {
        switch self {
        case .txn: "/etcdserverpb.KV/Txn"
        case .range: "/etcdserverpb.KV/Range"
        case .grant: "/etcdserverpb.Lease/LeaseGrant"
        case .keepAlive: "/etcdserverpb.Lease/LeaseKeepAlive"
        case .revoke: "/etcdserverpb.Lease/LeaseRevoke"
        case .compact: "/etcdserverpb.KV/Compact"
        case .status: "/etcdserverpb.Maintenance/Status"
        }
    }

    static let watchPath = "/etcdserverpb.Watch/Watch"
    static let authenticatePath = "/etcdserverpb.Auth/Authenticate"

    /// The message.
    var message: [UInt8] {
        var writer = ProtoWriter()
        switch self {
        case .txn(let txn): txn.write(to: &writer)
        case .range(let key, let end, let limit, let revision):
            EtcdTxn.writeRange(key, end, limit, revision, to: &writer)
        case .grant(let seconds): writer.number(1, seconds)
        case .keepAlive(let lease), .revoke(let lease): writer.number(1, lease)
        case .compact(let revision): writer.number(1, revision)
        case .status: break
        }
        return writer.bytes
    }

    /// WatchRequest.create_request of a range of keys, from now on.
    static func watchMessage(key: [UInt8], end: [UInt8]) -> [UInt8] {
        var writer = ProtoWriter()
        writer.message(1) {
            $0.bytes(1, key)
            $0.bytes(2, end)
        }
        return writer.bytes
    }

    static func authenticateMessage(user: String, password: String) -> [UInt8] {
        var writer = ProtoWriter()
        writer.bytes(1, Array(user.utf8))
        writer.bytes(2, Array(password.utf8))
        return writer.bytes
    }

    /// Bytes that its answer may have.
    var mostAnswerBytes: Int {
        switch self {
        case .txn, .range: 96 << 20
        default: 1 << 20
        }
    }

    /// The bytes that it carries, about.
    var weight: Int {
        guard case .txn(let txn) = self else { return 0 }
        return txn.success.reduce(0) {
            if case .put(_, let value, _) = $1 { return $0 + value.count }
            return $0
        }
    }

    /// Reads the answer to this call.
    func answer(_ bytes: ArraySlice<UInt8>) throws(ProtoReader.Malformed) -> EtcdAnswer {
        var (revision, id, seconds, size): (Int64, Int64, Int64, UInt64) = (0, 0, 0, 0)
        var isFull = false
        var (succeeded, more) = (false, false)
        var found: [[EtcdPair]?] = []
        var pairs: [EtcdPair] = []
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch (self, field) {
            case (_, 1): revision = try EtcdAnswer.revision(value.slice)
            case (.txn, 2): succeeded = value.int != 0
            case (.txn, 3): found.append(try EtcdAnswer.step(value.slice))
            case (.range, 2): pairs.append(try EtcdAnswer.pair(value.slice))
            case (.range, 3): more = value.int != 0
            case (.grant, 2), (.keepAlive, 2): id = value.int
            case (.grant, 3), (.keepAlive, 3): seconds = value.int
            case (.status, 3): size = UInt64(clamping: value.int)
            // Its alarms, in words.
            case (.status, 8):
                let word = Array("NOSPACE".utf8)
                isFull = isFull || value.slice.prefix(4_096).firstRange(of: word) != nil
            default: break
            }
        }
        switch self {
        case .txn: return EtcdAnswer(revision: revision, .txn(succeeded: succeeded, found))
        case .range: return EtcdAnswer(revision: revision, .range(pairs, more: more))
        case .grant, .keepAlive:
            return EtcdAnswer(revision: revision, .lease(id, seconds: seconds))
        case .status:
            return EtcdAnswer(revision: revision, .status(bytes: size, isFull: isFull))
        case .revoke, .compact: return EtcdAnswer(revision: revision, .done)
        }
    }
}

extension EtcdTxn {
    fileprivate func write(to writer: inout ProtoWriter) {
        for compare in compares {
            writer.message(1) {
                // EQUAL is 0. The target says which of the values is compared.
                switch compare {
                case .created(let key, let revision):
                    $0.number(2, 1)
                    $0.bytes(3, key)
                    $0.number(5, revision)
                case .value(let key, let value):
                    $0.number(2, 3)
                    $0.bytes(3, key)
                    $0.always(7, value)
                }
            }
        }
        for op in success { writer.message(2) { op.write(to: &$0) } }
        for op in failure { writer.message(3) { op.write(to: &$0) } }
    }

    fileprivate static func writeRange(
        _ key: [UInt8], _ end: [UInt8], _ limit: Int, _ revision: Int64,
        to writer: inout ProtoWriter
    ) {
        writer.bytes(1, key)
        writer.bytes(2, end)
        writer.number(3, Int64(limit))
        writer.number(4, revision)
    }
}

extension EtcdTxn.Op {
    fileprivate func write(to writer: inout ProtoWriter) {
        switch self {
        case .range(let key, let end, let limit):
            writer.message(1) { EtcdTxn.writeRange(key, end, limit, 0, to: &$0) }
        case .put(let key, let value, let lease):
            writer.message(2) {
                $0.bytes(1, key)
                $0.bytes(2, value)
                $0.number(3, lease)
            }
        case .delete(let key, let end):
            writer.message(3) {
                $0.bytes(1, key)
                $0.bytes(2, end)
            }
        }
    }
}

extension EtcdAnswer {
    /// The revision in a ResponseHeader.
    fileprivate static func revision(
        _ bytes: ArraySlice<UInt8>
    ) throws(ProtoReader.Malformed) -> Int64 {
        var reader = ProtoReader(bytes)
        var revision: Int64 = 0
        while let (field, value) = try reader.next() {
            if field == 3 { revision = value.int }
        }
        return revision
    }

    /// The pairs that a range of a ResponseOp has found.
    fileprivate static func step(
        _ bytes: ArraySlice<UInt8>
    ) throws(ProtoReader.Malformed) -> [EtcdPair]? {
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            guard field == 1 else { continue }
            var pairs: [EtcdPair] = []
            var range = ProtoReader(value.slice)
            while let (inner, value) = try range.next() {
                if inner == 2 { pairs.append(try pair(value.slice)) }
            }
            return pairs
        }
        return nil
    }

    fileprivate static func pair(
        _ bytes: ArraySlice<UInt8>
    ) throws(ProtoReader.Malformed) -> EtcdPair {
        var pair = EtcdPair(key: [], value: [], created: 0, lease: 0)
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            switch field {
            case 1: pair.key = Array(value.slice)
            case 2: pair.created = value.int
            case 5: pair.value = Array(value.slice)
            case 6: pair.lease = value.int
            default: break
            }
        }
        return pair
    }

    /// The token in an AuthenticateResponse.
    static func token(_ bytes: ArraySlice<UInt8>) throws(ProtoReader.Malformed) -> String? {
        var reader = ProtoReader(bytes)
        while let (field, value) = try reader.next() {
            if field == 2 { return String(validating: value.slice.prefix(512), as: UTF8.self) }
        }
        return nil
    }
}
