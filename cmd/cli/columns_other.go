//go:build !linux && !darwin

package cli

import "os"

// terminalColumns tells whether a file is a terminal; its width is not known.
func terminalColumns(f *os.File) (columns int, ok bool) {
	info, err := f.Stat()
	return 0, err == nil && info.Mode()&os.ModeCharDevice != 0
}
