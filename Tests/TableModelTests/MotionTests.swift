import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// The motion profile (F1).
struct MotionTests {
    /// The numbers of rules A16, B8 and C4.
    @Test func standards() {
        let motion = Motion()
        for (key, value) in [
            (Motion.Key.circular, 0.5), (.circularFirst, 0), (.face, 0), (.expand, 0.3),
            (.longPress, 0.5), (.lift, 0.3), (.drop, 0.3), (.liftedScale, 1.05),
            (.liftedAlpha, 0.98), (.shadowX, -5), (.shadowY, 0), (.shadowRadius, 5),
            (.shadowOpacity, 0.4), (.hidesLifted, 1),
        ] {
            #expect(motion[key] == value && key.range.contains(value), "\(key)")
        }
    }

    @Test func oneValueAtATime() throws {
        let ledger = HistoryTests.board()
        let digest = ledger.table.settings.hash
        func define(_ key: Motion.Key, _ value: Double) -> Result<Plan, Rejection> {
            var settings = Settings()
            settings.motion[key] = value
            return ledger.perform(
                .define(.init(settings: settings, partialSettings: .motion(key))))
        }
        _ = try define(.lift, 0.2).get()
        _ = try define(.hidesLifted, 0).get()
        #expect(ledger.table.settings.motion[.lift] == 0.2)
        #expect(ledger.table.settings.motion[.hidesLifted] == 0)
        #expect(ledger.table.settings.motion[.drop] == 0.3)
        #expect(ledger.table.settings.hash != digest)
        // What is standard again is as it was, also in the digest.
        _ = try define(.lift, 0.3).get()
        _ = try define(.hidesLifted, 1).get()
        #expect(ledger.table.settings.hash == digest)
        for (key, value) in [
            (Motion.Key.lift, -0.1), (.lift, 10.5), (.drop, .nan), (.liftedScale, 0),
            (.shadowX, .infinity), (.hidesLifted, 0.5), (.liftedAlpha, 1.1),
        ] {
            guard case .failure(let refusal) = define(key, value) else {
                Issue.record("\(key) \(value) is taken")
                continue
            }
            #expect(refusal.code == .badNumber)
            #expect(refusal.field?.hasSuffix("table.motion.\(key.rawValue)") == true)
        }
    }
}
