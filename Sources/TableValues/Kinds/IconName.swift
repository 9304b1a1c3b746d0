/// The icons that a definition may name (F4). Pictures draw them; a terminal shows the title.
///
/// An icon may also be named as in SF Symbols or in Material, in any case and with any of `.`, `_`
/// and `-` between the words. Variants such as `.fill` and `.circle` are the same icon.
public enum IconName {
    /// The icons' own names, sorted.
    public static let all = [
        "archivebox", "arrow.down", "arrow.left", "arrow.right", "arrow.up", "arrow.uturn.backward",
        "arrow.uturn.forward", "bell", "cart", "checkmark", "clock", "doc", "ellipsis", "envelope",
        "exclamationmark", "flag", "flame", "minus", "pencil", "person", "phone", "pin", "plus",
        "printer", "questionmark", "star", "tag", "trash", "xmark",
    ]

    /// The icon's own name, for any of its names. Nil: there is no such icon.
    public static func canonical(_ name: String) -> String? {
        guard name.utf8.count <= longestName, name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return nil
        }
        var words = name.lowercased().split { $0 == "." || $0 == "_" || $0 == "-" || $0 == " " }
            .map(String.init)
        while !words.isEmpty {
            let key = words.joined(separator: ".")
            let known = aliases[key] ?? key
            if own.contains(known) { return known }
            guard let last = words.last, variants.contains(last) else { return nil }
            words.removeLast()
        }
        return nil
    }

    /// The other names of an icon, sorted, each with dots between its words.
    public static func others(of icon: String) -> [String] {
        aliases.filter { $0.value == icon }.keys.sorted()
    }

    /// The suffixes that may follow a name and change nothing, sorted.
    public static let suffixes = variants.sorted()

    private static let own = Set(all)

    /// No known name is longer, in bytes.
    private static let longestName = 64

    private static let variants: Set<String> = [
        "fill", "circle", "square", "rounded", "outline", "outlined", "sharp", "badge",
    ]

    private static let aliases: [String: String] = [
        "check": "checkmark", "done": "checkmark", "tick": "checkmark",
        "checkmark.seal": "checkmark", "check.box": "checkmark",
        "close": "xmark", "clear": "xmark", "cancel": "xmark", "multiply": "xmark",
        "delete": "trash", "bin": "trash", "delete.forever": "trash",
        "edit": "pencil", "create": "pencil", "mode.edit": "pencil", "pencil.line": "pencil",
        "square.and.pencil": "pencil",
        "add": "plus", "remove": "minus",
        "user": "person", "account": "person", "person.crop": "person",
        "schedule": "clock", "access.time": "clock", "timer": "clock", "alarm": "clock",
        "snooze": "clock", "history": "clock",
        "notifications": "bell", "notifications.active": "bell", "alert": "bell",
        "call": "phone", "telephone": "phone",
        "print": "printer",
        "report": "flag", "favorite": "star", "grade": "star", "star.border": "star",
        "push.pin": "pin", "keep": "pin",
        "undo": "arrow.uturn.backward", "arrow.uturn.left": "arrow.uturn.backward",
        "arrow.counterclockwise": "arrow.uturn.backward", "reply": "arrow.uturn.backward",
        "arrowshape.turn.up.left": "arrow.uturn.backward",
        "redo": "arrow.uturn.forward", "arrow.uturn.right": "arrow.uturn.forward",
        "arrow.clockwise": "arrow.uturn.forward", "refresh": "arrow.uturn.forward",
        "forward": "arrow.uturn.forward", "arrowshape.turn.up.right": "arrow.uturn.forward",
        "arrow.upward": "arrow.up", "arrow.downward": "arrow.down",
        "arrow.back": "arrow.left", "arrow.backward": "arrow.left",
        "arrow.forward": "arrow.right",
        "mail": "envelope", "email": "envelope", "mark.email.unread": "envelope",
        "envelope.open": "envelope",
        "archive": "archivebox", "inventory": "archivebox", "inventory.2": "archivebox",
        "label": "tag", "sell": "tag", "local.offer": "tag",
        "priority.high": "exclamationmark", "warning": "exclamationmark",
        "error": "exclamationmark", "exclamationmark.triangle": "exclamationmark",
        "help": "questionmark", "question.mark": "questionmark",
        "local.fire.department": "flame", "whatshot": "flame", "fire": "flame",
        "shopping.cart": "cart",
        "description": "doc", "article": "doc", "file": "doc", "doc.text": "doc",
        "more": "ellipsis", "more.horiz": "ellipsis", "more.vert": "ellipsis",
    ]
}
