// Made by Tests/WebTests/languages.test.mjs from web/languages.

/// The messages of page and terminal, as far as the terminal says them.
enum Catalogue {
    static let languages = [en, de, es, fr, ja, ar]
}
