package gpus

import (
	"slices"

	"overlapsim/sim"
)

// Machine is a cluster of equal nodes with GPUs.
type Machine struct {
	GPU     GPU
	Node    Node
	Fit     Calibration
	Kernels Rates

	Exchanges Exchanges
}

// Clone returns a deep copy of a machine.
func (m *Machine) Clone() *Machine {
	c := *m
	c.Node.Links, c.Node.NICs = slices.Clone(m.Node.Links), slices.Clone(m.Node.NICs)
	if m.Node.Switch != nil {
		s := *m.Node.Switch
		c.Node.Switch = &s
	}
	return &c
}

// GPU is a type of GPU, as its data sheet tells it.
type GPU struct {
	Title      string
	Generation *Generation
	SMs        int                    // streaming multiprocessors; compute units of AMD
	Peak       [NumPrecisions]float64 // flop/s of dense matrix products; 0: not known
	Memory     int64                  // bytes
	Bandwidth  float64                // of the memory, bytes per second
	Launch     sim.Time               // time of the host to launch a kernel
}

// Precision is a format of numbers.
type Precision int

// The precisions that a GPU may have a peak for.
const (
	FP64 Precision = iota
	FP32
	TF32
	FP16
	BF16
	FP8
	FP4
	NumPrecisions
)

var precisions = [NumPrecisions]struct {
	name  string
	bytes float64
}{{"fp64", 8}, {"fp32", 4}, {"tf32", 4}, {"fp16", 2}, {"bf16", 2}, {"fp8", 1}, {"fp4", 0.5}}

func (p Precision) String() string { return precisions[p].name }

// Bytes is the size of a number in memory.
func (p Precision) Bytes() float64 { return precisions[p].bytes }

// Node is a host with its GPUs and its part of the network.
type Node struct {
	GPUs   int
	Domain int     // neighbouring GPUs that reach each other without the network; need not be the GPUs of one host
	Switch *Switch // that joins a domain; nil: Links do
	Links  []Link  // between the GPUs of a host; none and no switch: PCIe joins them

	PCIe PCIe
	NICs []NIC

	Latency sim.Time // of a message between two NICs, beyond what NCCL's tables have
	AMD     bool     // the host's processor; NCCL takes other bounds for it
}

// Switch joins the GPUs of a domain: each has a link into it and one out of it.
type Switch struct {
	Bandwidth float64 // of a GPU in one direction, bytes per second
	Links     int     // of a GPU, that are its bandwidth together
	Reduces   bool    // it multicasts and reduces (NVLS)
}

// Link joins two GPUs of a host, in both directions.
type Link struct {
	A, B      int
	Count     int     // parallel links
	Bandwidth float64 // of one of them in one direction, bytes per second
}

// PCIe is the tree between GPUs, NICs and processors.
type PCIe struct {
	Bandwidth float64 // of a GPU in one direction, bytes per second
	GPUs      int     // that share a PCIe switch; 0: each has its own way to the processor
}

// NIC is a network interface of a host.
type NIC struct {
	GPU       int     // to which it is attached: the GPUs from this one to the GPU of the next NIC use it
	Rail      int     // NICs of a rail are one switch apart
	Bandwidth float64 // in one direction, bytes per second
}

// NICOf returns the NIC that a GPU of a host uses; -1: there is none.
func (n *Node) NICOf(gpu int) int {
	best := -1
	for i, nic := range n.NICs {
		if nic.GPU <= gpu && (best < 0 || nic.GPU > n.NICs[best].GPU) {
			best = i
		}
	}
	return best
}

// Joined tells whether GPUs reach each other over links or a switch, and not by PCIe.
func (n *Node) Joined() bool { return n.Switch != nil || len(n.Links) > 0 }
