package files

import (
	"overlapsim/network"
	"overlapsim/network/calibrated"
	"overlapsim/scenarios/keys"
)

// KeyTables are the keys of the files that users write.
type KeyTables struct {
	Scenario, Machine, Runtime, Calibration []keys.Row // of files
	Piece                                   []keys.Row // of an entry of a cost by size
	Maximum                                 []keys.Row // of an entry of a calibration's c_max
}

// Tables returns the keys of all files. The keys of runtimes and of machines have
// separate tables. The targets of the rows hold the defaults.
func Tables() KeyTables {
	library, machine := newRuntime(), new(machineFile)
	return KeyTables{
		Scenario:    newScenarioFile().rows(),
		Machine:     append(machine.rows(), machine.wiring.others()...),
		Runtime:     library.rows(""),
		Calibration: new(calibrationFile).rows(),
		Piece:       keys.PieceRows(new(network.Piece)),
		Maximum:     maximumRows(new(calibrated.Row)),
	}
}
