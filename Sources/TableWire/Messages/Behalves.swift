internal import SwiftProtobuf
public import TableModel
public import TableSync

// On whose behalf a request is: a frame of its own, so that the request's bytes stay as they were written.

extension Encode {
    /// The frame before a request.
    public static func behalf(_ behalf: Behalf, form: Form) -> [UInt8] {
        var wire = WireBehalf()
        wire.name = behalf.name.text
        wire.role = behalf.role?.rawValue ?? ""
        wire.tables = behalf.tables.map(\.text)
        return wire.bytes(form)
    }
}

extension Decode {
    /// Reads the frame before a request. The name may be said of whoever leaves out its own, so it is
    /// bounded as that is.
    public static func behalf(
        _ bytes: UnsafeRawBufferPointer, form: Form, limits: Limits = Limits()
    ) throws(Rejection) -> Behalf {
        guard bytes.count <= Behalf.mostBytes else {
            throw .tooMuch("behalf bytes", bytes.count, limit: Behalf.mostBytes, "behalf")
        }
        let wire: WireBehalf
        do throws(Rejection) {
            wire = try WireBehalf.parse(bytes, form)
        } catch {
            throw Rejection(error.code, error.message, field: "behalf")
        }
        var tables: [String]? = wire.tables
        if wire.tables.isEmpty || wire.role.isEmpty {
            let named = try keys(bytes, form)
            if wire.role.isEmpty, named.contains("role") {
                throw Rejection(
                    .badValue,
                    "An empty role is none: leave it out for whatever the sender may do.",
                    field: "behalf.role")
            }
            if wire.tables.isEmpty, !named.contains("tables") { tables = nil }
        }
        let behalf = try Behalf(name: wire.name, role: wire.role, tables: tables)
        guard behalf.name.byteCount <= limits.idBytes else {
            throw .tooMuch(
                "name bytes", behalf.name.byteCount, limit: limits.idBytes, "behalf.name")
        }
        return behalf
    }

    /// The keys that the frame has, be they empty or `null`. Absent means all tables, and all
    /// that the sender may do, and the schema's reader makes no difference. In protobuf there is
    /// none: what is empty is no bytes.
    private static func keys(
        _ bytes: UnsafeRawBufferPointer, _ form: Form
    ) throws(Rejection) -> Set<String> {
        guard form == .json else { return [] }
        do throws(Rejection) {
            return Set(try Google_Protobuf_Struct.parse(bytes, form).fields.keys)
        } catch {
            throw Rejection(error.code, error.message, field: "behalf")
        }
    }
}
