import TableModel
import TableSync
import TableWire

/// Decodes from an array.
func decodeRequest(
    _ bytes: some Collection<UInt8>, _ form: Form, limits: Limits = Limits()
) -> DecodedRequest {
    Array(bytes).withUnsafeBytes { Decode.request($0, form: form, limits: limits) }
}

func decodeReply(_ bytes: [UInt8], _ form: Form) -> Result<Reply, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.reply(bytes, form: form) }
    }
}

func decodePublication(_ bytes: [UInt8], _ form: Form) -> Result<Publication, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.publication(bytes, form: form) }
    }
}

func decodePresence(_ bytes: [UInt8], _ form: Form) -> Result<Presence, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.presence(bytes, form: form) }
    }
}

func decodeDiff(_ bytes: [UInt8], _ form: Form) -> Result<Diff, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.diff(bytes, form: form) }
    }
}

func decodeEntry(_ bytes: [UInt8]) -> Result<JournalEntry, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.entry(bytes) }
    }
}

func decodeCheckpoint(_ bytes: [UInt8]) -> Result<CheckpointPart, WireError> {
    bytes.withUnsafeBytes { bytes in
        Result { () throws(WireError) in try Decode.checkpoint(bytes) }
    }
}
