// Package scenarios reads scenario and machine files, runs what they say and returns
// outcomes: Load or Read makes a Study of runs, Scenario.Run an Outcome, Outcome.Record
// what is written as JSON. One table of keys per kind of file drives decoding,
// settings, reference, schema and completion; all mistakes are reported at once, as
// Problems with their places. The library of machines, communication libraries,
// scenarios and calibrations is embedded.
package scenarios
