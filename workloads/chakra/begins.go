package chakra

import (
	"encoding/binary"
	"regexp"
	"sync"

	"google.golang.org/protobuf/encoding/protowire"
)

// Begins tells whether a file with this beginning is an execution trace: the length of a message of
// metadata, and in it a version as a text (field 1) before attributes (field 2).
func Begins(begin []byte) bool {
	length, n := binary.Uvarint(begin)
	if n <= 0 || length == 0 || length > mostMessage {
		return false
	}
	inside := begin[n:]
	if uint64(len(inside)) > length {
		inside = inside[:length]
	}
	number, kind, n := protowire.ConsumeTag(inside)
	if n < 0 || kind != protowire.BytesType {
		return false
	}
	text, m := protowire.ConsumeBytes(inside[n:])
	switch number {
	case 1:
		return m > 0 && version().Match(text)
	case 2: // it may be longer than what was read
		_, size := binary.Uvarint(inside[n:])
		return size > 0 && len(inside) > n+size && inside[n+size] == nameTag
	}
	return false
}

// version is the version of a schema, such as 0.0.4. A text has no byte below a blank for its length.
var version = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9][0-9A-Za-z.+-]{0,30}$`) })

// nameTag is the tag of the name of an attribute, which comes first.
const nameTag = 1<<3 | byte(protowire.BytesType)
