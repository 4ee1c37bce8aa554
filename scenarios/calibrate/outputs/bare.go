package outputs

// Sizes and numbers without the heading that says what they are: an output of osu_latency in us, or of osu_bw in MB/s. Times of small
// messages hardly grow with the size, and rates grow as the size does.

type bare struct{ table int }

func (*bare) beginsWithRow() {}

func bareHeading(f *file, l line) section {
	if words := l.fields(); f.seen || len(words) != 2 || !words[0].plain() || !words[1].plain() {
		return nil
	}
	f.begin(Table{Name: "two columns without a heading", Processes: 2, Pairs: 1})
	return &bare{len(f.tables) - 1}
}

func (s *bare) read(f *file, l line) bool {
	if !l.numbers() {
		return false
	}
	t := &f.tables[s.table]
	if words, ok := f.below(2, t.Name, l); ok {
		t.Rows = append(t.Rows, Row{Line: l.number, Bytes: f.size(l, words[0]), Seconds: f.number(l, words[1], "a number")})
	}
	return true
}

// drop leaves out what stands before the heading of a test: it is of another program.
func (s *bare) drop(f *file) { f.tables[s.table].Rows = nil }

// Small messages whose numbers are compared: the second one has at least that many times the bytes.
const (
	smallest = 1 << 10
	larger   = 8
)

// end decides what the numbers are.
func (s *bare) end(f *file) {
	t := &f.tables[s.table]
	switch growth := t.growth(); {
	case len(t.Rows) == 0 || len(f.wrong.list) > 0:
	case growth > 0 && growth < larger/4:
		t.Name, t.Test = t.Name+", of times in us", PingPong
		for i := range t.Rows {
			t.Rows[i].Seconds *= micro
		}
	case growth > larger/2:
		t.Name, t.Test = t.Name+", of rates in MB/s", Stream
		for i, r := range t.Rows {
			if r.Seconds > 0 {
				t.Rows[i].Seconds = float64(r.Bytes) / (r.Seconds * 1e6)
			}
		}
	default:
		f.wrong.add(t.Rows[0].Line, 1, "has two columns and no heading, and small messages do not tell times from rates; "+
			"put the heading of the test before them, such as # OSU MPI Latency Test and # Size  Latency (us)")
	}
}

// growth is how much a number grows from a small size to one of at least 8 times as many bytes; 0: it is not known.
func (t *Table) growth() float64 {
	for i, first := range t.Rows {
		if first.Bytes == 0 || first.Seconds == 0 {
			continue
		}
		for _, r := range t.Rows[i:] {
			if r.Bytes >= larger*first.Bytes && r.Bytes <= smallest {
				return r.Seconds / first.Seconds * larger * float64(first.Bytes) / float64(r.Bytes)
			}
		}
	}
	return 0
}
