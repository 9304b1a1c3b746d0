import Glibc
import TableModel
import TableSync
import TableWire

/// What to begin with: small valid messages, as the unit tests make them up. `make -C fuzz seeds`.
enum Seeds {
    /// Kinds with actions, states and a strip.
    static let kinds = """
        kinds:
          ticket:
            height: 76
            states: [collapsed, {name: summary, height: 140}, expanded]
            tap: {set: {seen: "yes"}}
            leading:
              actions: [{id: recall, title: Recall, effect: [{set: {state: x}}, {expand: collapsed}]}]
            trailing:
              fullSwipe: true
              actions:
                - {id: bump, title: Bump, effect: [{set: {state: y}}, {move: {section: s, top: true}}]}
                - {id: page, title: Page, effect: [{invoke: {deadline: 30}}]}
                - {id: void, title: Void, confirm: true, effect: {remove: true}}
          notice: {height: 40, states: [collapsed], canMove: false, canDelete: false, pinned: true}
          courses: {height: 92, states: [collapsed], strip: true, tap: {set: {fired: "yes"}}}
        table: {swipePolicy: exclusive, expandPolicy: accordionSection, scrollScope: shared}

        """

    /// Writes some for each target that reads bytes of a form.
    static func write(to directory: String) {
        var generator = Generator(seed: 6)
        for index in 0..<12 {
            for (form, name) in [(Form.json, "json"), (.binary, "proto")] {
                let request = Encode.request(generator.request(), form: form)
                save(request, "\(directory)/request-\(name)", index)
                let reply = Encode.reply(generator.reply(), form: form)
                save(reply, "\(directory)/reply-\(name)", index)
                save(
                    Encode.publication(generator.publication(), form: form),
                    "\(directory)/publication-\(name)", index)
            }
            save(Encode.entry(generator.entry()), "\(directory)/entry", index)
            save(Encode.checkpoint(generator.checkpointPart()), "\(directory)/checkpoint", index)
        }
    }

    private static func save(_ bytes: [UInt8], _ directory: String, _ index: Int) {
        // Small ones: the fuzzer makes them longer by itself.
        guard bytes.count <= 1_500 else { return }
        mkdir(directory, 0o755)
        let file = open("\(directory)/seed\(index)", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { return }
        _ = Glibc.write(file, bytes, bytes.count)
        close(file)
    }
}
