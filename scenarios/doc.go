// Package scenarios runs scenarios. Load or Read makes a Study of runs, Scenario.Run an
// outcome (package outcomes), whose Record is what is written as JSON. How files become
// what runs is in package files.
package scenarios
