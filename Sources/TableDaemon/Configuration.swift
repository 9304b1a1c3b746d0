public import Logging
public import TableModel

/// interim
public struct Configuration: Equatable, Sendable {
    public struct EndpointPair: Equatable, Sendable { public var request: String; public var publish: String }
    public var endpoints: [EndpointPair] = []
    public var stateDirectory = ""
    public var logLevel = Logger.Level.info
    public var heartbeatMs = 1_000
    public var highWaterMark = 256
    public var retainDiffs = 50_000
    public var retainBytes = 8 << 20
    public var checkpointAfterBytes = 16 << 20
    public var ipcMode: UInt32 = 0o660
    public var limits = Limits()
    public static func read(file: String?, stateDirectory: String?, endpoints: [String]) throws -> Configuration {
        var c = Configuration()
        c.stateDirectory = stateDirectory ?? "/tmp/trestle-state"
        c.endpoints = endpoints.map { EndpointPair(request: $0, publish: $0.replacing("request.sock", with: "publish.sock")) }
        return c
    }
    public var summary: String { "\(self)" }
}
