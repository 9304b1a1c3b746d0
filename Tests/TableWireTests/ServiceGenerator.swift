import TableSync

// What a daemon of a service of several says.

extension Generator {
    static func cluster(_ health: Health) -> Health.Cluster {
        var cluster = Health.Cluster()
        cluster.role = "leader"
        (cluster.term, cluster.lag) = (health.position, health.uptimeMs)
        cluster.leader = [health.version]
        cluster.isOutOfTouch = health.uptimeMs % 2 == 1
        cluster.members = [
            .init(
                id: "a", endpoints: ["b", health.version], position: 0, version: health.version,
                term: health.position)
        ]
        return cluster
    }
}
