package goal

import (
	"encoding/binary"
	"regexp"
)

// Begins tells whether a file with this beginning, unpacked, is a schedule in binary form or in text.
func Begins(begin []byte) bool {
	if len(begin) >= 8 {
		if m := binary.LittleEndian.Uint64(begin); m == magic || m == magicSpoilt {
			return true
		}
	}
	return statement.Match(begin)
}

// statement is the first statement of a schedule, after blanks and comments.
var statement = regexp.MustCompile(`^(\s|//[^\n]*\n|/\*[^*]*(\*[^*/][^*]*)*\*+/)*num_ranks\s`)
