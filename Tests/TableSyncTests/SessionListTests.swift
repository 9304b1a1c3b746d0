import SeededNumbers
import TableModel
import Testing

@testable import TableSync

/// A list of sessions against a dictionary of them.
struct SessionListTests {
    @Test func itIsADictionary() {
        for seed in 0..<50 {
            var numbers = SplitMix64(seed: UInt64(seed))
            var list = SessionList()
            var model: [ID: Sessions.Session] = [:]
            for step in 0..<200 {
                let client = ID("client \(numbers.below(12))")
                #expect((list.place(of: client) != nil) == (model[client] != nil))
                switch numbers.below(3) {
                case 0:
                    list.remove(client)
                    model[client] = nil
                case 1:
                    guard let place = list.place(of: client) else { continue }
                    list.elements[place].session.floor = UInt64(step)
                    model[client]?.floor = UInt64(step)
                default:
                    guard list.place(of: client) == nil else { continue }
                    let session = Sessions.Session(floor: UInt64(step))
                    let place = list.add(session, of: client)
                    model[client] = session
                    #expect(list.place(of: client) == place)
                }
                #expect(list[client] == model[client])
                #expect(list.count == model.count)
            }
            let all = Dictionary(
                uniqueKeysWithValues: list.elements.map { ($0.client, $0.session) })
            #expect(all == model)
        }
    }
}
