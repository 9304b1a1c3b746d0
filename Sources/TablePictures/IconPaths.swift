// Made by Tests/WebTests/icons.test.mjs from web/src/screen/icons.js.
// swift-format-ignore-file

extension Icon {
    /// Commands of an SVG path, by the icon.
    static let paths: [String: String] = [
        "archivebox": "M3.5 4.5h17V9h-17zM5 9v10.5h14V9M9.5 13h5",
        "arrow.down": "M12 4v15.5M5.5 13l6.5 6.5 6.5-6.5",
        "arrow.left": "M20 12H4.5M11 5.5L4.5 12l6.5 6.5",
        "arrow.right": "M4 12h15.5M13 5.5l6.5 6.5-6.5 6.5",
        "arrow.up": "M12 20V4.5M5.5 11L12 4.5l6.5 6.5",
        "arrow.uturn.backward": "M9 4.5l-5 5 5 5M4 9.5h10.5a5 5 0 0 1 0 10H10",
        "arrow.uturn.forward": "M15 4.5l5 5-5 5M20 9.5H9.5a5 5 0 0 0 0 10H14",
        "bell": "M5 17c1.6-1.5 1.8-3 1.8-6.2a5.2 5.2 0 0 1 10.4 0c0 3.2.2 4.7 1.8 6.2zM10 20.2a2.3 2.3 0 0 0 4 0M12 3.5v1.8",
        "cart": "M2.5 4.5h3l2.3 11h10L20 8H6.3",
        "checkmark": "M4.5 12.5l5 5L19.5 7",
        "clock": "M12 3.5a8.5 8.5 0 1 1 0 17a8.5 8.5 0 0 1 0-17zM12 7.5V12l3.2 2",
        "doc": "M5.5 3.5h8.5L18.5 8v12.5h-13zM14 3.5V8h4.5M9 12.5h6M9 16.5h6",
        "ellipsis": "",
        "envelope": "M3.5 5.5h17v13.5h-17zM4 6.5l8 6.5 8-6.5",
        "exclamationmark": "M12 4v10",
        "flag": "M5.5 21V4M5.5 5c4.5-2.2 8 2 13 0v9c-5 2-8.5-2.2-13 0",
        "flame": "M12.5 3c.8 3.7 5.5 5.6 5.5 11a6 6 0 0 1-12 0c0-2.6 1.2-4.3 2.4-5.5.3 1.6 1 2.5 2 3C11 8.7 10.7 6 12.5 3z",
        "minus": "M5 12h14",
        "pencil": "M4 20l1.2-4.7L16 4.5l3.5 3.5L8.7 18.8zM13.2 7.3l3.5 3.5",
        "person": "M12 3.5a4.2 4.2 0 1 1 0 8.4a4.2 4.2 0 0 1 0-8.4zM4 20.5c.5-4 3.6-5.7 8-5.7s7.5 1.7 8 5.7z",
        "phone": "M7.5 4l2.5 4.5-2 1.9c1.2 2.6 3 4.4 5.6 5.6l1.9-2L20 16.5l-1.6 3.4C11 20.6 3.4 13 4.1 5.6z",
        "pin": "M8.5 3.5h7l-1 6 3.5 4.5H6l3.5-4.5zM12 14v6.5",
        "plus": "M12 5v14M5 12h14",
        "printer": "M7 9V3.5h10V9M7 17H3.5V9h17v8H17M7 14h10v6.5H7z",
        "questionmark": "M8 8.5a4 4 0 1 1 6 3.5c-1.4.9-2 1.6-2 3",
        "star": "M12 3.2l2.7 5.6 6.1.8-4.5 4.3 1.1 6.1L12 17l-5.4 3 1.1-6.1-4.5-4.3 6.1-.8z",
        "tag": "M3.5 4.5h8.5l8.5 8.5-7.5 7.5L3.5 12z",
        "trash": "M4 6.5h16M9 6.5V4h6v2.5M6 6.5l1 14h10l1-14M10 10.5v6M14 10.5v6",
        "xmark": "M6 6l12 12M18 6L6 18",
    ]
}

extension Icon {
    /// The round dots of those that have any.
    static let dots: [String: [Dot]] = [
        "cart": [Dot(x: 9, y: 19.5, radius: 1.7), Dot(x: 16.5, y: 19.5, radius: 1.7)],
        "ellipsis": [Dot(x: 5, y: 12, radius: 1.9), Dot(x: 12, y: 12, radius: 1.9), Dot(x: 19, y: 12, radius: 1.9)],
        "exclamationmark": [Dot(x: 12, y: 19.2, radius: 1.5)],
        "questionmark": [Dot(x: 12, y: 19.2, radius: 1.5)],
        "tag": [Dot(x: 8, y: 8.5, radius: 1.3)],
    ]
}
