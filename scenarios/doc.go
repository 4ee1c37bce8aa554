// Package scenarios reads scenario and machine files, runs them and returns outcomes.
// Load or Read makes a Study of runs, Scenario.Run an Outcome, Outcome.Record the data
// that are written as JSON. One table of keys per kind of file drives decoding, settings,
// reference, schema and completion. All mistakes are reported at once, as Problems with
// their places. The library of machines, communication libraries, scenarios and
// calibrations is embedded.
package scenarios
