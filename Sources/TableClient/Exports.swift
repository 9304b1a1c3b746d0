// What a program meets when it uses a client: ids, rows, tables and commands; requests, replies and
// replicas; the two forms of a message. So `import TableClient` is all that it writes.
@_exported public import TableModel
@_exported public import TableSync
@_exported public import TableWire
