package outputs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"overlapsim/scenarios/disk"
)

// largestText is the size of the largest text that is read, unpacked.
const largestText = 64 << 20

// Read reads a file, gzipped or not. Passed says what in it is no test that is known. All
// mistakes are returned, joined.
func Read(name string) (tables []Table, passed []string, err error) {
	text, err := disk.Unpacked(name, largestText)
	if info, wrong := os.Stat(name); err != nil && wrong == nil && info.IsDir() {
		return nil, nil, fmt.Errorf("%s: is a folder; give the files in it: %[1]s/*", name)
	} else if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return nil, nil, fmt.Errorf("%s: cannot be read: %w", name, path.Err)
	} else if large := (*disk.TooLarge)(nil); errors.As(err, &large) {
		return nil, nil, fmt.Errorf("%s: %w; give fewer calls of each size", name, err)
	} else if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return Parse(name, text)
}

// Parse reads the text of a file.
func Parse(name string, text []byte) (tables []Table, passed []string, err error) {
	f := &file{name: name, wrong: &mistakes{file: name}, perf: unnamed}
	if lines := untagged(string(plain(text))); isCalls([]byte(lines)) {
		f.calls(f.whole(lines))
	} else {
		f.sections(lines)
	}
	if err := errors.Join(f.wrong.list...); err != nil {
		return nil, nil, err
	}
	for _, t := range f.tables {
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	if len(tables) == 0 && len(f.passed) == 0 {
		return nil, nil, f.unknown()
	}
	return tables, f.passed, nil
}

// file is a file that is being read.
type file struct {
	name   string
	tables []Table
	passed []string
	wrong  *mistakes
	ranks  int    // of the GPUs that were listed
	perf   string // the collective that was named
	seen   bool
}

// begin starts a table.
func (f *file) begin(t Table) *Table {
	t.File = f.name
	f.tables = append(f.tables, t)
	return &f.tables[len(f.tables)-1]
}

// pass notes a test that is not used.
func (f *file) pass(line int, format string, args ...any) {
	if len(f.passed) < mostMistakes {
		f.passed = append(f.passed, fmt.Sprintf("%s:%d: skipped: ", f.name, line)+fmt.Sprintf(format, args...))
	}
}

func (f *file) unknown() error {
	if f.seen {
		return fmt.Errorf("%s: has the heading of a test and no line of numbers", f.name)
	}
	return fmt.Errorf("%s: is not a known output; known are the OSU micro-benchmarks, IMB, NetPIPE, netgauge's pattern "+
		"loggp and "+
		"nccl-tests, tables with a heading such as size,latency_us, and CSV with the columns call, bytes, start and duration in s", f.name)
}

// section reads the lines after its heading. It returns false for a line of another program.
type section interface {
	read(f *file, l line) bool
}

// headings begin sections; the first that knows a line begins one.
var headings = []func(f *file, l line) section{osuHeading, imbHeading, ncclHeading, netgaugeHeading, netpipeHeading, headedHeading, bareHeading}

// sections reads the tables of a text line by line.
func (f *file) sections(text string) {
	var now section = nothing{}
	number := 0
	for raw := range strings.Lines(text) {
		number++
		l := line{number, strings.TrimRight(raw, "\r\n")}
		if next := f.heading(l); next != nil {
			if b, ok := now.(*bare); ok {
				b.drop(f)
			}
			now, f.seen = next, true
			if _, begins := next.(beginsWithRow); !begins {
				continue
			}
		}
		if !strings.HasSuffix(raw, "\n") {
			f.last(now, l)
		} else if now.read(f, l); f.wrong.full() {
			return
		}
	}
	if b, ok := now.(*bare); ok {
		b.end(f)
	}
}

// last reads a last line that has no end. It may be a part of one; then it is no mistake.
func (f *file) last(now section, l line) {
	rows := make([]int, len(f.tables))
	for i := range f.tables {
		rows[i] = len(f.tables[i].Rows)
	}
	mistakes := len(f.wrong.list)
	if now.read(f, l); len(f.wrong.list) == mistakes {
		return
	}
	f.wrong.list = f.wrong.list[:mistakes]
	f.pass(l.number, "the last line, which is cut off")
	for i, n := range rows {
		f.tables[i].Rows = f.tables[i].Rows[:n]
	}
}

func (f *file) heading(l line) section {
	for _, h := range headings {
		if s := h(f, l); s != nil {
			return s
		}
	}
	return nil
}

// beginsWithRow is a section without a heading: its first line is a row.
type beginsWithRow interface{ beginsWithRow() }

// nothing is what lies before the first heading, and in tests that are skipped.
type nothing struct{}

func (nothing) read(*file, line) bool { return false }
