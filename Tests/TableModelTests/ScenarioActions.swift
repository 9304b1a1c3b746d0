import TableModel

extension Action {
    /// Takes what a word of a scenario says of it.
    mutating func take(_ word: String) throws {
        switch word {
        case "remove": effects.append(.remove)
        case "toggle": effects.append(.toggle)
        case "top": effects.append(.move(section: "pass", .top))
        case "after": effects.append(.move(section: nil, .after("anchor")))
        case "fill":
            effects.append(.fill([.init("f", "{actor} {item}{now}")]))
        case "count": effects.append(.increment([.init("qty", by: 1)]))
        case "invoke-fill":
            let then: [Effect] = [
                .fill([.init("by", "{actor} {qty}")]), .increment([.init("qty", by: 1)]),
            ]
            effects.append(.invoke(deadlineSeconds: 5, then: then))
        case "set": effects.append(.set([.init("f", id.text)]))
        case "invoke": effects.append(.invoke(deadlineSeconds: 5, then: []))
        case "invoke-set":
            effects.append(
                .invoke(deadlineSeconds: 5, then: [.set([.init("f", "then")])]))
        case "invoke-again":
            let retries = Retries(attempts: 2, otherwise: [.set([.init("f", "failed")])])
            effects.append(
                .invoke(
                    deadlineSeconds: 5, then: [.set([.init("f", "then")])], retries: retries))
        case "invoke-remove":
            effects.append(.invoke(deadlineSeconds: 5, then: [.remove]))
        case "set-item": effects.append(.setItem([.init("f", id.text)]))
        case "remove-item": effects.append(.removeItem)
        case "invoke-set-item":
            effects.append(
                .invoke(deadlineSeconds: 5, then: [.setItem([.init("f", "then")])]))
        case "stays": hidesWhenSelected = false
        case "confirm": asksToConfirm = true
        case "repeat": repeats = true
        case "hold": effects.append(.move(section: "held", .bottom))
        case "back": effects.append(.moveBack)
        case "from": effects.append(.fill([.init("from", "{from}>{section}")]))
        case "unset": effects.append(.unset(["f", "qty"]))
        case "kind": effects.append(.kind("other"))
        case "all-top": effects.append(.group([.move(section: "pass", .top)]))
        case "all-remove": effects.append(.group([.remove]))
        case "all-count":
            effects.append(.group([.increment([.init("qty", by: 1)])]))
        case "ready":
            guarded = .init(when: "field.f == 'ready'", unless: "It is not ready.")
        case "waited": guarded = .init(when: "age > 5s")
        default: throw ScenarioParser.Failure(description: "no effect \(word)")
        }
    }
}
