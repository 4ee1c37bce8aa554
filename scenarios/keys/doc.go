// Package keys reads files of keys and values: YAML in which every key has a row in a
// table. The row says what kind of value the key takes, where the value goes, and what it
// means. From the same rows come the decoding of a file, the paths that settings use, the
// messages about mistakes, the reference and the JSON Schema.
//
// A text becomes a tree of nodes, each with its place. Bases, changes and settings are
// put into the tree ([Overlay]), and only then a [Decoder] fills the targets of the rows.
// Therefore one decoder checks everything, and every mistake names the place where it was
// written. [Problems] collects all of them.
//
// Quantities are exact: a number with a unit of one [Dimension].
//
// Nothing here knows what a machine or a scenario is. A package with a kind of file of
// its own reads it as a [Tree].
package keys
