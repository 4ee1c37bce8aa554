package outcomes

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// appendText appends a text as package json writes it.
func appendText(out []byte, text string) []byte {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r >= 0x7f || strings.ContainsRune(`"\<>&`, r) }) {
		quoted, _ := json.Marshal(text)
		return append(out, quoted...)
	}
	out = append(out, '"')
	out = append(out, text...)
	return append(out, '"')
}

// appendNumber appends a finite number as package json writes it.
func appendNumber(out []byte, x float64) []byte {
	if size := math.Abs(x); size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.AppendFloat(out, x, 'f', -1, 64)
	}
	out = strconv.AppendFloat(out, x, 'e', -1, 64)
	if n := len(out); out[n-4] == 'e' && out[n-2] == '0' { // e-09 is written e-9
		out = append(out[:n-2], out[n-1])
	}
	return out
}
