package topology

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// ReadMapping reads a mapping of ranks to nodes. The file has a line "rank node" for each rank,
// in any order, separated by blanks or a comma; "#" begins a comment. No node may get more than
// perNode ranks. Errors name the file and the line.
func ReadMapping(r io.Reader, name string, nodes, perNode, ranks int) (Mapping, error) {
	if err := room(nodes, perNode, ranks); err != nil {
		return nil, err
	}
	f := &mappingFile{name: name, perNode: perNode, load: make([]int32, nodes), line: make([]int, ranks), ranks: make(Mapping, ranks)}
	lines := bufio.NewScanner(r)
	for n := 1; len(f.faults) <= 10*shown && lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if fields := strings.FieldsFunc(text, separator); len(fields) > 0 {
			f.take(n, fields)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s: a line is longer than %d bytes: this is not a list of ranks and nodes", name, bufio.MaxScanTokenSize)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for rank, line := range f.line {
		if line == 0 {
			f.add("%s: rank %d is missing", name, rank)
		}
	}
	if err := f.err(); err != nil {
		return nil, err
	}
	return f.ranks, nil
}

func separator(c rune) bool { return c == ' ' || c == '\t' || c == ',' || c == '\r' }

// mappingFile is the state of reading a mapping.
type mappingFile struct {
	faults
	name    string
	perNode int
	load    []int32 // ranks on each node
	line    []int   // line on which each rank stands, 0: none yet
	ranks   Mapping
}

// take records one line.
func (f *mappingFile) take(n int, fields []string) {
	place := fmt.Sprintf("%s:%d", f.name, n)
	if len(fields) != 2 {
		f.add("%s: want a rank and a node, got %d values", place, len(fields))
		return
	}
	rank, ok := f.number(place, "rank", fields[0], len(f.ranks))
	node, fine := f.number(place, "node", fields[1], len(f.load))
	switch {
	case !ok || !fine:
	case f.line[rank] > 0:
		f.add("%s: rank %d has a node already, on line %d", place, rank, f.line[rank])
	default:
		f.line[rank], f.ranks[rank] = n, int32(node)
		if f.load[node]++; int(f.load[node]) == f.perNode+1 {
			f.add("%s: node %d gets more than %d ranks", place, node, f.perNode)
		}
	}
}

// number reads an integer from 0 to limit-1.
func (f *faults) number(place, what, text string, limit int) (int, bool) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= limit {
		f.add("%s: %s must be 0 to %d, got %q", place, what, limit-1, text)
		return 0, false
	}
	return n, true
}

// ReadPlaces reads where the nodes of a machine are on its torus. The file is CSV with a heading.
// Its columns are node (the machine's own number), one for each dimension by its class name (x,
// y, z), and port (which node of the router; it may be omitted if each router has one).
// ReadPlaces returns the nodes of the torus in the order of the machine's numbers, which may have
// gaps. Errors name the file and line.
func ReadPlaces(r io.Reader, name string, t *Torus) ([]int32, error) {
	file := csv.NewReader(r)
	file.Comment = '#'
	file.ReuseRecord = true
	file.TrimLeadingSpace = true
	heading, err := file.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: heading: %w", name, err)
	}
	p := &placesFile{torus: t, name: name, seen: make([]int, t.Nodes())}
	if err := p.columns(heading); err != nil {
		return nil, err
	}
	for {
		record, err := file.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		line, _ := file.FieldPos(0)
		p.take(line, record)
	}
	nodes := p.sorted()
	if err := p.err(); err != nil {
		return nil, err
	}
	return nodes, nil
}

// placesFile is the state of reading a list of places.
type placesFile struct {
	faults
	torus  *Torus
	name   string
	column []int // index of the column of node, of each dimension, and of the port (-1: none)
	seen   []int // line of each node of the torus, 0: not yet
	places []place
}

// place pairs a node number of the machine with a node of the torus.
type place struct {
	number, line int
	node         int32
}

func (p *placesFile) columns(heading []string) error {
	var missing []string
	wanted := slices.Concat([]string{"node"}, p.torus.Classes(), []string{"port"})
	for _, w := range wanted {
		c := slices.IndexFunc(heading, func(h string) bool { return strings.EqualFold(strings.TrimSpace(h), w) })
		if c < 0 && (w != "port" || p.torus.perRouter > 1) {
			missing = append(missing, w)
		}
		p.column = append(p.column, c)
	}
	if missing != nil {
		return fmt.Errorf("%s: no column %s", p.name, strings.Join(missing, ", "))
	}
	return nil
}

// take adds one record.
func (p *placesFile) take(line int, record []string) {
	at := fmt.Sprintf("%s:%d", p.name, line)
	before := len(p.faults)
	field := func(i int) string { return strings.TrimSpace(record[p.column[i]]) }
	number, _ := p.number(at, "node", field(0), math.MaxInt32)
	router := 0
	for i, d := range p.torus.dims {
		x, _ := p.number(at, p.torus.Classes()[i], field(1+i), d.size)
		router += x * d.stride
	}
	node := router * p.torus.perRouter
	if last := len(p.column) - 1; p.column[last] >= 0 {
		port, _ := p.number(at, "port", field(last), p.torus.perRouter)
		node += port
	}
	if len(p.faults) > before {
		return
	}
	if p.seen[node] > 0 {
		p.add("%s: the place of node %d is taken, see line %d", at, number, p.seen[node])
		return
	}
	p.seen[node] = line
	p.places = append(p.places, place{number, line, int32(node)})
}

// sorted returns the nodes of the torus in the order of the machine's numbers.
func (p *placesFile) sorted() []int32 {
	slices.SortStableFunc(p.places, func(a, b place) int { return cmp.Compare(a.number, b.number) })
	nodes := make([]int32, len(p.places))
	for i, at := range p.places {
		nodes[i] = at.node
		if i > 0 && p.places[i-1].number == at.number {
			p.add("%s:%d: node %d has a place already, see line %d", p.name, at.line, at.number, p.places[i-1].line)
		}
	}
	return nodes
}
