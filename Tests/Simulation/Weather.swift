/// How bad things are in one run: the rate of every fault that the simulation knows. Rates are per
/// mille, of messages or of steps (a step takes 30 ms on average).
struct Weather {
    // Of messages (`Network.swift`).
    var lostRequests = 0
    var lostReplies = 0
    var lostNews = 0
    var duplicates = 0
    /// A request is kept on the way, and comes once more at any later time.
    var echoes = 0
    var mostDelayMs = 1
    /// Publications that wait for one viewer; the daemon drops what comes beyond.
    var highWaterMark = 256

    // Of clients, in each step.
    /// Nothing goes through, either way, for a while.
    var partitions = 0
    /// A client that does not read what arrives, for a while.
    var stalls = 0
    var viewerRestarts = 0
    var writerRestarts = 0

    // Of the daemon, in each step; crashes in each turn that has requests.
    var crashes = 0
    /// The crashes that take the machine's power with them.
    var powerCuts = 0
    var daemonStalls = 0
    /// The daemon stands still, and hears what was said meanwhile only a little after it goes on.
    var daemonPauses = 0
    var clockJumps = 0
    /// The n-th write or sync from now on fails.
    var diskErrors = 0
    /// The disk has no room for a while.
    var fullDisks = 0
    var backups = 0
    /// The state directory is replaced by a backup's.
    var restores = 0

    static let calm = Weather()

    init() {}

    /// From fair to foul, each fault by itself: some runs have few kinds of them.
    init(_ dice: Dice) {
        lostRequests = dice.pick([0, 20, 100, 250])
        lostReplies = dice.pick([0, 20, 100, 250])
        lostNews = dice.pick([0, 20, 150, 400])
        duplicates = dice.pick([0, 50, 200])
        mostDelayMs = dice.pick([2, 30, 300])
        highWaterMark = dice.pick([256, 16, 3])
        partitions = dice.pick([0, 0, 3, 10])
        stalls = dice.pick([0, 0, 3, 10])
        viewerRestarts = dice.pick([0, 0, 5, 15])
        writerRestarts = dice.pick([0, 0, 5, 15])
        crashes = dice.pick([0, 5, 20, 60])
        powerCuts = dice.pick([0, 300, 1_000])
        daemonStalls = dice.pick([0, 0, 5, 15])
        clockJumps = dice.pick([0, 0, 5, 20])
        diskErrors = dice.pick([0, 0, 3, 10])
        fullDisks = dice.pick([0, 0, 3, 8])
        backups = dice.pick([0, 10, 30])
        restores = dice.pick([0, 0, 3, 8])
        daemonPauses = dice.pick([0, 8, 15])
        echoes = dice.pick([0, 30, 150])
    }
}
