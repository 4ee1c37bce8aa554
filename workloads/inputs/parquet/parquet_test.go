package parquet

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	lib "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding"
	"pgregory.net/rapid"

	"overlapsim/sim/must"
)

// kinds are kinds of columns: what the library calls them, their encodings besides PLAIN, and a random value.
var kinds = []struct {
	node      lib.Node
	encodings []encoding.Encoding
	draw      func(t *rapid.T) (lib.Value, value)
}{
	{lib.Leaf(lib.BooleanType), []encoding.Encoding{&lib.RLE}, func(t *rapid.T) (lib.Value, value) {
		v := rapid.Bool().Draw(t, "bool")
		return lib.ValueOf(v), value{number: map[bool]float64{true: 1}[v]}
	}},
	{lib.Leaf(lib.Int32Type), []encoding.Encoding{&lib.DeltaBinaryPacked, &lib.RLEDictionary, &lib.ByteStreamSplit}, func(t *rapid.T) (lib.Value, value) {
		v := rapid.OneOf(rapid.Int32(), rapid.Int32Range(-3, 3)).Draw(t, "int32")
		return lib.ValueOf(v), value{number: float64(v)}
	}},
	{lib.Leaf(lib.Int64Type), []encoding.Encoding{&lib.DeltaBinaryPacked, &lib.RLEDictionary, &lib.ByteStreamSplit}, func(t *rapid.T) (lib.Value, value) {
		v := rapid.OneOf(rapid.Int64(), rapid.Int64Range(1e15, 1e15+9)).Draw(t, "int64")
		return lib.ValueOf(v), value{number: float64(v)}
	}},
	{lib.Uint(32), []encoding.Encoding{&lib.DeltaBinaryPacked}, func(t *rapid.T) (lib.Value, value) {
		v := rapid.Uint32().Draw(t, "uint32")
		return lib.ValueOf(v), value{number: float64(v)}
	}},
	{lib.Leaf(lib.FloatType), []encoding.Encoding{&lib.RLEDictionary, &lib.ByteStreamSplit}, func(t *rapid.T) (lib.Value, value) {
		v := rapid.Float32().Draw(t, "float")
		return lib.ValueOf(v), value{number: float64(v)}
	}},
	{lib.Leaf(lib.DoubleType), []encoding.Encoding{&lib.RLEDictionary, &lib.ByteStreamSplit}, func(t *rapid.T) (lib.Value, value) {
		v := rapid.OneOf(rapid.Float64(), rapid.Just(0.5)).Draw(t, "double")
		return lib.ValueOf(v), value{number: v}
	}},
	{lib.String(), []encoding.Encoding{&lib.DeltaLengthByteArray, &lib.DeltaByteArray, &lib.RLEDictionary}, func(t *rapid.T) (lib.Value, value) {
		v := rapid.OneOf(rapid.StringN(0, 20, -1), rapid.SampledFrom([]string{"forward-compute", "forward-send"})).Draw(t, "text")
		return lib.ValueOf(v), value{v, math.NaN()}
	}},
	{lib.Leaf(lib.FixedLenByteArrayType(5)), []encoding.Encoding{&lib.DeltaByteArray, &lib.RLEDictionary}, func(t *rapid.T) (lib.Value, value) {
		v := rapid.StringMatching("[a-c]{5}").Draw(t, "fixed")
		return lib.FixedLenByteArrayValue([]byte(v)), value{v, math.NaN()}
	}},
}

var packings = []compress.Codec{&lib.Uncompressed, &lib.Snappy, &lib.Gzip, &lib.Zstd}

// drawn is a random file, written by the library, and the values of its columns. Every second column lies after one that is not flat.
func drawn(t *rapid.T) (file []byte, columns []string, rows [][]value) {
	group := lib.Group{}
	var draw []func(t *rapid.T) (lib.Value, value)
	var optional []bool
	for i := range rapid.IntRange(1, 4).Draw(t, "columns") {
		kind := rapid.SampledFrom(kinds).Draw(t, "kind")
		node := kind.node
		if e := rapid.IntRange(0, len(kind.encodings)).Draw(t, "encoding"); e > 0 {
			node = lib.Encoded(node, kind.encodings[e-1])
		} else {
			node = lib.Encoded(node, &lib.Plain)
		}
		node = lib.Compressed(node, rapid.SampledFrom(packings).Draw(t, "codec"))
		optional = append(optional, rapid.Bool().Draw(t, "optional"))
		if optional[i] {
			node = lib.Optional(node)
		}
		columns = append(columns, fmt.Sprintf("c%d", i))
		draw = append(draw, kind.draw)
		group[columns[i]] = node
		group[columns[i]+"list"] = lib.Repeated(lib.Leaf(lib.Int32Type))
		group[columns[i]+"nested"] = lib.Group{"a": lib.Leaf(lib.Int32Type), "b": lib.Group{"c": lib.String()}}
	}
	var out bytes.Buffer
	options := []lib.WriterOption{lib.NewSchema("drawn", group), lib.DataPageVersion(rapid.IntRange(1, 2).Draw(t, "pages")),
		lib.PageBufferSize(rapid.SampledFrom([]int{1, 64, 1 << 20}).Draw(t, "buffer"))}
	w := lib.NewGenericWriter[any](&out, options...)
	for range rapid.SampledFrom([]int{0, 1, 7, 7, 30, 30, 200}).Draw(t, "rows") {
		var line lib.Row
		row := make([]value, len(columns))
		for i := range columns {
			v, want := draw[i](t)
			defined := 0
			if optional[i] {
				if defined = 1; rapid.Bool().Draw(t, "null") {
					v, want, defined = lib.NullValue(), value{number: math.NaN()}, 0
				}
			}
			row[i] = want
			at := 4 * i
			line = append(line, v.Level(0, defined, at), lib.NullValue().Level(0, 0, at+1),
				lib.ValueOf(int32(1)).Level(0, 0, at+2), lib.ValueOf("x").Level(0, 0, at+3))
		}
		must.Get(w.WriteRows([]lib.Row{line}))(t)
		rows = append(rows, row)
		if rapid.IntRange(0, 99).Draw(t, "flush") == 0 {
			must.Do(t, w.Flush())
		}
	}
	must.Do(t, w.Close())
	return out.Bytes(), columns, rows
}

func same(a, b value) bool {
	return a.text == b.text && (a.number == b.number || math.IsNaN(a.number) && math.IsNaN(b.number))
}

// opened opens a file with this content.
func opened(t interface{ Fatal(...any) }, dir string, content []byte) (*table, error) {
	path := filepath.Join(dir, "t.parquet")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := open(path)
	if err != nil {
		return nil, err
	}
	return in.(*table), nil
}

// What the library wrote is read: every kind, encoding, codec, version and size of pages, values that are missing, groups of rows, in any
// order of columns; what is not flat in between is left alone.
func TestReads(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		file, columns, want := drawn(t)
		in := must.Get(opened(t, dir, file))(t)
		defer in.Close()
		order := rapid.Permutation(append(columns, "none")).Draw(t, "order")
		n := 0
		must.Do(t, in.Rows(order, func(texts []string, numbers []float64) error {
			for k, name := range order {
				w := value{number: math.NaN()}
				if i := slices.Index(columns, name); i >= 0 {
					w = want[n][i]
				}
				if got := (value{texts[k], numbers[k]}); !same(got, w) {
					t.Fatalf("row %d, %s: %v, want %v", n, name, got, w)
				}
			}
			n++
			return nil
		}))
		if n != len(want) || in.Count() != int64(n) || in.Has("none") || !in.Has("c0nested") {
			t.Fatalf("%d rows of %d, %d said", n, len(want), in.Count())
		}
		for _, name := range []string{"c0nested", "c0list"} {
			err := in.Rows([]string{name}, func([]string, []float64) error { return nil })
			if n > 0 && (err == nil || !strings.HasSuffix(err.Error(), "t.parquet: column "+name+" may have several values in a row")) {
				t.Fatal(err)
			}
		}
	})
}

// The library reads what is written, also of several groups: columns in their order, values, units.
func TestWrites(t *testing.T) {
	dir := t.TempDir()
	for _, rows := range []int{0, 1, 1000, groupRows + 1000} {
		columns := []Column{{Name: "z", Unit: "s", Numbers: make([]float64, rows)}, {Name: "a", Texts: make([]string, rows)}}
		for i := range rows {
			if columns[0].Numbers[i] = float64(i) / 3; i%7 == 3 {
				columns[0].Numbers[i] = math.NaN()
			}
			columns[1].Texts[i] = strings.Repeat("ü", i%4)
		}
		var out bytes.Buffer
		must.Do(t, Write(&out, "test", columns, rows))
		file := must.Get(lib.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len())))(t)
		if unit, _ := file.Lookup("unit:z"); unit != "s" || file.NumRows() != int64(rows) || len(file.RowGroups()) != (rows+groupRows-1)/groupRows {
			t.Errorf("unit %q, %d rows, %d groups", unit, file.NumRows(), len(file.RowGroups()))
		}
		schema := fmt.Sprint(file.Schema())
		if want := "message table {\n\toptional double z;\n\toptional binary a (STRING);\n}"; schema != want {
			t.Errorf("the schema is %s, want %s", schema, want)
		}
		type line struct {
			Z *float64 `parquet:"z"`
			A *string  `parquet:"a"`
		}
		lines := must.Get(lib.Read[line](bytes.NewReader(out.Bytes()), int64(out.Len())))(t)
		if len(lines) != rows {
			t.Fatalf("%d rows, want %d", len(lines), rows)
		}
		i := 0
		in := must.Get(opened(t, dir, out.Bytes()))(t)
		must.Do(t, in.Rows([]string{"a", "z"}, func(texts []string, numbers []float64) error {
			want := value{columns[1].Texts[i], columns[0].Numbers[i]}
			got := value{number: math.NaN()}
			if lines[i].A != nil {
				got.text = *lines[i].A
			}
			if lines[i].Z != nil {
				got.number = *lines[i].Z
			}
			if !same(got, want) || !same(value{texts[0], numbers[1]}, want) {
				t.Fatalf("row %d: the library reads %v, and this %s and %g, want %v", i, got, texts[0], numbers[1], want)
			}
			i++
			return nil
		}))
		in.Close()
	}
}

// written is a file of a column, written by the library.
func written(t testing.TB, node lib.Node, v lib.Value) []byte {
	var out bytes.Buffer
	w := lib.NewGenericWriter[any](&out, lib.NewSchema("one", lib.Group{"c": node}))
	must.Get(w.WriteRows([]lib.Row{{v.Level(0, 0, 0)}}))(t)
	must.Do(t, w.Close())
	return out.Bytes()
}

// What is not read is refused in words.
func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	number := lib.ValueOf(int64(1))
	whole := written(t, lib.Int(64), number)
	for want, file := range map[string][]byte{
		"t.parquet: column c is packed as BROTLI, which is not read; DuckDB writes the file again: COPY (FROM 'IN.parquet') TO " +
			"'OUT.parquet' (COMPRESSION zstd)": written(t, lib.Compressed(lib.Int(64), &lib.Brotli), number),
		"t.parquet: column c is packed as LZ4_RAW, which is not read; DuckDB writes the file again: COPY (FROM 'IN.parquet') TO " +
			"'OUT.parquet' (COMPRESSION zstd)": written(t, lib.Compressed(lib.Int(64), &lib.Lz4Raw), number),
		"t.parquet: column c is of the kind INT96, which is not read: write it as INT64 or DOUBLE": written(t, lib.Leaf(lib.Int96Type),
			lib.ValueOf(deprecated.Int96{})),
		"t.parquet: column c is DECIMAL, which is not read: write it as DOUBLE":       written(t, lib.Decimal(2, 18, lib.Int64Type), number),
		"t.parquet: is not Parquet: does not end with PAR1":                           whole[:len(whole)-1],
		"t.parquet: is not Parquet: is damaged: its parts do not fit together":        append(whole[:4:4], "\xff\x00\x00\x00PAR1"...),
		"t.parquet: row 1: column c is damaged: missing required field: 1:FIELD<I32>": slices.Concat(whole[:4], make([]byte, 20), whole[24:]),
	} {
		in, err := opened(t, dir, file)
		if err == nil {
			err = in.Rows([]string{"c"}, func([]string, []float64) error { return nil })
			in.Close()
		}
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// readsAny reads a file that may be damaged: what it says then, or an error.
func readsAny(t interface{ Fatal(...any) }, dir string, file []byte) error {
	in, err := opened(t, dir, file)
	if err != nil {
		return err
	}
	defer in.Close()
	n := 0
	return in.Rows([]string{"c0", "c1", "c2", "c3"}, func([]string, []float64) error {
		if n++; n == 10_000 {
			return errDamaged
		}
		return nil
	})
}

// A damaged file is read as what it says then, or refused. Most are refused.
func TestDamaged(t *testing.T) {
	dir, refused := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		file, _, _ := drawn(t)
		file = file[:len(file)-rapid.SampledFrom([]int{0, 0, 1, 9, len(file)}).Draw(t, "cut")]
		for range rapid.IntRange(1, 4).Draw(t, "changes") {
			if len(file) > 0 {
				file[rapid.IntRange(0, len(file)-1).Draw(t, "at")] = rapid.OneOf(rapid.Byte(), rapid.SampledFrom([]byte{0, 255})).Draw(t, "byte")
			}
		}
		if readsAny(t, dir, file) != nil {
			refused++
		}
	})
	if refused < 30 {
		t.Errorf("only %d files are refused", refused)
	}
}

func FuzzReads(f *testing.F) {
	for seed := range 20 {
		f.Add(rapid.Custom(func(t *rapid.T) []byte {
			file, _, _ := drawn(t)
			return file
		}).Example(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) { readsAny(t, t.TempDir(), file) })
}
