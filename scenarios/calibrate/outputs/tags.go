package outputs

import (
	"bytes"
	"strings"

	"overlapsim/scenarios/keys"
)

// Launchers may put the rank before each line that it prints: mpirun --tag-output, srun --label; mpirun --timestamp-output
// puts the time before that.
var (
	mpirunTag = keys.Pattern(`^(?:\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})?\[[^\]\s]*\d+,\d+\](<std(out|err|diag)>)?:`)
	srunLabel = keys.Pattern(`^ *\d+: ?`)
	labelled  = keys.Pattern(`(?m)^ *\d+: *#`) // a heading
)

// colours are codes of terminals.
var colours = keys.Pattern(`\x1b\[[\d;]*m`)

// plain returns a text without the mark of its order of bytes, which Windows writes, and without colours.
func plain(text []byte) []byte {
	return colours().ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), nil)
}

// untagged puts spaces in place of tags, so that columns stay. A label of srun looks like the number of a line of NetPIPE: it is one if all
// lines that are not empty have it, and a heading does.
func untagged(text string) string {
	labels := labelled().MatchString(text)
	for l := range strings.Lines(text) {
		labels = labels && (strings.TrimSpace(l) == "" || srunLabel().MatchString(l))
	}
	if !labels && !strings.Contains(text, "]:") && !strings.Contains(text, "]<std") {
		return text
	}
	var b strings.Builder
	for l := range strings.Lines(text) {
		tag := mpirunTag().FindString(l)
		if tag == "" && labels {
			tag = srunLabel().FindString(l)
		}
		b.WriteString(strings.Repeat(" ", len(tag)))
		b.WriteString(l[len(tag):])
	}
	return b.String()
}
