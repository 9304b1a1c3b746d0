import Testing

@testable import TableDecisions
@testable import TableModel
@testable import TableValues

/// Icons by name, and images of a face's own (F4).
struct FaceImageTests {
    /// Red, 4 × 2 pixels with alpha, as Python's zlib packs them.
    static let png =
        Base64.bytes(
            "iVBORw0KGgoAAAANSUhEUgAAAAQAAAACCAYAAAB/qH1jAAAAEklEQVR42mP4z8DwHxkzoAsAAA8hD/H+RRRj"
                + "AAAAAElFTkSuQmCC") ?? []
    /// 1,025 × 1 pixels in 83 bytes.
    static let widePNG =
        Base64.bytes(
            "iVBORw0KGgoAAAANSUhEUgAABAEAAAABCAYAAACvzLcLAAAAGklEQVR42u3BAQEAAACCIP+vbkhAAQAAABcG"
                + "EAUAAQ7y3M4AAAAASUVORK5CYII=") ?? []

    @Test func iconsHaveManyNames() {
        for (name, icon) in [
            ("checkmark", "checkmark"), ("Check", "checkmark"), ("trash.fill", "trash"),
            ("bell.badge.fill", "bell"), ("push_pin", "pin"), ("shopping-cart", "cart"),
            ("frying-pan", nil), ("fill", nil), ("", nil), ("circle.fill", nil),
            (String(repeating: "a", count: 10_000), nil),
        ] {
            #expect(IconName.canonical(name) == icon, "\(name)")
        }
        #expect(IconName.all == IconName.all.sorted() && IconName.all.count == 29)
        for icon in IconName.all {
            #expect(IconName.canonical(icon) == icon)
            for other in IconName.others(of: icon) { #expect(IconName.canonical(other) == icon) }
        }
    }

    /// An old table may have names that nobody would take today. They keep nothing from changing.
    @Test func namesOfBeforeStay() throws {
        let table = Table(name: "t", history: ID128(high: 1, low: 2))
        var action = Action("go")
        action.icon = "frying-pan"
        var kind = Kind("old")
        kind.trailing = ActionGroup(actions: [action])
        try table.apply(.define(.init(kinds: [kind])), at: Moment(revision: 1, timeMs: 0))
        kind.heightPoints = 80
        var fresh = Kind("fresh")
        action.icon = "wok"
        fresh.trailing = ActionGroup(actions: [action])
        func define(_ kind: Kind) -> Result<Plan, Rejection> {
            reduce(Command(.define(.init(kinds: [kind]))), on: table, limits: Limits(), nowMs: 0)
        }
        _ = try define(kind).get()
        #expect(throws: Rejection.self) { try define(fresh).get() }
    }

    @Test func paths() {
        for path in [
            "M4.5 12.5l5 5L19.5 7", "m0,0", " M 1 1 z ", "M1-1.5.5-2e-3", "M0 0a1 1 0 011.5 2",
            "M1 1 2 2,3 3Z M4 4", "M0 0c1 2 3 4 5 6 1 2 3 4 5 6", "M1.e1 5.", "M12 3h1 2v3",
        ] {
            #expect(PathData.fault(path) == nil, "\(path)")
        }
        for path in [
            "", " ", "1 1", "L1 1", "M", "M1", "M1 1 2", "M1 1,", "M1 1x", "M1 1 &", "M1e 1",
            "M0 0a1 1 0 2 1 1 1", "M 1 1 \u{B}", "Mé", "M1e9 1", "M1 1,z", "M,1 1", "M. 1",
            "M1 1\u{0}",
        ] {
            #expect(PathData.fault(path) != nil, "\(path)")
        }
    }

    /// A changed byte anywhere is found: by the checksums, or because the chunks no longer fit.
    @Test func pngs() {
        #expect(PNG(Self.png).map { [$0.width, $0.height] } == [4, 2])
        #expect(FaceImage(.png(Self.png)).aspect == 2)
        for index in Self.png.indices {
            var broken = Self.png
            broken[index] ^= 0x10
            #expect(PNG(broken) == nil, "byte \(index)")
            #expect(PNG(Array(Self.png.prefix(index))) == nil, "\(index) bytes")
        }
        #expect(PNG(Self.png + [0]) == nil)
        #expect(PNG(Self.widePNG)?.width == 1_025)
    }

    /// RFC 4648, section 10.
    @Test func base64() {
        for (text, coded) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64.text(Array(text.utf8)) == coded)
            #expect(Base64.bytes(coded) == Array(text.utf8))
        }
        for wrong in ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "====", "Z===", "Zm 9", "Zé=="]
        {
            #expect(Base64.bytes(wrong) == nil, "\(wrong)")
        }
        let all = (0...255).map { UInt8($0) }
        #expect(Base64.bytes(Base64.text(all)) == all)
    }
}
