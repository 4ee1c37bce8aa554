package goal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// seeds are schedules that use all of the grammar.
var seeds = []string{
	"num_ranks 1\nrank 0 {\n}\n",
	"num_ranks 2\nrank 0 {\nl1: calc 5 cpu 1\nl2: send 8b to 1 tag 3 cpu 2 nic 1\nl2 requires l1\n}\nrank 1 {\nl1: recv 8b from " +
		"-1 tag -1\n}\n",
	"// c\nnum_ranks 2\r\n/* a\nb */rank 0{\n\tsend 70000bto1tag1\nlong_label_1: calc 1\nlong_label_2: calc 2\nlong_label_2 " +
		"irequires long_label_1\n}\nrank 1 {\nrecv 70000b from 0 tag 1 nic 255\n}",
	"num_ranks 3\nrank 0 {\na: recv 0b from 2\nb: send 18446744073709551615b to 2 tag 4294967295\n}\nrank 1 {\ncalc " +
		"18446744073709551615\n}\nrank 2 {\nx: send 0b to 0\ny: recv 1b from 0\ny requires x\n}\n",
	"num_ranks 4000000000\nrank 0 {\na requires a\n# no\n",
}

// FuzzRead: for any bytes, reading ends with a schedule or an error, and a schedule is
// the same after it is written in either form and read again.
func FuzzRead(f *testing.F) {
	for _, text := range seeds {
		f.Add([]byte(text))
		if s, err := Read(strings.NewReader(text), "seed"); err == nil {
			var b bytes.Buffer
			s.WriteBinary(&b)
			f.Add(b.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { readAndBack(t, data) })
}

// FuzzReadBinary puts the magic number in front, so that the fuzzer need not find it.
func FuzzReadBinary(f *testing.F) {
	for _, text := range seeds {
		if s, err := Read(strings.NewReader(text), "seed"); err == nil {
			var b bytes.Buffer
			s.WriteBinary(&b)
			f.Add(b.Bytes()[8:])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		readAndBack(t, append(binary.LittleEndian.AppendUint64(nil, magic), data...))
	})
}

func readAndBack(t *testing.T, data []byte) {
	s, err := Read(bytes.NewReader(data), "x")
	if err != nil {
		if p := Problems(nil); errors.As(err, &p) && (len(p) == 0 || len(p) > maxProblems) {
			t.Fatalf("%d problems", len(p))
		}
		return
	}
	var text, bin bytes.Buffer
	must.Do(t, errors.Join(s.WriteText(&text), s.WriteBinary(&bin)))
	for _, form := range []*bytes.Buffer{&text, &bin} {
		back, err := Read(form, "back")
		if err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
		if err := sameSchedule(back, s); err != nil {
			t.Fatalf("%v\n%s", err, text.String())
		}
	}
}

// FuzzRun compares both engines with their slow versions on schedules read from
// text.
func FuzzRun(f *testing.F) {
	for _, text := range seeds {
		f.Add(text, uint16(2500), uint16(1500), uint16(1000), uint8(6), uint8(0), uint32(65535))
	}
	f.Fuzz(func(t *testing.T, text string, L, o, g uint16, G, O uint8, S uint32) {
		s, err := Read(strings.NewReader(text), "x")
		if err != nil || len(s.Ops()) > 100 || s.Ranks() > 50 {
			return
		}
		p := CompatParams{uint64(L), uint64(o), uint64(g), uint64(G), uint64(O), uint64(S)}
		must.Do(t, sameCompat(s, p))
		own := p.Params()
		own.ReceiveOverlap = S%2 == 0
		if _, err := Run(s, own); err != nil && !errors.As(err, new(*Unfinished)) {
			return // too long, or a message longer than its receive
		}
		must.Do(t, sameRun(s, own))
	})
}
