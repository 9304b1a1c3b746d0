import GatewayCore
import NIOHTTP1
import TableModel
import TableSync

// Devices that let others in, and see who was. Only those of admins may.

extension WebHandler {
    /// A screen asks to be let in: it gets the code that it shows, and its secret, which it pairs by once it is confirmed.
    func ask(_ head: HTTPRequestHead) -> Answer {
        // A page always says where it comes from. A program that is none has no cookie that another page could use.
        guard origin(head) != nil || head.headers["origin"].isEmpty else { return Self.badOrigin }
        guard isJSON(head) else { return Self.badType }
        let address = peerAddress(head)
        guard gateway.attempts.admits(address, nowMs: Clock.monotonicMs) else {
            return Self.tooMany
        }
        let secret = Secret.base64(16)
        for _ in 0..<3 {
            let code = Secret.digits(6)
            guard
                gateway.askings.ask(
                    code: code, secretHash: SHA256.hex(secret), from: address, now: Clock.seconds)
            else { continue }
            return Answer(
                .ok,
                json: #"{"code":"\#(code)","secret":"\#(secret)","seconds":\#(Askings.seconds)}"#)
        }
        return Self.tooMany
    }

    /// The list of devices.
    func devices(_ device: Device?) -> Answer {
        if let refusal = Self.refusalOfAdmin(device) { return refusal }
        let all = gateway.register.devices.map { one in
            "{" + DeviceText.members(one, gateway.uses.use(of: one, in: gateway.register))
                + #","isThis":\#(one.name == device?.name)}"#
        }
        return Answer(.ok, json: #"{"devices":[\#(all.joined(separator: ","))]}"#)
    }

    /// Confirms a code, renames a device, or revokes it.
    func changeDevices(_ head: HTTPRequestHead, _ body: [UInt8], _ device: Device?) -> Answer {
        guard comesFromUs(head) else { return Self.badOrigin }
        guard isJSON(head) else { return Self.badType }
        if let refusal = Self.refusalOfAdmin(device) { return refusal }
        func text(_ name: String) -> String? {
            JSONMembers.find(name, in: body).flatMap { JSONMembers.text(body, $0) }
        }
        do {
            if let name = text("revoke") {
                try gateway.store.change { register throws(DeviceRefusal) in
                    try register.revoke(name)
                }
            } else if let name = text("rename"), let other = text("to"), Text.isName(other) {
                try gateway.store.change { register throws(DeviceRefusal) in
                    try register.rename(name, to: other)
                }
            } else if let code = text("confirm"), let name = text("name"), Text.isName(name),
                let role = text("role").flatMap({ Role(rawValue: $0) })
            {
                return try confirm(code, name, role, head)
            } else {
                return Answer(refusing: "malformed", "That is no change of a device.", .badRequest)
            }
            try gateway.readDevices()
            gateway.flush()
            return Answer(.ok, json: "{}")
        } catch let refusal as DeviceRefusal {
            return Self.refusal(refusal)
        } catch {
            Log.say("cannot change the devices: \(error)")
            return Self.notWritten
        }
    }

    private func confirm(
        _ code: String, _ name: String, _ role: Role, _ head: HTTPRequestHead
    ) throws -> Answer {
        guard gateway.attempts.admits(peerAddress(head), nowMs: Clock.monotonicMs) else {
            return Self.tooMany
        }
        let now = Clock.seconds
        guard let hash = gateway.askings.secretHash(of: code, now: now) else {
            return Answer(refusing: "badCode", "No screen shows this code now.")
        }
        try gateway.store.change { register throws(DeviceRefusal) in
            try register.invite(
                Invitation(
                    name: name, role: role, tables: [.all],
                    endsAt: now + Register.invitationSeconds, codeHash: hash), now: now)
        }
        gateway.askings.end(secretHash: hash)
        gateway.attempts.succeeded(peerAddress(head))
        return Answer(.ok, json: "{}")
    }

    private static func refusalOfAdmin(_ device: Device?) -> Answer? {
        guard let device else { return noCookie }
        if device.role == .admin, device.knowsAllTables { return nil }
        return Answer(refusing: "notAllowed", "Only a device of an admin may do that.")
    }

    private static func refusal(_ refusal: DeviceRefusal) -> Answer {
        switch refusal {
        case .badCode: Answer(refusing: refusal.rawValue, "No screen shows this code now.")
        case .nameTaken:
            Answer(refusing: refusal.rawValue, "There is a device of this name.", .conflict)
        case .noSuchDevice:
            Answer(refusing: refusal.rawValue, "There is no device of this name.", .notFound)
        case .badName: Answer(refusing: refusal.rawValue, "A device cannot have this name.")
        case .tooMany:
            Answer(refusing: refusal.rawValue, "There are too many devices or invitations.")
        }
    }
}
