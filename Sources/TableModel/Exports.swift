// The values that a table is made of come with it: nobody has use for a table without them.
@_exported public import TableValues
