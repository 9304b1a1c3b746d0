import TableSync
import Testing

@testable import GatewayCore

/// Which of several daemons the gateway speaks to.
@Suite struct DaemonChoiceTests {
    /// One that expressions may ask.
    private final class Rig {
        private var choice: DaemonChoice

        init(_ list: String = "tcp://a:1, tcp://b:1,tcp://c:1") {
            choice = DaemonChoice(list)
            choice.heard(nowMs: 10_000)
        }

        var endpoints: [String] { choice.endpoints }
        var areSeveral: Bool { choice.areSeveral }
        var present: String { choice.present }
        func tick(nowMs: Int) -> Bool { choice.tick(nowMs: nowMs) }
        func heard(_ health: Health, nowMs: Int) -> Bool { choice.heard(health, nowMs: nowMs) }
        func failed(_ endpoint: String, nowMs: Int) -> Bool {
            choice.failed(endpoint, nowMs: nowMs)
        }
        func isStandby(of leader: [String], nowMs: Int) -> Bool {
            choice.isStandby(of: leader, nowMs: nowMs)
        }
    }

    private func health(_ role: String, of leader: [String] = []) -> Health {
        var health = Health()
        var cluster = Health.Cluster()
        (cluster.role, cluster.leader) = (role, leader)
        health.cluster = cluster
        return health
    }

    @Test("one daemon is never left")
    func alone() {
        let choice = Rig("ipc:///run/trestle/request.sock")
        #expect(choice.endpoints == ["ipc:///run/trestle/request.sock"] && !choice.areSeveral)
        #expect(!choice.tick(nowMs: 60_000))
        #expect(!choice.failed("ipc:///run/trestle/request.sock", nowMs: 60_000))
        #expect(!choice.heard(Health(), nowMs: 60_000))
        #expect(choice.present == "ipc:///run/trestle/request.sock")
    }

    @Test("it goes to the leader that a standby names, and stays there")
    func leader() {
        let choice = Rig()
        #expect(choice.present == "tcp://a:1")
        #expect(choice.heard(health("standby", of: ["tcp://c:1"]), nowMs: 10_100))
        #expect(choice.present == "tcp://c:1")
        #expect(!choice.heard(health("leader", of: ["tcp://c:1"]), nowMs: 10_200))
        #expect(!choice.isStandby(of: ["tcp://c:1"], nowMs: 10_300))
        #expect(!choice.tick(nowMs: 10_300 + 1_000))
    }

    @Test("where nobody writes yet it stays: the daemon may be the next to")
    func nobody() {
        let choice = Rig()
        #expect(!choice.heard(health("standby"), nowMs: 10_100))
        #expect(!choice.isStandby(of: [], nowMs: 10_100))
        #expect(choice.present == "tcp://a:1")
    }

    @Test("a daemon that is silent, gone or out of touch is left for the next")
    func next() {
        let choice = Rig()
        #expect(!choice.tick(nowMs: 11_500))
        #expect(choice.tick(nowMs: 11_501) && choice.present == "tcp://b:1")
        // The one that was left says nothing new.
        #expect(!choice.failed("tcp://a:1", nowMs: 11_600))
        #expect(choice.failed("tcp://b:1", nowMs: 11_600) && choice.present == "tcp://c:1")
        var suspended = health("standby")
        suspended.cluster?.isOutOfTouch = true
        #expect(choice.heard(suspended, nowMs: 11_700) && choice.present == "tcp://a:1")
    }

    @Test("a standby's word does not lead back to the daemon that has just died")
    func believed() {
        let choice = Rig()
        #expect(choice.failed("tcp://a:1", nowMs: 10_100) && choice.present == "tcp://b:1")
        for nowMs in stride(from: 10_200, to: 12_100, by: 100) {
            #expect(!choice.heard(health("standby", of: ["tcp://a:1"]), nowMs: nowMs))
        }
        #expect(choice.heard(health("standby", of: ["tcp://a:1"]), nowMs: 12_100))
    }

    @Test("after a round there is a rest, so that it does not spin")
    func rest() {
        let choice = Rig()
        var turns = 0
        for nowMs in 10_000..<12_000 where choice.failed(choice.present, nowMs: nowMs) {
            turns += 1
        }
        #expect((10...14).contains(turns))
    }

    /// Clients know it by another name than the list has.
    @Test("a leader that is not in the list does not make the gateway go round for ever")
    func unlisted() {
        let choice = Rig()
        var turns = 0
        for nowMs in stride(from: 10_000, to: 40_000, by: 500)
        where choice.heard(health("standby", of: ["tcp://elsewhere:1"]), nowMs: nowMs) {
            turns += 1
        }
        #expect((3...21).contains(turns))
    }

    @Test("what a page is refused tells who writes")
    func refusals() {
        func leader(_ text: String) -> [String]? { DaemonChoice.leader(in: Array(text.utf8)) }
        let epoch = #""epoch":"00000000000000000000000000000001""#
        #expect(
            leader(
                #"{"client":"c","number":"1",\#(epoch),"error":{"code":"notLeader","message":"m","#
                    + #""endpoints":["tcp://c:1"]}}"#) == ["tcp://c:1"])
        #expect(leader(#"{\#(epoch),"error":{"code":"stale","message":"notLeader"}}"#) == nil)
        #expect(leader(#"{"error":{"code":"notLeader"#) == nil)
        #expect(leader(#"{\#(epoch),"ok":true}"#) == nil)
    }
}
