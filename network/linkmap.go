package network

import (
	"fmt"
	"math"
	"strings"

	"overlapsim/network/topology"
)

// LinkMap is a picture of the links of one dimension of a torus: a grid of cells, rows by
// the second dimension, columns by the first, one plane of the others beside the next.
// The two directions are one below the other. A column or row of NaN separates planes and
// directions.
type LinkMap struct {
	Dimension string // x
	Columns   []string
	Rows      []string
	Plane     int         // columns from one plane to the next
	Used      [][]float64 // by row, by column; NaN: no link
}

// widestMap is how many columns a map may have.
const widestMap = 600

// Map returns a picture for each dimension of a torus; nil if the topology is not a
// torus, or too large for a picture.
func (l *Links) Map() (maps []LinkMap) {
	t, ok := l.Shape.(*topology.Torus)
	if !ok {
		return nil
	}
	g := newMapGrid(t)
	if g.columns() > widestMap {
		return nil
	}
	for _, name := range t.Classes() {
		maps = append(maps, LinkMap{name, g.columnNames(), g.rowNames(name), g.width + 1, g.empty()})
	}
	for i := range t.Links() {
		link := t.Link(i)
		row, column := g.cell(int(link.From), link.Direction)
		maps[link.Class].Used[row][column] = l.Used(i)
	}
	return maps
}

// mapGrid lays the routers of a torus out on a plane.
type mapGrid struct {
	torus               *topology.Torus
	width, high, planes int
	at                  []int
}

func newMapGrid(t *topology.Torus) *mapGrid {
	g := &mapGrid{torus: t, width: t.Size(0), high: 1}
	if len(t.Classes()) > 1 {
		g.high = t.Size(1)
	}
	g.planes = t.Routers() / g.width / g.high
	return g
}

// columns counts a gap between two planes, too.
func (g *mapGrid) columns() int { return g.planes*(g.width+1) - 1 }

// cell returns the place of a link that leaves a router: routers are numbered
// with the first dimension fastest, then the second.
func (g *mapGrid) cell(router int, direction int8) (row, column int) {
	x, y, plane := router%g.width, router/g.width%g.high, router/g.width/g.high
	row, column = y, plane*(g.width+1)+x
	if direction < 0 {
		row += g.high + 1
	}
	return row, column
}

func (g *mapGrid) empty() [][]float64 {
	rows := make([][]float64, 2*g.high+1)
	for i := range rows {
		rows[i] = make([]float64, g.columns())
		for j := range rows[i] {
			rows[i][j] = math.NaN()
		}
	}
	return rows
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
			_, column := g.cell(router+x, 1)
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
