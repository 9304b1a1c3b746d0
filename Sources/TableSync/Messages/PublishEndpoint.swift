extension Hello {
    /// Where publications are to be had, of what a daemon offers that is asked at an endpoint, with keys or without;
    /// nil: nowhere.
    public static func publishEndpoint(
        of offered: [String], asking endpoint: String, withKeys: Bool
    ) -> String? {
        guard withKeys else {
            let scheme = endpoint.split(separator: ":").first.map { "\($0)://" } ?? ""
            let open = offered.filter { !$0.hasPrefix(sealed) }
            return open.first { $0.hasPrefix(scheme) } ?? open.first
        }
        // A daemon that serves all addresses of its machine cannot say which one we know it by.
        guard let colon = endpoint.lastIndex(of: ":") else { return nil }
        let host = endpoint[...colon]
        let all = offered.filter { $0.hasPrefix(sealed) }.map { $0.dropFirst(sealed.utf8.count) }
        let found = all.first { $0.hasPrefix("tcp://" + host.dropFirst("tcp://".utf8.count)) }
        guard let port = (found ?? all.first)?.split(separator: ":").last else { return nil }
        return String(host) + String(port)
    }

    /// How `hello` marks endpoints of CURVE.
    private static let sealed = "curve+"
}
