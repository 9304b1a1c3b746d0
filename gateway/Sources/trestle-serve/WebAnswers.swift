import GatewayCore
import NIOCore
import NIOHTTP1
import NIOWebSocket
import TableSync

// What each request is answered.

extension WebHandler {
    func answer(_ head: HTTPRequestHead, _ body: [UInt8]) {
        let route = Route.of(method: head.method.rawValue, target: head.uri)
        switch route {
        // An answer shows that the event loop runs, and serves.
        case .health: return respond(Answer(.ok, json: #"{"status":"ok"}"#))
        case .ready: return respond(ready())
        case .metrics: return respond(metrics(head))
        default: break
        }
        guard !forFigures else { return respond(Self.notFound) }
        let host = head.headers.first(name: "host") ?? ""
        guard gateway.addresses.knows(host: host) else {
            return respond(
                Answer(
                    refusing: "badHost", "This server does not go by that name (--allow-host).",
                    .misdirectedRequest))
        }
        let caller = caller(head)
        let device = caller?.device
        connection.hasDevice = device != nil
        if let device { gateway.uses.saw(device, from: peerAddress(head), now: Clock.seconds) }
        switch route {
        case .page: respond(file("/index.html", head))
        case .asset(let path): respond(file(path, head))
        case .pair: respond(pair(head, body))
        case .unpair: respond(unpair(head, device))
        case .ask: respond(ask(head))
        case .devices: respond(devices(device))
        case .changeDevices: respond(changeDevices(head, body, device))
        case .snapshot(let table):
            renewal = caller?.renewal
            snapshot(table, head, device)
        case .socket:
            renewal = caller?.renewal
            socket(head, device)
        case .wrongMethod(let allowed):
            var answer = Answer(
                refusing: "badMethod", "This address takes \(allowed).", .methodNotAllowed)
            answer.headers.append(("Allow", allowed))
            respond(answer)
        case .unknown, .health, .ready, .metrics: respond(Self.notFound)
        }
    }

    private static let notFound = Answer(
        refusing: "notFound", "There is nothing of that name.", .notFound)

    // MARK: Files

    private func file(_ path: String, _ head: HTTPRequestHead) -> Answer {
        guard let asset = gateway.assets.files[path] else { return Self.notFound }
        // A built file has a hash of its bytes in its name (web/build.sh).
        let lasts = path.hasPrefix("/built/") ? "max-age=31536000, immutable" : "no-cache"
        var headers = [("ETag", asset.tag), ("Cache-Control", lasts), ("Vary", "Accept-Encoding")]
        let known = head.headers[canonicalForm: "if-none-match"]
        if known.contains(where: { $0 == asset.tag || $0 == "W/" + asset.tag || $0 == "*" }) {
            return Answer(.notModified, headers, ByteBuffer())
        }
        headers.append(("Content-Type", asset.type))
        let takesGzip = head.headers[canonicalForm: "accept-encoding"].contains { word in
            word.prefix { $0 != ";" }.lowercased() == "gzip" && !word.hasSuffix(";q=0")
        }
        if takesGzip, let packed = asset.packed {
            headers.append(("Content-Encoding", "gzip"))
            return Answer(.ok, headers, packed)
        }
        return Answer(.ok, headers, asset.bytes)
    }

    // MARK: Devices

    /// The names of the cookie. The first can only be set by this server, over TLS.
    private static let cookies = (secure: "__Host-trestle", plain: "trestle")

    /// The device whose token or cookie came with a request.
    struct Caller {
        var device: Device
        /// The header by which its browser keeps its cookie for a year from now on; nil: it has a token.
        var renewal: (String, String)?
    }

    /// Where a token is given it counts alone.
    func caller(_ head: HTTPRequestHead) -> Caller? {
        if let secret = BearerToken.secret(in: head.headers.first(name: "authorization")) {
            return gateway.device(tokenHash: SHA256.hex(secret), isToken: true)
                .map { Caller(device: $0) }
        }
        let host = head.headers.first(name: "host") ?? ""
        // A cookie without the prefix could have been set by another host of the same site.
        let isPlain = gateway.addresses.isPlainLoopback(host: host)
        let names = isPlain ? [Self.cookies.secure, Self.cookies.plain] : [Self.cookies.secure]
        for (name, secret) in Cookies.secrets(in: head.headers["cookie"], names: names) {
            let hash = SHA256.hex(secret)
            guard let device = gateway.device(tokenHash: hash, isToken: false) else { continue }
            let isSecure = name == Self.cookies.secure
            return Caller(
                device: device,
                renewal: Self.cookie(secret, seconds: Register.unusedSeconds, isSecure: isSecure))
        }
        return nil
    }

    private static func cookie(_ value: String, seconds: Int, isSecure: Bool) -> (String, String) {
        let name = isSecure ? Self.cookies.secure : Self.cookies.plain
        let end = "; Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Strict"
        return ("Set-Cookie", "\(name)=\(value)\(end)" + (isSecure ? "; Secure" : ""))
    }

    /// The Origin, where it is one of ours.
    func origin(_ head: HTTPRequestHead) -> String? {
        let origins = head.headers["origin"]
        guard origins.count == 1, let origin = origins.first,
            gateway.addresses.knows(origin: origin)
        else { return nil }
        return origin
    }

    /// Whether it is no other page that asks in the name of a device: a browser adds cookies to what such a page
    /// asks, and never a token.
    func comesFromUs(_ head: HTTPRequestHead) -> Bool {
        let token = BearerToken.secret(in: head.headers.first(name: "authorization"))
        return token != nil || origin(head) != nil
    }

    static let badOrigin = Answer(
        refusing: "badOrigin", "This server does not know the page that asks (--origin).")

    static let tooMany = Answer(
        refusing: "tooMuch", "Too many codes were tried. Wait a minute.", .tooManyRequests)

    static let notWritten = Answer(
        refusing: "notWritten", "The gateway cannot write its list of devices.",
        .serviceUnavailable)

    static let badType = Answer(
        refusing: "badType", "Send application/json.", .unsupportedMediaType)

    /// No form of a page can send this type, so a browser asks before another page's program may.
    func isJSON(_ head: HTTPRequestHead) -> Bool {
        let type = (head.headers.first(name: "content-type") ?? "").prefix { $0 != ";" }
        return type.lowercased() == "application/json"
    }

    private func pair(_ head: HTTPRequestHead, _ body: [UInt8]) -> Answer {
        let origin = origin(head)
        // A program gets a token. Without an Origin there are no cookies.
        let isToken =
            JSONMembers.find("token", in: body)
            .map { body[$0].elementsEqual("true".utf8) } ?? false
        guard origin != nil || (isToken && head.headers["origin"].isEmpty) else {
            return Self.badOrigin
        }
        guard isJSON(head) else { return Self.badType }
        let now = Clock.monotonicMs
        let address = peerAddress(head)
        let place = JSONMembers.find("code", in: body)
        let code = place.flatMap { JSONMembers.text(body, $0) }.flatMap {
            $0.utf8.count <= 100 ? $0 : nil
        }
        // A screen that nobody has confirmed yet asks again and again: that is no wrong code.
        if let code, gateway.askings.waits(secretHash: SHA256.hex(code), now: Clock.seconds) {
            return Answer(.accepted, json: #"{"waiting":true}"#)
        }
        guard gateway.attempts.admits(address, nowMs: now) else { return Self.tooMany }
        guard let code else {
            return Answer(refusing: "malformed", #"Send {"code":"…"}."#, .badRequest)
        }
        let codeHash = SHA256.hex(code)
        guard gateway.isInvited(codeHash: codeHash) else { return badCode() }
        let token = Secret.base64(32)
        do {
            let device = try gateway.store.change { register throws(DeviceRefusal) in
                let device = try register.redeem(
                    codeHash: codeHash, tokenHash: SHA256.hex(token), isToken: isToken,
                    prefix: Secret.prefix, now: Clock.seconds)
                register.note([device.prefix: DeviceUse(at: Clock.seconds, address: address)])
                return device
            }
            try gateway.readDevices()
            gateway.attempts.succeeded(address)
            gateway.hub.countPairing(failed: false)
            Log.say("paired \(device.name) as \(device.role.rawValue)")
            let said =
                #""device":\#(JSONText.quote(device.name)),"#
                + #""role":\#(JSONText.quote(device.role.rawValue))"#
            guard !isToken else { return Answer(.ok, json: #"{\#(said),"token":"\#(token)"}"#) }
            var answer = Answer(.ok, json: "{\(said)}")
            let isSecure = origin?.hasPrefix("https://") == true
            answer.headers.append(
                Self.cookie(token, seconds: Register.unusedSeconds, isSecure: isSecure))
            return answer
        } catch is DeviceRefusal {
            return badCode()
        } catch {
            Log.say("cannot pair: \(error)")
            return Self.notWritten
        }
    }

    private func badCode() -> Answer {
        gateway.hub.countPairing(failed: true)
        return Answer(
            refusing: "badCode",
            "This code is not known, was used, or is too old. Ask for a new one.")
    }

    private func unpair(_ head: HTTPRequestHead, _ device: Device?) -> Answer {
        guard comesFromUs(head) else { return Self.badOrigin }
        guard isJSON(head) else { return Self.badType }
        guard let device else { return Self.noCookie }
        do {
            try gateway.store.change { register throws(DeviceRefusal) in
                try register.revoke(device.name)
            }
            try gateway.readDevices()
        } catch is DeviceRefusal {
            // It is gone already.
        } catch {
            Log.say("cannot unpair: \(error)")
            return Self.notWritten
        }
        Log.say("unpaired \(device.name), as it asked")
        gateway.flush()
        var answer = Answer(.ok, json: "{}")
        if !device.isToken {
            let isSecure = origin(head)?.hasPrefix("https://") == true
            answer.headers.append(Self.cookie("", seconds: 0, isSecure: isSecure))
        }
        return answer
    }

    static let noCookie = Answer(refusing: "notPaired", "This device is not paired.", .unauthorized)

    // MARK: Tables

    private func snapshot(_ table: String, _ head: HTTPRequestHead, _ device: Device?) {
        // Browsers say where a request comes from. Programs do not, and need the cookie all the same.
        let site = head.headers.first(name: "sec-fetch-site") ?? "same-origin"
        guard site == "same-origin" else { return respond(Self.badOrigin) }
        guard let device else { return respond(Self.noCookie) }
        if let refusal = Self.refusal(of: table, to: device) { return respond(refusal) }
        guard gateway.hub.daemon.isUp, gateway.hub.daemon.isMet else {
            return respond(
                Answer(refusing: "noDaemon", "The daemon does not answer.", .serviceUnavailable))
        }
        guard gateway.hub.joins(device, nowMs: Clock.monotonicMs) else {
            return respond(
                Answer(
                    refusing: "tooMuch", "This device joins too often. Try again.",
                    .tooManyRequests))
        }
        join(table)
    }

    /// Why a device, or a browser that is none, is not shown a table; nil: it is.
    static func refusal(of table: String, to device: Device?) -> Answer? {
        guard let device else { return noCookie }
        if device.mayKnow(table) { return nil }
        return Answer(refusing: "notAllowed", "This device may not see that table.")
    }

    private func socket(_ head: HTTPRequestHead, _ device: Device?) {
        guard comesFromUs(head) else { return respond(Self.badOrigin) }
        guard let device else { return respond(Self.noCookie) }
        let protocols = head.headers[canonicalForm: "sec-websocket-protocol"]
        let key = head.headers.first(name: "sec-websocket-key") ?? ""
        guard head.method == .GET,
            head.headers[canonicalForm: "upgrade"].contains(where: {
                $0.lowercased() == "websocket"
            }),
            head.headers[canonicalForm: "connection"].contains(where: {
                $0.lowercased() == "upgrade"
            }),
            head.headers.first(name: "sec-websocket-version") == "13",
            protocols.contains(where: { $0 == Self.subprotocol }), key.utf8.count == 24
        else {
            var answer = Answer(
                refusing: "badUpgrade", "This address takes a WebSocket of \(Self.subprotocol).",
                .upgradeRequired)
            answer.headers += [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
            return respond(answer)
        }
        guard gateway.hub.admits(device), !gateway.isStopping else {
            return respond(
                Answer(
                    refusing: "tooMuch", "This device has too many pages open.", .tooManyRequests))
        }
        upgrade(head, SHA1.accept(key), device)
    }

    // MARK: Figures

    private func ready() -> Answer {
        guard let why = gateway.fault else { return Answer(.ok, json: #"{"status":"ok"}"#) }
        return Answer(
            .serviceUnavailable, json: #"{"status":"notReady","why":\#(JSONText.quote(why))}"#)
    }

    /// Behind a proxy everybody comes from this machine, and the proxy says so. A page of a foreign name
    /// that leads here does too: its Host says so.
    private func metrics(_ head: HTTPRequestHead) -> Answer {
        let isForwarded = ["x-forwarded-for", "forwarded", "via"].contains {
            head.headers.contains(name: $0)
        }
        let host = head.headers.first(name: "host") ?? ""
        let isKnown =
            forFigures
            ? Addresses.isLoopback(Addresses.name(of: host)) : gateway.addresses.knows(host: host)
        guard gateway.settings.opensMetrics || (isLocal && isKnown && !isForwarded) else {
            return Answer(
                refusing: "notAllowed", "The figures are for this machine only (--metrics).")
        }
        let text = gateway.hub.metrics(
            connections: gateway.connections.count, devices: gateway.register.devices.count,
            snapshots: (gateway.snapshots.fetched, gateway.snapshots.shared),
            isReady: gateway.fault == nil,
            certificate: (gateway.certificate?.endsAt, gateway.isReloadRefused))
        return Answer(
            .ok, [("Content-Type", "text/plain; version=0.0.4"), ("Cache-Control", "no-store")],
            ByteBuffer(string: text))
    }

    private var isLocal: Bool {
        guard let address = context?.remoteAddress else { return true }
        switch address {
        case .unixDomainSocket: return true
        case .v4, .v6: return ["127.0.0.1", "::1"].contains(address.ipAddress ?? "")
        }
    }

    /// The address of the peer; behind a proxy of this machine, the one that it names last.
    func peerAddress(_ head: HTTPRequestHead) -> String {
        let own = context?.remoteAddress?.ipAddress ?? "unix"
        guard isLocal,
            let last = head.headers[canonicalForm: "x-forwarded-for"].last, last.utf8.count <= 64
        else { return own }
        return String(last)
    }
}
