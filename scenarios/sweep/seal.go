package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// sealed begins the last member of a result: a checksum of the result without it.
var sealed = []byte(`,"sha256":"`)

// seal adds the checksum to a result, a JSON object.
func seal(result []byte) []byte {
	sum := sha256.Sum256(result)
	text := append(bytes.TrimSuffix(result, []byte("}")), sealed...)
	return append(hex.AppendEncode(text, sum[:]), '"', '}', '\n')
}

// intact tells whether a result has the checksum that was written with it. Results of
// versions before checksums have none.
func intact(text []byte) bool {
	at := bytes.LastIndex(text, sealed)
	if at < 0 {
		return true
	}
	result := append(bytes.Clone(text[:at]), '}')
	return bytes.Equal(seal(result), text)
}
