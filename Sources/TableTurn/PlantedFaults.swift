/// Faults that the simulation plants in a turn, to see that its laws find them. A turn has none,
/// and nothing in `Sources` plants one: `Tests/TidyTests` looks.
package struct PlantedFaults: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) {
        self.rawValue = rawValue
    }

    package static let publishesBeforeSubmit = PlantedFaults(rawValue: 1 << 0)
    package static let repliesBeforeSubmit = PlantedFaults(rawValue: 1 << 1)
    package static let publishesBeforeDurable = PlantedFaults(rawValue: 1 << 2)
    package static let repliesBeforeDurable = PlantedFaults(rawValue: 1 << 3)
    /// Refused changes stay in memory, and the next entry builds on them.
    package static let keepsRefusedState = PlantedFaults(rawValue: 1 << 4)
    /// Late leases are ended before the requests of the turn are taken in.
    package static let expiresBeforeIntake = PlantedFaults(rawValue: 1 << 5)
    /// After an unknown outcome the entry is submitted once more, for the next free position.
    package static let submitsAgainBlindly = PlantedFaults(rawValue: 1 << 6)
    /// The time of a pause counts as everybody's silence.
    package static let countsPauses = PlantedFaults(rawValue: 1 << 7)
    /// Nobody looks whether leases are late.
    package static let keepsLateLeases = PlantedFaults(rawValue: 1 << 8)
}
