package scenarios

import (
	"overlapsim/network"
	"overlapsim/network/calibrated"
)

// KeyTables are the keys of the files that users write.
type KeyTables struct {
	Scenario, Machine, Runtime, Calibration []Row // of files
	Piece                                   []Row // of an entry of a cost by size
	Maximum                                 []Row // of an entry of a calibration's c_max
}

// Tables returns the keys of all files. The keys of a runtime have a table apart from
// that of machines. The targets of the rows hold the defaults.
func Tables() KeyTables {
	library := newRuntime()
	return KeyTables{
		Scenario:    newScenarioFile().rows(),
		Machine:     new(machineFile).rows(),
		Runtime:     library.rows(""),
		Calibration: new(calibrationFile).rows(),
		Piece:       pieceRows(new(network.Piece)),
		Maximum:     maximumRows(new(calibrated.Row)),
	}
}
