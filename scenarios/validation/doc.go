// Package validation compares measurements with what the simulator predicts.
//
// A data set is a YAML file: a scenario, which column of a CSV file sets which path of it,
// which column holds the measured figure, and which number of the run is the prediction.
// Each row of the file is a run. Rows with the same settings are one run, whose figure was
// measured several times; how far they are apart is the spread of the measurement.
//
// The score of the rows is compared with the score of a trivial baseline. A data set may name the
// rows and the parameters, at most eight, that a fit may use; the fit does nothing else.
//
// The data sets of the library are next to the code, each with a few rows that protect the
// core. Other rows are given by name.
package validation
