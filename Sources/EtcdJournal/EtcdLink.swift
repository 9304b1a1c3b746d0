import CJournals
import Glibc
import JournalPort

/// Carries requests to etcd's members: gRPC over libcurl, in the thread of the caller.
///
/// Each goes to the present member. One that does not answer in time is not asked again before the others
/// were. Nothing is sent again here: who asked decides that.
final class EtcdLink {
    typealias Result = Swift.Result<EtcdAnswer, EtcdFailure>

    /// A request whose answer somebody looks for.
    typealias Aside = UInt64

    private struct Flying {
        var slot: EtcdMember.Slot?
        var aside: Aside?
        var call: EtcdCall
        var place: Int
        /// The token is asked for first, and the call sent behind it.
        var isForToken = false
    }

    private let settings: EtcdSettings
    private let password: String?
    private let http: OpaquePointer
    private var place: Int
    private var tokens: [String?]
    private var flying: [UInt64: Flying] = [:]
    private var watch: (number: UInt64, place: Int, seen: UInt64)?
    private var watchAgainMs: UInt64 = 0
    /// Results that have not been handed on yet.
    private var done: [(slot: EtcdMember.Slot, result: Result)] = []
    private var alone: Result?
    /// For the slot that reads: on a slow line a little takes long.
    var readPatienceMs = 3_000
    /// Results of requests that no slot waits for; nil: the request is under way.
    private var asides: [Aside: Result?] = [:]
    private var lastAside: Aside = 0

    /// For an answer, however small.
    private static let leastMs = 800

    init(_ settings: EtcdSettings) throws {
        if let fault = chttp_load() { throw EtcdJournalError.missing(String(cString: fault)) }
        self.settings = settings
        password = try settings.passwordFile.map { try Self.line(of: $0) }
        var opened: OpaquePointer?
        Self.with(settings.authority, settings.certificate, settings.key) {
            var tls = chttp_tls(authority: $0, certificate: $1, key: $2)
            opened = chttp_begin(Int32(settings.endpoints.count), &tls)
        }
        guard let opened else {
            throw EtcdJournalError.missing("the system has no descriptors left")
        }
        http = opened
        tokens = Array(repeating: nil, count: settings.endpoints.count)
        // Members of the service do not all ask the same one.
        place = Int.random(in: 0..<max(1, settings.endpoints.count))
    }

    deinit { chttp_end(http) }

    var descriptor: Int32 { chttp_descriptor(http) }

    var endpoint: String { settings.endpoints[place] }

    /// The descriptor is readable in so many milliseconds at the latest.
    func wake(inMs ms: UInt64) { chttp_wake_at(http, Self.monotonicMs + ms) }

    // MARK: Requests

    func send(_ call: EtcdCall, for slot: EtcdMember.Slot) {
        send(Flying(slot: slot, call: call, place: place))
    }

    /// Sends what no slot waits for.
    func sendAside(_ call: EtcdCall) -> Aside {
        lastAside += 1
        asides.updateValue(nil, forKey: lastAside)
        send(Flying(slot: nil, aside: lastAside, call: call, place: place))
        return lastAside
    }

    /// Its answer, once; nil: there is none yet.
    func takeAside(_ aside: Aside) -> Result? {
        guard case .some(.some(let result)) = asides[aside] else { return nil }
        asides.removeValue(forKey: aside)
        return result
    }

    /// Nobody looks for it any more.
    func forgetAside(_ aside: Aside) { asides.removeValue(forKey: aside) }

    /// The results that have come meanwhile: answers, and failures.
    func work() -> [(slot: EtcdMember.Slot, result: Result)] {
        chttp_work(http)
        var answer = chttp_answer()
        while chttp_next(http, &answer) != 0 { take(answer) }
        defer { done = [] }
        return done
    }

    /// Asks and waits, at each member in turn until one answers or the time is over. Only where no turn
    /// waits for it: at the start, and when what is in memory was thrown away.
    func ask(_ call: EtcdCall, untilMs end: UInt64) throws(EtcdFailure) -> EtcdAnswer {
        while true {
            switch once(call) {
            case .success(let answer): return answer
            case .failure(.noAnswer(let why)):
                guard Self.monotonicMs < end else { throw .noAnswer(why) }
                usleep(50_000)
            case .failure(let failure): throw failure
            }
        }
    }

    /// Reads all of it in the same way, until nothing was answered for so long. What was not answered
    /// is asked for in smaller portions.
    func readAll(
        _ reading: inout EtcdReading, patienceMs: UInt64, goesOn: () -> Void = {},
        _ body: (Recovered) throws -> Void
    ) throws -> JournalSummary {
        var silentSinceMs: UInt64?
        return try reading.recover(body) { call in
            goesOn()
            let since = silentSinceMs ?? Self.monotonicMs
            switch once(call) {
            case .success(let answer):
                silentSinceMs = nil
                return answer
            case .failure(.noAnswer(let why)):
                guard Self.monotonicMs < since + patienceMs else { throw EtcdFailure.noAnswer(why) }
                silentSinceMs = since
                usleep(50_000)
                return nil
            case .failure(let failure): throw failure
            }
        }
    }

    private func once(_ call: EtcdCall) -> Result {
        alone = nil
        send(Flying(slot: nil, call: call, place: place))
        while true {
            if let alone { return alone }
            var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&item, 1, 20)
            chttp_work(http)
            var answer = chttp_answer()
            while chttp_next(http, &answer) != 0 { take(answer) }
        }
    }

    private func send(_ one: Flying) {
        var one = one
        if settings.user != nil, tokens[one.place] == nil { one.isForToken = true }
        let path = one.isForToken ? EtcdCall.authenticatePath : one.call.path
        let message =
            one.isForToken
            ? EtcdCall.authenticateMessage(user: settings.user ?? "", password: password ?? "")
            : one.call.message
        // A large request has the time that it takes; to send it again costs nothing but that.
        let ms = Self.leastMs + (one.isForToken ? 2_000 : one.call.weight >> 8)
        // So is what recovery reads, which waits for nothing else.
        let isRead = one.slot == nil || one.slot == .read
        let isLarge = { if case .range = one.call { true } else { isRead } }()
        let least = !isLarge ? 0 : one.slot == .read ? readPatienceMs : 3_000
        let number = start(
            path, message, place: one.place, most: one.call.mostAnswerBytes,
            ms: max(ms, least), token: one.isForToken ? nil : tokens[one.place])
        guard number != 0 else {
            return finish(one, .failure(.noAnswer("the system has no memory left")))
        }
        flying[number] = one
    }

    private func start(
        _ path: String, _ message: [UInt8], place: Int, most: Int, ms: Int, token: String?
    ) -> UInt64 {
        let size = message.count
        let frame = [0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + message
        return Self.with(settings.endpoints[place] + path, token, nil) { url, token, _ in
            frame.withUnsafeBufferPointer { body in
                var request = chttp_request(
                    place: Int32(place), url: url, token: token, body: body.baseAddress,
                    bytes: body.count, most_bytes: most, timeout_ms: ms)
                return chttp_send(http, &request)
            }
        }
    }

    // MARK: Answers

    private func take(_ answer: chttp_answer) {
        if answer.number == watch?.number {
            watch = nil
            return
        }
        guard var one = flying.removeValue(forKey: answer.number) else { return }
        switch result(answer) {
        case .failure(let failure):
            if case .noAnswer = failure {
                tokens[one.place] = nil
                turnAway(from: one.place)
            }
            finish(one, .failure(failure))
        case .success(let message):
            do throws(ProtoReader.Malformed) {
                if one.isForToken {
                    tokens[one.place] = try EtcdAnswer.token(message)
                    guard tokens[one.place] != nil else { throw ProtoReader.Malformed() }
                    one.isForToken = false
                    send(one)
                } else {
                    finish(one, .success(try one.call.answer(message)))
                }
            } catch {
                turnAway(from: one.place)
                finish(one, .failure(.noAnswer("\(settings.endpoints[one.place]) is not etcd")))
            }
        }
    }

    private func finish(_ one: Flying, _ result: Result) {
        if let aside = one.aside {
            // Nobody looks for it any more.
            if asides[aside] != nil { asides.updateValue(result, forKey: aside) }
            return
        }
        guard let slot = one.slot else { return alone = result }
        done.append((slot, result))
    }

    private func turnAway(from bad: Int) {
        if place == bad { place = (place + 1) % settings.endpoints.count }
    }

    /// The message of an answer, without gRPC's frame around it.
    private func result(_ answer: chttp_answer) -> Swift.Result<ArraySlice<UInt8>, EtcdFailure> {
        let fault = withUnsafeBytes(of: answer.fault, Self.text)
        let message = withUnsafeBytes(of: answer.grpc_message, Self.text)
        if !fault.isEmpty { return .failure(.noAnswer(fault)) }
        // Trailers may be missing where a stream ends early.
        guard answer.grpc_status == 0 else {
            return .failure(EtcdFailure(status: answer.grpc_status, message, http: answer.status))
        }
        let bytes = Array(UnsafeBufferPointer(start: answer.bytes, count: answer.count))
        guard bytes.count >= 5, bytes[0] == 0 else {
            return .failure(.noAnswer("an answer without a message"))
        }
        let size = bytes[1...4].reduce(0) { $0 << 8 | Int($1) }
        guard size <= bytes.count - 5 else { return .failure(.noAnswer("half an answer")) }
        return .success(bytes[5..<(5 + size)])
    }

    // MARK: The watch

    /// Whether one of the keys has changed since the last time that it was asked. It is only a wake-up:
    /// what it says is not read, and whoever needs to know looks.
    func hasChanged(key: [UInt8], end: [UInt8]) -> Bool {
        if let watch, watch.place != place { stopWatching() }
        guard let open = watch else {
            startWatching(key: key, end: end)
            return false
        }
        let seen = chttp_streamed(http, open.number)
        guard seen != open.seen else { return false }
        watch?.seen = seen
        return true
    }

    func stopWatching() {
        if let watch { chttp_cancel(http, watch.number) }
        watch = nil
    }

    private func startWatching(key: [UInt8], end: [UInt8]) {
        let nowMs = Self.monotonicMs
        guard nowMs >= watchAgainMs, settings.user == nil || tokens[place] != nil else { return }
        watchAgainMs = nowMs + 500
        let number = start(
            EtcdCall.watchPath, EtcdCall.watchMessage(key: key, end: end), place: place, most: 0,
            ms: 0, token: tokens[place])
        if number != 0 { watch = (number, place, 0) }
    }

    // MARK: Help

    static var monotonicMs: UInt64 { milliseconds(CLOCK_MONOTONIC) }

    /// Goes on while the machine sleeps: a lease does too.
    static var elapsedMs: UInt64 { milliseconds(CLOCK_BOOTTIME) }

    private static func milliseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private static func with<Value>(
        _ one: String?, _ two: String?, _ three: String?,
        _ body: (UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?) -> Value
    ) -> Value {
        let texts = [one, two, three].map { $0.flatMap { strdup($0) } }
        defer { for text in texts { free(text) } }
        return body(texts[0], texts[1], texts[2])
    }

    /// The first line of a file of at most 4 KiB.
    private static func line(of path: String) throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw EtcdJournalError.fault("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { Glibc.close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = max(0, read(file, &bytes, bytes.count))
        return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

extension EtcdFailure {
    /// By gRPC's status and etcd's message.
    init(status: Int32, _ message: String, http: Int) {
        let text = message.isEmpty ? "status \(status), HTTP \(http)" : message
        switch status {
        case 8 where text.contains("space exceeded"): self = .full(text)
        case 3 where text.contains("too large"), 8 where text.contains("larger than max"):
            self = .tooLarge(text)
        case 11 where text.contains("compacted"): self = .compacted
        case 5 where text.contains("lease"): self = .leaseGone
        case 7: self = .denied(text)
        case 3 where text.contains("authentication failed"),
            9 where text.contains("authentication"):
            self = .denied(text)
        // Also a token that is out of date: another is asked for.
        default: self = .noAnswer(text)
        }
    }
}
