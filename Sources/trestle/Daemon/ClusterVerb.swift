import ArgumentParser
import StrictYAML
import TableModel
import TableSync
import TableWire

struct ClusterVerb: Verb {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Show the daemons of a service of several, or let another one write.",
        discussion: """
            status prints a line for each daemon that has reported lately: where clients reach it, \
            whether it writes and in which term, the newest entry of the journal that it has, and how \
            many it lacks. Any of them answers. With -o json: {"role","term","lag",\
            "outOfTouch","members":[{"id","endpoints","role","term","position","lag","version"}]}. The \
            first four are about the daemon that answers.

            step-down asks the daemon that writes to let another one write, for instance before an \
            upgrade. What is under way is finished first, and clients with several endpoints see a \
            pause. It is refused as noOtherDaemon if nobody else is there. A daemon that follows refuses \
            it as notLeader (with several endpoints trestle goes on to the one that writes). Only an \
            admin of all tables may do it.

              trestle -e tcp://10.0.0.1:7571,tcp://10.0.0.2:7571 cluster status
              trestle -e tcp://10.0.0.1:7571,tcp://10.0.0.2:7571 cluster step-down
            """)

    static var forms: [OutputForm] { [.table, .wide, .json, .ndjson, .name] }

    @Argument(help: "status or step-down.") var step: Step
    @OptionGroup var options: Options

    enum Step: String, ExpressibleByArgument, CaseIterable {
        case status
        case stepDown = "step-down"
    }

    func carryOut(_ connection: Connection) throws {
        switch step {
        case .status: try status(connection)
        case .stepDown:
            let reply = try connection.ask(.stepDown)
            try connection.show(
                reply, ["It steps down. Another daemon of the service writes soon."])
        }
    }

    private func status(_ connection: Connection) throws {
        let (reply, health) = try connection.health()
        guard let cluster = health.cluster else {
            throw Failure(
                .refused, code: "noOtherDaemon",
                "this daemon is no service of several: it has its own journal")
        }
        let newest = cluster.members.reduce(health.position) { max($0, $1.position) }
        let documents = { cluster.members.map { $0.document(newest) } }
        try connection.show(
            reply,
            adding: [
                ("role", .text(cluster.role)), ("term", .integer(cluster.term)),
                ("lag", .integer(cluster.lag)), ("outOfTouch", .flag(cluster.isOutOfTouch)),
                ("members", .list(documents())),
            ], ndjson: { documents().map(\.json) },
            names: cluster.members.map { $0.endpoints.joined(separator: ",") },
            lines: { lines(cluster, newest, isWide: $0) })
    }

    private func lines(_ cluster: Health.Cluster, _ newest: UInt64, isWide: Bool) -> [TextLine] {
        var columns = Columns(
            ["DAEMON", "ROLE", "TERM", "POSITION", "LAG", "VERSION"] + (isWide ? ["ID"] : []),
            numbers: [2, 3, 4])
        for member in cluster.members {
            columns.append(
                [
                    member.endpoints.joined(separator: " "), member.role,
                    member.writes ? "\(member.term)" : "-", "\(member.position)",
                    "\(newest - member.position)", member.version,
                ] + (isWide ? [member.id] : []))
        }
        if cluster.isOutOfTouch {
            columns.append(line: "(the daemon that answers is out of touch)", .faint)
        } else if !cluster.members.contains(where: \.writes) {
            columns.append(line: "(nobody writes at present)", .faint)
        }
        return columns.lines
    }
}

extension Health.Cluster.Member {
    fileprivate var role: String { writes ? "leader" : "standby" }

    fileprivate func document(_ newest: UInt64) -> Draft {
        .mapping([
            ("id", .text(id)), ("endpoints", .list(endpoints.map(Draft.text))),
            ("role", .text(role)), ("term", .integer(term)), ("position", .integer(position)),
            ("lag", .integer(newest - position)), ("version", .text(version)),
        ])
    }
}
