package main

import (
	"overlapsim/network/topology"
)

// ringKeys are the keys of a topology: a torus of one dimension, with one number.
type ringKeys struct {
	Routers int `key:"topology.routers" unit:"count" in:"positive" doc:"routers of the ring"`
}

// Build implements topology.Keys.
func (k *ringKeys) Build(int) (topology.Topology, error) {
	return topology.NewTorus(topology.Grid{Sizes: []int{k.Routers}})
}
