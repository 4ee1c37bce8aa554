package files

import "testing"

// Every calibration of the library loads without problems.
func TestLibraryCalibrations(t *testing.T) {
	for _, name := range Calibrations() {
		if _, err := loadText(good+"fabric: {kind: calibrated, calibration: "+name+"}\n", nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
