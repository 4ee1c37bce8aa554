package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// sealed begins the last member of a result: a checksum of the result without it.
var sealed = []byte(`,"sha256":"`)

// seal adds the checksum to a result, a JSON object, and ends the line.
func seal(result []byte) []byte {
	sum := sha256.Sum256(result)
	text := append(bytes.TrimSuffix(result, []byte("}")), sealed...)
	return append(hex.AppendEncode(text, sum[:]), '"', '}', '\n')
}

// intact returns the point of a line that is a result with the checksum that was written
// with it. Results of versions before checksums have none.
func intact(line []byte) (point int, ok bool) {
	at := bytes.LastIndex(line, sealed)
	if at < 0 {
		var r Result
		err := json.Unmarshal(line, &r)
		return r.Point, err == nil && r.Point >= 0 && (r.Error != "" || r.Record != nil)
	}
	sum := sha256.New()
	sum.Write(line[:at])
	sum.Write([]byte("}"))
	end := append(hex.AppendEncode(nil, sum.Sum(nil)), '"', '}')
	number, _, _ := bytes.Cut(bytes.TrimPrefix(line, []byte(`{"point":`)), []byte(","))
	point, err := strconv.Atoi(string(number))
	return point, err == nil && point >= 0 && bytes.Equal(line[at+len(sealed):], end)
}
