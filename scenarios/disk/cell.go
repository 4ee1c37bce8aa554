package disk

import (
	"strconv"
	"strings"
)

// Cell returns a text for a cell of a CSV file: an apostrophe stands before one that a
// spreadsheet would take for a formula. Numbers stay as they are.
func Cell(text string) string {
	if text == "" || !strings.Contains("=+-@\t\r", text[:1]) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
