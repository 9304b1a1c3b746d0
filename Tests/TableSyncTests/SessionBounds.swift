import TableModel

@testable import TableSync

// Tests say what is remembered by limits, as the daemon's settings do.

extension Sessions {
    mutating func remember(
        _ answer: Answered, client: ID, opened: UInt64?, position: UInt64, within limits: Limits
    ) {
        remember(
            answer, client: client, opened: opened, position: position, within: Bounds(limits))
    }

    mutating func promised(_ limits: Limits, until position: UInt64) {
        promised(Bounds(limits), until: position)
    }
}

extension SessionBook {
    mutating func remember(
        _ answer: Sessions.Answered, of principal: Principal, client: ID, opened: UInt64?,
        position: UInt64, within limits: Limits
    ) {
        answer.reply.withUnsafeBytes {
            remember(
                answer.number, answer.requestHash, $0, of: principal, client: client,
                opened: opened, position: position, within: Sessions.Bounds(limits))
        }
    }

    mutating func remember(
        _ answer: Sessions.Answered, of owner: Sessions.Owner, client: ID, opened: UInt64?,
        position: UInt64, within limits: Limits
    ) {
        remember(
            answer, of: owner, client: client, opened: opened, position: position,
            within: Sessions.Bounds(limits))
    }
}
