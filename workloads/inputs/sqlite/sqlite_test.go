package sqlite

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// unpacked is a database of testdata.
func unpacked(t testing.TB, name string) []byte {
	t.Helper()
	f := must.Get(os.Open("testdata/" + name))(t)
	defer f.Close()
	z := must.Get(gzip.NewReader(f))(t)
	return must.Get(io.ReadAll(z))(t)
}

func opened(content []byte) (*File, error) {
	return Open(bytes.NewReader(content), int64(len(content)))
}

// Databases that SQLite 3.40 wrote, with pages of 512 and of 65,536 bytes: row k has numbers of all sizes, texts of up to 1.5 KB, which
// lie on several pages, and values that are missing. Every value is as it was written.
func TestRows(t *testing.T) {
	for name, rows := range map[string]int64{"values-small.sqlite.gz": 3000, "values-large.sqlite.gz": 500} {
		f, err := opened(unpacked(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Tables(); !slices.Equal(got, []string{"empty", "other", "values"}) || !f.Has("values", "i", "end", "r", "t", "id", "b") ||
			f.Has("values", "k") || f.Has("none") {
			t.Errorf("%s: tables %v, columns %v", name, got, f.tables["values"].columns)
		}
		k := int64(0)
		err = f.Rows("values", []string{"b", "i", "end", "absent", "r", "id", "t"}, func(row []Value) error {
			k++
			i := k * k * k * k * k
			if k%7 == 0 {
				i *= 10
			}
			if k%2 == 1 {
				i = -i
			}
			want := []Value{{Kind: Blob, Text: strings.Repeat(string([]byte{byte(k)}), int(k%40))}, integer(i), integer(k % 2), {},
				{Kind: Real, Real: float64(k) / 4, Int: k / 4}, integer(2 * k), {Kind: Text, Text: strings.Repeat("x", int(k%1500)) + integer(k).decimal()}}
			if k%3 == 0 {
				want[2] = Value{}
			}
			if k%4 == 0 { // SQLite writes a number that is whole as an integer
				want[4] = integer(k / 4)
			}
			for n := range want {
				if row[n] != want[n] {
					t.Fatalf("%s: row %d, value %d is %.80v, want %.80v", name, k, n, row[n], want[n])
				}
			}
			return nil
		})
		if err != nil || k != rows {
			t.Errorf("%s: %d rows, want %d: %v", name, k, rows, err)
		}
		if err := f.Rows("empty", []string{"a"}, func([]Value) error { return io.EOF }); err != nil {
			t.Error(err)
		}
		if err := f.Rows("other", []string{"x"}, func([]Value) error { return io.EOF }); err == nil || err.Error() != "table other, row 1: EOF" {
			t.Errorf("%v", err)
		}
	}
}

func (v Value) decimal() string {
	digits := ""
	for n := v.Int; n > 0; n /= 10 {
		digits = string(rune('0'+n%10)) + digits
	}
	return digits
}

// Columns are read from statements as people and programs write them.
func TestColumns(t *testing.T) {
	names, rowid := columnsOf("CREATE TABLE a (\n [x y] INT, -- with (a, comment\n \"end\" INTEGER NOT NULL PRIMARY KEY, d DECIMAL(10, 5) DEFAULT (1),\n" +
		" e, PRIMARY KEY (d, e), FOREIGN KEY (e) REFERENCES b (c)) WITHOUT ROWID")
	if !slices.Equal(names, []string{"x", "end", "d", "e"}) || rowid != 1 {
		t.Errorf("%q, %d", names, rowid)
	}
}

// A file that is damaged or cut off is an error or gives other values: no crash, and no endless loop.
func TestDamaged(t *testing.T) {
	whole, draw := unpacked(t, "values-small.sqlite.gz"), rand.New(rand.NewPCG(1, 2))
	for range 300 {
		damaged := slices.Clone(whole)
		for range 1 + draw.IntN(20) {
			page := draw.IntN(len(damaged) / 512)
			damaged[page*512+draw.IntN(24)] = byte(draw.Uint32())
		}
		if draw.IntN(3) == 0 {
			damaged = damaged[:draw.IntN(len(damaged))]
		}
		if f, err := opened(damaged); err == nil {
			for _, name := range f.Tables() {
				f.Rows(name, []string{"i", "t", "b"}, func([]Value) error { return nil })
			}
		}
	}
	if f, err := opened(whole[:len(whole)/2]); err != nil {
		t.Error(err)
	} else if err := f.Rows("values", []string{"t"}, func([]Value) error { return nil }); err == nil || !strings.Contains(err.Error(), "table values, row ") {
		t.Errorf("half of a file: %v", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(unpacked(f, "values-small.sqlite.gz")[:4096])
	f.Fuzz(func(t *testing.T, content []byte) {
		if file, err := opened(content); err == nil {
			for _, name := range file.Tables() {
				file.Rows(name, []string{"i", "t", "b"}, func([]Value) error { return nil })
			}
		}
	})
}
