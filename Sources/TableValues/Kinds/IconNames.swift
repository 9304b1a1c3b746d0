// Made by Tests/WebTests/icons.test.mjs from web/src/screen/icons.js.
// swift-format-ignore-file

extension IconName {
    /// The other names of each icon, sorted, with spaces between them.
    static let also: [String: String] = [
        "archivebox": "archive inventory inventory.2",
        "arrow.down": "arrow.downward",
        "arrow.left": "arrow.back arrow.backward",
        "arrow.right": "arrow.forward",
        "arrow.up": "arrow.upward",
        "arrow.uturn.backward": "arrow.counterclockwise arrow.uturn.left arrowshape.turn.up.left reply undo",
        "arrow.uturn.forward": "arrow.clockwise arrow.uturn.right arrowshape.turn.up.right forward redo refresh",
        "bell": "alert notifications notifications.active",
        "cart": "shopping.cart",
        "checkmark": "check check.box checkmark.seal done tick",
        "clock": "access.time alarm history schedule snooze timer",
        "doc": "article description doc.text file",
        "ellipsis": "more more.horiz more.vert",
        "envelope": "email envelope.open mail mark.email.unread",
        "exclamationmark": "error exclamationmark.triangle priority.high warning",
        "flag": "report",
        "flame": "fire local.fire.department whatshot",
        "minus": "remove",
        "pencil": "create edit mode.edit pencil.line square.and.pencil",
        "person": "account person.crop user",
        "phone": "call telephone",
        "pin": "keep push.pin",
        "plus": "add",
        "printer": "print",
        "questionmark": "help question.mark",
        "star": "favorite grade star.border",
        "tag": "label local.offer sell",
        "trash": "bin delete delete.forever",
        "xmark": "cancel clear close multiply",
    ]
}
