import TableModel
import TableSync
import TableTransport
import TableWire

/// A principal that has sent something, and what it has cost since the start. Nobody is counted with
/// another.
final class Visitor {
    fileprivate(set) var principal: Principal
    var requests: UInt64 = 0
    var refusals: UInt64 = 0
    var requestBytes: UInt64 = 0
    var replyBytes: UInt64 = 0
    /// The machine could not say who the user is: it is asked again.
    fileprivate var isUnclear = false

    /// When a key of this name was revoked; 0: never. Connections are numbered by the time at which
    /// they were let in, so a later one may prove a new key of the same name.
    fileprivate(set) var revokedNs: UInt64 = 0

    /// On whose behalf it sends, and for a child when it was last heard of.
    var children = Children()
    var heardMs: UInt64 = 0
    /// The bytes that it takes to keep a child: the frame, and what was read of it.
    let keptBytes: Int

    init(_ principal: Principal, keptBytes: Int = 0) {
        self.principal = principal
        self.keptBytes = keptBytes
    }

    /// They are called by its name, and have its groups.
    fileprivate func renameChildren() {
        for child in children.all {
            if let behalf = child.principal.behalf { child.principal = principal.child(behalf) }
        }
    }
}

/// The principals that send: found by what libzmq knows of a connection.
///
/// To ask libzmq takes some hundred instructions for each message. So it is kept by routing id, which
/// the guard gives to one connection only.
struct Visitors {
    private struct Slot {
        var id: UInt64
        var visitor: Visitor
    }

    private(set) var known: [Principal.Proof: Visitor] = [:]
    private var slots: [Slot?] = Array(repeating: nil, count: 1_024)
    /// The places of the slots that are filled: as a rule a few.
    private var filled: [Int] = []
    /// Beyond it those without a connection are forgotten, with what they have cost: a user may have 65,536
    /// others by a namespace. There are fewer connections than that.
    private static let most = 4_096

    /// Bytes that the children of all visitors weigh.
    private var childBytes = 0

    /// All that are known, without children.
    var all: [Visitor] { Array(known.values) }

    /// The sender of the request in these frames, which begin with its routing id.
    mutating func sender(of frames: borrowing Frames) -> Visitor {
        let id = frames.withBytes(at: 0) { bytes in
            bytes.count == 9 && bytes[0] == 1
                ? bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self).bigEndian : nil
        }
        guard let id else { return sender(of: frames, at: 1) }
        let place = Int(id % 1_024)
        if let slot = slots[place], slot.id == id { return slot.visitor }
        let visitor = sender(of: frames, at: 1)
        if slots[place] == nil { filled.append(place) }
        slots[place] = Slot(id: id, visitor: visitor)
        return visitor
    }

    /// The sender of a frame.
    mutating func sender(of frames: borrowing Frames, at index: Int) -> Visitor {
        let user = frames.property("User-Id", at: index)
        // Only our own handler sets it.
        return visitor(Principal.proof(userID: user) ?? .local)
    }

    private mutating func visitor(_ proof: Principal.Proof) -> Visitor {
        if let visitor = known[proof] { return visitor }
        if known.count >= Self.most { forget() }
        let (principal, isUnclear) = Self.principal(of: proof)
        let visitor = Visitor(principal)
        visitor.isUnclear = isUnclear
        known[proof] = visitor
        return visitor
    }

    /// Notes that a key is off the list: it was proven by connections that were let in until then.
    /// Its holder may not have been heard yet: what it has sent may still be in libzmq.
    mutating func revoke(_ proof: Principal.Proof, untilNs: UInt64) {
        visitor(proof).revokedNs = untilNs
    }

    /// Asks again about one whom the machine could not name: its directory of users was away. One at a
    /// time, since an answer may take long, and any of them, since one may stay without a name. With a name come
    /// its groups, and the claims of that name.
    ///
    /// - Returns: whether one has a name now.
    func askAgain() -> Bool {
        let unclear = known.filter { $0.value.isUnclear }
        guard let (proof, visitor) = unclear.randomElement() else { return false }
        let (principal, isUnclear) = Self.principal(of: proof)
        guard !isUnclear else { return false }
        visitor.principal = principal
        visitor.isUnclear = false
        visitor.renameChildren()
        return true
    }

    /// Forgets visitors without a connection. The others are kept: when a right is taken away, their viewers have to
    /// be ended.
    private mutating func forget() {
        known = known.filter { PeerGuard.connections(of: $0.value.principal) > 0 }
        childBytes = known.values.reduce(0) { $0 + $1.children.bytes }
        forgetConnections()
    }

    // MARK: Children

    /// On whose behalf a visitor sends, as this frame says. A gateway sends the same frame again and
    /// again, so it is read once.
    mutating func child(
        of parent: Visitor, _ frame: [UInt8], _ form: Form, _ limits: Limits
    ) throws(Rejection) -> Visitor {
        let nowMs = Clock.monotonicMs
        let key = Children.Key(frame: frame, form: form)
        if let child = parent.children[key] {
            child.heardMs = nowMs
            return child
        }
        let read = frame.withUnsafeBytes { bytes in
            Result { () throws(Rejection) in try Decode.behalf(bytes, form: form, limits: limits) }
        }
        let behalf = try read.get()
        let child = Visitor(
            parent.principal.child(behalf), keptBytes: frame.count + behalf.heldBytes)
        child.heardMs = nowMs
        makeRoom(for: child.weight, beside: parent)
        change(parent) { $0.children[key] = child }
        return child
    }

    /// Makes room for a child: first its parent's quietest children go, then those of the parent that has most.
    private mutating func makeRoom(for bytes: Int, beside parent: Visitor) {
        let own = parent.children.bytes + bytes - Children.mostBytes
        if own > 0 { change(parent) { $0.forgetQuietest(own) } }
        func share(_ visitor: Visitor) -> Int {
            visitor.children.bytes + (visitor === parent ? bytes : 0)
        }
        while childBytes + bytes > Children.mostBytesTogether,
            let crowded = known.values.lazy.filter({ $0.children.bytes > 0 })
                .max(by: { share($0) < share($1) })
        {
            let excess = childBytes + bytes - Children.mostBytesTogether
            change(crowded) { $0.forgetQuietest(excess) }
        }
    }

    private mutating func change(_ visitor: Visitor, _ change: (Visitor) -> Void) {
        childBytes -= visitor.children.bytes
        change(visitor)
        childBytes += visitor.children.bytes
    }

    /// Forgets children that were quiet for an hour: their devices were taken off the list, or are off.
    mutating func forgetQuietChildren() {
        guard childBytes > 0 else { return }
        let nowMs = Clock.monotonicMs
        for visitor in known.values where visitor.children.bytes > 0 {
            change(visitor) { $0.forget { $0.heardMs + Children.quietMs < nowMs } }
        }
    }

    mutating func forgetConnections() {
        for place in filled { slots[place] = nil }
        filled.removeAll(keepingCapacity: true)
    }

    /// The machine's users and groups may have changed.
    func lookUpAgain() {
        for (proof, visitor) in known {
            (visitor.principal, visitor.isUnclear) = Self.principal(of: proof)
            visitor.renameChildren()
        }
    }

    private static func principal(of proof: Principal.Proof) -> (Principal, isUnclear: Bool) {
        switch proof {
        case .local: (.local, false)
        case .key(let name): (.key(name), false)
        case .user(let uid): Machine.principal(uid)
        }
    }

    /// Whether the kernel says of most users that they are `nobody`, since this process has a
    /// namespace that does not have them.
    static var areUnknown: Bool {
        guard let map = SmallFile.text("/proc/self/uid_map") else { return false }
        let mapped = map.split(separator: "\n").reduce(UInt64(0)) { sum, line in
            sum &+ (line.split(separator: " ").last.flatMap { UInt64($0) } ?? 0)
        }
        return mapped < 65_536
    }
}
