// Package files reads the files that users write: it makes a machine and a program, ready
// to run, out of scenario and machine files and the settings on top of them. One table of
// keys per kind of file drives decoding, settings, reference, schema and completion; a row
// also says when its key cannot act. All mistakes are reported at once, as
// [keys.Problems] with their places. The built-in machines, communication libraries,
// scenarios and calibrations are embedded.
package files
