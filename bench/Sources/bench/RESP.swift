import Glibc

/// Redis's protocol.
struct RESP {
    var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    /// Begins a command of so many words.
    mutating func command(_ name: StaticString, words: Int) {
        line("*", words + 1)
        word(name)
    }

    mutating func word(_ text: StaticString) {
        line("$", text.utf8CodeUnitCount)
        append(text)
        end()
    }

    mutating func word(_ content: [UInt8]) {
        line("$", content.count)
        bytes.append(contentsOf: content)
        end()
    }

    mutating func word(_ value: Int) {
        word(Self.digits(value))
    }

    /// The key of a row's hash.
    mutating func key(_ id: [UInt8]) {
        line("$", id.count + 4)
        append("row:")
        bytes.append(contentsOf: id)
        end()
    }

    private mutating func append(_ text: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private mutating func line(_ mark: Unicode.Scalar, _ count: Int) {
        bytes.append(UInt8(ascii: mark))
        if count < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(count))
        } else {
            bytes.append(contentsOf: Self.digits(count))
        }
        end()
    }

    private mutating func end() {
        bytes.append(13)
        bytes.append(10)
    }

    static func digits(_ value: Int) -> [UInt8] { Array("\(value)".utf8) }

    /// The last of the strings in one message, if it is a string.
    static func payload(of message: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let (parts, start) = number(message, at: 0) else { return nil }
        var offset = start
        var last: UnsafeRawBufferPointer?
        for _ in 0..<parts {
            guard let (size, next) = number(message, at: offset) else { return nil }
            let isText = message[offset] == UInt8(ascii: "$")
            last = isText ? UnsafeRawBufferPointer(rebasing: message[next..<next + size]) : nil
            offset = isText ? next + size + 2 : next
        }
        return last
    }

    /// Behind the array that begins at an offset; nil when it is not whole yet.
    static func endOfArray(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int? {
        guard let (parts, behind) = number(bytes, at: start) else { return nil }
        var offset = behind
        for _ in 0..<parts {
            guard let (size, next) = number(bytes, at: offset) else { return nil }
            offset = bytes[offset] == UInt8(ascii: "$") ? next + size + 2 : next
            if offset > bytes.count { return nil }
        }
        return offset
    }

    /// The number on the line that begins at an offset, and where the next line begins.
    static func number(_ bytes: UnsafeRawBufferPointer, at start: Int) -> (Int, Int)? {
        var value = 0
        var index = start + 1
        while index + 1 < bytes.count {
            if bytes[index] == 13 { return (value, index + 2) }
            value = value * 10 + Int(bytes[index] &- UInt8(ascii: "0"))
            index += 1
        }
        return nil
    }

    /// The string that begins at an offset, and where it is over; nil when it is not whole yet.
    static func text(
        _ bytes: UnsafeRawBufferPointer, at start: Int
    ) -> (UnsafeRawBufferPointer, Int)? {
        guard let (size, next) = number(bytes, at: start), next + size + 2 <= bytes.count
        else { return nil }
        return (UnsafeRawBufferPointer(rebasing: bytes[next..<next + size]), next + size + 2)
    }

    /// Both strings of an array of two.
    static func pair(
        in message: UnsafeRawBufferPointer
    ) -> (UnsafeRawBufferPointer, UnsafeRawBufferPointer)? {
        guard let (parts, start) = number(message, at: 0), parts == 2,
            let (one, second) = text(message, at: start), let (two, _) = text(message, at: second)
        else { return nil }
        return (one, two)
    }
}

extension Incoming {
    /// Lends each whole message of a subscription, and lets go of them.
    mutating func messages(_ body: (UnsafeRawBufferPointer) -> Void) {
        read { bytes in
            var offset = 0
            while let next = RESP.endOfArray(bytes, at: offset) {
                body(UnsafeRawBufferPointer(rebasing: bytes[offset..<next]))
                offset = next
            }
            return offset
        }
    }

    /// Lends the strings of one long array. `left` are those still to come: nil to begin with.
    mutating func strings(_ left: inout Int?, _ body: (UnsafeRawBufferPointer) -> Void) {
        read { bytes in
            var offset = 0
            if left == nil {
                guard let (count, next) = RESP.number(bytes, at: 0) else { return 0 }
                left = count
                offset = next
            }
            while let some = left, some > 0, let (text, next) = RESP.text(bytes, at: offset) {
                body(text)
                left = some - 1
                offset = next
            }
            return offset
        }
    }
}
