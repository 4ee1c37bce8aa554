package network

import (
	"fmt"
	"math"
	"strings"

	"overlapsim/network/topology"
)

// Map is a picture of links or nodes: a grid of cells, each for one of them or for several
// neighbours.
//
// For a torus, each dimension has its own map. Rows are the second dimension and columns the
// first. The planes of the other dimensions stand side by side, and the two directions one below
// the other; an empty column or row separates them. On other topologies a link is in the column
// of the router that it leaves.
type Map struct {
	Title   string
	Columns []string
	Rows    []string
	Plane   int         // columns from one plane to the next; 0: there is one plane
	Cells   [][][]int32 // by row, by column: the numbers of the links, or nodes
}

// Values returns a number for each cell: the largest of its links or nodes, or NaN if the cell is
// empty.
func (m *Map) Values(of func(number int) float64) [][]float64 {
	values := make([][]float64, len(m.Cells))
	for y, row := range m.Cells {
		values[y] = make([]float64, len(row))
		for x, cell := range row {
			values[y][x] = math.NaN()
			for _, number := range cell {
				if v := of(int(number)); !(v <= values[y][x]) {
					values[y][x] = v
				}
			}
		}
	}
	return values
}

// widestTorus is the largest number of columns in the map of a torus, widestMap of other maps;
// their cells stand for several routers if there are more.
const (
	widestTorus = 600
	widestMap   = 256
)

// Maps returns pictures of all links.
func (l *Links) Maps() (maps []Map) {
	if g := newMapGrid(l.Shape); g != nil {
		maps = g.maps()
	} else {
		maps = byRouter(l.Shape)
	}
	if len(l.Ends) > 0 {
		maps = append(maps, l.ends())
	}
	return maps
}

// NodeMap returns a picture of the nodes of a topology.
func NodeMap(shape topology.Topology, title string) Map {
	if g := newMapGrid(shape); g != nil {
		return g.nodes(title)
	}
	m := newMap(title, []string{"nodes"}, "node", 0, shape.Nodes())
	for node := range shape.Nodes() {
		m.put(0, node, shape.Nodes(), int32(node))
	}
	return m
}

// newMap returns an empty map whose columns are numbered from begin on.
func newMap(title string, rows []string, of string, begin, things int) Map {
	m := Map{Title: title, Rows: rows}
	columns := min(things, widestMap)
	for i := range columns {
		first, next := begin+i*things/columns, begin+(i+1)*things/columns
		name := fmt.Sprintf("%s %d", of, first)
		if next-first > 1 {
			name = fmt.Sprintf("%ss %d to %d", of, first, next-1)
		}
		m.Columns = append(m.Columns, name)
	}
	for range rows {
		m.Cells = append(m.Cells, make([][]int32, columns))
	}
	return m
}

// put adds a number to the cell of a router or node.
func (m *Map) put(row, thing, things int, number int32) {
	column := ((thing+1)*len(m.Columns) - 1) / things
	m.Cells[row][column] = append(m.Cells[row][column], number)
}

// ends maps the links between nodes and routers.
func (l *Links) ends() Map {
	nodes := l.Shape.Nodes()
	m := newMap("Between nodes and routers", l.Ends, "node", 0, nodes)
	for kind := range l.Ends {
		for node := range nodes {
			m.put(kind, node, nodes, int32(l.Shape.Links()+kind*nodes+node))
		}
	}
	return m
}

// kind is a class of links in one direction.
type kind struct {
	class     int16
	direction int8
}

func (k kind) title(shape topology.Topology) string {
	name := shape.Classes()[k.class]
	if _, ok := shape.(*topology.Torus); ok {
		return "Links along " + topology.Link{Direction: k.direction}.Sign() + name
	}
	return fmt.Sprintf("Links %s%s", name, map[int8]string{1: ", up", -1: ", down"}[k.direction])
}

// byRouter maps the links of each kind. It has a column for each router that such links leave,
// and a row for each of the links of a router.
func byRouter(shape topology.Topology) (maps []Map) {
	leaving, order := map[kind]*departures{}, []kind{}
	for id := range shape.Links() {
		link := shape.Link(id)
		k := kind{link.Class, link.Direction}
		if leaving[k] == nil {
			leaving[k] = &departures{first: link.From, links: map[int32][]int32{}}
			order = append(order, k)
		}
		leaving[k].add(link.From, int32(id))
	}
	for _, k := range order {
		maps = append(maps, leaving[k].draw(k.title(shape)))
	}
	return maps
}

// departures are the links of a kind, grouped by the router that they leave.
type departures struct {
	first, last int32
	most        int // largest number from one router
	links       map[int32][]int32
}

func (d *departures) add(from, id int32) {
	d.links[from] = append(d.links[from], id)
	d.first, d.last, d.most = min(d.first, from), max(d.last, from), max(d.most, len(d.links[from]))
}

func (d *departures) draw(title string) Map {
	var rows []string
	for i := range d.most {
		rows = append(rows, fmt.Sprintf("link %d", i+1))
	}
	routers := int(d.last-d.first) + 1
	m := newMap(title, rows, "router", int(d.first), routers)
	for i := range routers {
		for row, id := range d.links[d.first+int32(i)] {
			m.put(row, i, routers, id)
		}
	}
	return m
}

// mapGrid places the routers of a torus on a plane.
type mapGrid struct {
	torus               *topology.Torus
	width, high, planes int
	at                  []int
}

// newMapGrid returns nil if the topology is not a torus, or too large for a picture.
func newMapGrid(shape topology.Topology) *mapGrid {
	t, ok := shape.(*topology.Torus)
	if !ok {
		return nil
	}
	g := &mapGrid{torus: t, width: t.Size(0), high: 1}
	if len(t.Classes()) > 1 {
		g.high = t.Size(1)
	}
	g.planes = t.Routers() / g.width / g.high
	if g.columns() > widestTorus {
		return nil
	}
	return g
}

// columns is the width of all planes with the gaps between them.
func (g *mapGrid) columns() int { return g.planes*(g.width+1) - 1 }

// place returns the place of a router. Routers are numbered with the first dimension varying
// fastest, then the second.
func (g *mapGrid) place(router int) (row, column int) {
	x, y, plane := router%g.width, router/g.width%g.high, router/g.width/g.high
	return y, plane*(g.width+1) + x
}

// cell returns the place of a link that leaves a router.
func (g *mapGrid) cell(router int, direction int8) (row, column int) {
	row, column = g.place(router)
	if direction < 0 {
		row += g.high + 1
	}
	return row, column
}

// maps returns the map of each dimension.
func (g *mapGrid) maps() (maps []Map) {
	for _, name := range g.torus.Classes() {
		maps = append(maps, g.empty("Links along "+name, g.rowNames(name)))
	}
	for i := range g.torus.Links() {
		link := g.torus.Link(i)
		row, column := g.cell(int(link.From), link.Direction)
		maps[link.Class].Cells[row][column] = []int32{int32(i)}
	}
	return maps
}

// nodes returns a map of the nodes, which are where their routers are.
func (g *mapGrid) nodes(title string) Map {
	names := g.rowNames("")[:g.high]
	for i := range names {
		names[i] = strings.TrimPrefix(strings.TrimPrefix(names[i], "+"), ", ")
	}
	m := g.empty(title, names)
	for node := range g.torus.Nodes() {
		row, column := g.place(g.torus.Router(node))
		m.Cells[row][column] = append(m.Cells[row][column], int32(node))
	}
	return m
}

func (g *mapGrid) empty(title string, rows []string) Map {
	m := Map{Title: title, Columns: g.columnNames(), Rows: rows, Plane: g.width + 1}
	for range rows {
		m.Cells = append(m.Cells, make([][]int32, g.columns()))
	}
	return m
}

// columnNames are "3", and "3, z 2" where there are several planes.
func (g *mapGrid) columnNames() []string {
	names := make([]string, g.columns())
	classes := g.torus.Classes()
	for router := 0; router < g.torus.Routers(); router += g.width * g.high {
		g.at = g.torus.Coordinates(router, g.at[:0])
		var plane strings.Builder
		for d := 2; d < len(classes); d++ {
			fmt.Fprintf(&plane, " %s %d", classes[d], g.at[d])
		}
		for x := range g.width {
			_, column := g.place(router + x)
			names[column] = fmt.Sprintf("%s %d%s", classes[0], x, plane.String())
		}
	}
	return names
}

func (g *mapGrid) rowNames(dimension string) []string {
	names := make([]string, 2*g.high+1)
	for y := range g.high {
		at := ""
		if classes := g.torus.Classes(); len(classes) > 1 {
			at = fmt.Sprintf(", %s %d", classes[1], y)
		}
		names[y], names[y+g.high+1] = "+"+dimension+at, "-"+dimension+at
	}
	return names
}
