package cli

import (
	"io"
	"strings"
	"testing"
)

// Words of MPI, of batch systems and of LogGOPS lead to the names that overlapsim has for them.
func TestHintsForWordsOfTheField(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"run rdma --set machine.network.bw=1GB/s", "did you mean bandwidth?"},
		{"run rdma --set machine.network.alpha=1us", "did you mean latency?"},
		{"run rdma --set machine.network.beta=1ns/B", "did you mean bandwidth or gap_per_byte?"},
		{"run rdma --set machine.network.o_s=1us", "did you mean send_overhead?"},
		{"run rdma --set machine.network.eager_limit=1KiB", "did you mean rendezvous_threshold?"},
		{"run rdma --set procs=8", "did you mean ranks?"},
		{"run rdma --set ntasks=8", "did you mean ranks?"},
		{"run rdma --set ppn=8", "did you mean processes_per_node?"},
		{"run rdma --set machine.mpi=openmpi-1.10", "did you mean runtime?"},
		{"run rdma --set fabric.type=flow", "did you mean kind?"},
		{"run nas-ft-intrepid --set topology.dimensions=[2]", "did you mean dims?"},
		{"run background-collective --set workload.msg_size=1KiB", "did you mean bytes?"},
		{"run background-collective --set workload.iters=2", "did you mean iterations or repeat?"},
		{"run rdma --set workload.name=bcast", "write {name: collective, operation: broadcast}"},
		{"run rdma --set workload.name=MPI_Ibcast", "write {name: osu-nbc, operation: broadcast}"},
		{"run rdma --set workload.name=llama-3-8b", "write {name: transformer, layers: 32"},
		{"run rdma --set fabric.kind=contention", "did you mean flow?"},
		{"run rdma --set fabric.kind=ideal,flow", "several values are for sweep --vary"},
		{"run rdma --set machine=hopper,loggp", "several values are for sweep --vary"},
		{"run allreduce --set workload.algorithm=ring,han", "several values are for sweep --vary"},
		{"run gpt-18b --set workload.vpp=2", "did you mean chunks?"},
		{"run rdma --set workload.name=incast", "write {name: collective, operation: gather}"},
		{"run rdma --set workload.name=permutation", "did you mean shift?"},
		{"run rdma --set machine.network.message_rate=1", "did you mean gap?"},
		{"run rdma --set machine.rails=4", "did you mean nics?"},
		{"run rdma --set workload.name=matmul", "did you mean cannon or gemm-collective or summa?"},
		{"run halo --set workload.imbalance=0.1", "did you mean machine.noise?"},
		{"run llama-3-8b --set workload.imbalance=0.1", "did you mean jitter or slow?"},
		{"run halo --set machine.noise=0.01", "a mapping of keys (rate, length), such as {rate: "},
		{"run rdma --set machine.network.latency=1min", "a minute is 60s"},
		{"run rdma --set machine.network.bandwidth=8GT/s", "GT/s times the lanes are Gbit/s"},
		{"run rdma --np=4", "did you mean --set ranks=VALUE?"},
		{"run rdma --output=x", "did you mean --html or --json?"},
		{"diff rdma", "did you mean compare?"},
		{"ls", "did you mean list?"},
		{"describe rdma", "did you mean show?"},
		{"simulate rdma", "did you mean run?"},
		{"convert rdma", "did you mean export?"},
	} {
		var errors strings.Builder
		if status := Run(strings.Fields(c.args), io.Discard, &errors); status != 2 || !strings.Contains(errors.String(), c.want) {
			t.Errorf("%s: status %d, %q, want %q", c.args, status, errors.String(), c.want)
		}
	}
}
