package goal

import (
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"

	"overlapsim/sim/must"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packer packs a text.
type packer struct {
	name string
	pack func(out io.Writer) io.WriteCloser
}

var packers = []packer{
	{"gzip", func(out io.Writer) io.WriteCloser { return gzip.NewWriter(out) }},
	{"zstd", func(out io.Writer) io.WriteCloser {
		w, err := zstd.NewWriter(out)
		if err != nil {
			panic(err)
		}
		return w
	}},
}

func (p *packer) packed(text []byte) []byte {
	var out bytes.Buffer
	w := p.pack(&out)
	w.Write(text)
	w.Close()
	return out.Bytes()
}

// A packed schedule is that which is packed, in text and in binary form, in files of less and
// of more than one piece.
func TestUnpack(t *testing.T) {
	for _, rounds := range []int{1, 500} {
		s := must.Get(Halo(3, rounds, 8192, 100_000))(t)
		var text, binary bytes.Buffer
		must.Do(t, s.WriteText(&text))
		must.Do(t, s.WriteBinary(&binary))
		for _, plain := range [][]byte{text.Bytes(), binary.Bytes()} {
			want := must.Get(Read(bytes.NewReader(plain), "plain"))(t)
			for _, p := range packers {
				got := must.Get(Read(bytes.NewReader(p.packed(plain)), p.name))(t)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: another schedule than the one packed", p.name)
				}
			}
		}
	}
}

// Mistakes in what is packed have their lines; what cannot be unpacked says so.
func TestUnpackErrors(t *testing.T) {
	for _, p := range packers {
		whole := p.packed([]byte("num_ranks 1\nrank 0 {\nl1: calc 5\n}\n"))
		for _, c := range []struct {
			packed []byte
			want   string
		}{
			{p.packed([]byte("num_ranks 1\nrank 0 {\nl1: calc x\n}\n")), "f:3:10: calc: want a whole number"},
			{p.packed(nil), "f: the file is empty"},
			{whole[:len(whole)-20], "f: cannot be unpacked as " + p.name + ": unexpected EOF"},
			{append(whole[:6:6], 0xff, 0xff, 0xff, 0xff), p.name},
			{p.packed(whole), "f:1:1: want num_ranks N"},
		} {
			if _, err := Read(bytes.NewReader(c.packed), "f"); err == nil || !strings.HasPrefix(err.Error(), "f:") ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", p.name, err, c.want)
			}
		}
	}
}

// A file of a schedule has its name whether it is packed or not.
func TestNamed(t *testing.T) {
	for name, want := range map[string]bool{"a.goal": true, "a.goal.gz": true, "a.b.goal.zst": true, "a.gz": false, "goal": false,
		"a.yaml": false, "a.goal.txt": false} {
		if Named(name) != want {
			t.Errorf("%s is the name of a schedule: %v, want %v", name, !want, want)
		}
	}
}
