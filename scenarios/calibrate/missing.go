package calibrate

import (
	"fmt"

	"overlapsim/scenarios/keys"
	"overlapsim/scenarios/report"
)

// Missing says which parameters the measurements do not determine, and which test would.
func (r *Report) Missing() (all []string) {
	d := r.Data
	if d.gpusOnly() {
		return []string{"What part of the latency is the start of a kernel, and what sending takes from other kernels: sendrecv_perf, and " +
			"kernels during it.",
			"How processes of CPUs exchange messages: osu_latency and osu_bw of two processes."}
	}
	has := func(q Quantity) bool { return len(d.Samples[q]) > 0 }
	say := func(missing bool, format string, args ...any) {
		if missing {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	say(!has(OneWay), "The latency: osu_latency, IMB PingPong, NetPIPE.")
	say(!has(SendCPU) && !has(LateReceive), "How overheads and latency share the one-way time: a log of MPI_Isend alone and of late "+
		"MPI_Recv, or "+
		"netgauge -x loggp. What computation can hide depends on it.")
	say(r.AtOnce, "Whether a byte takes the time of the process or of the NIC: both are taken to spend it, at the same time (network.early), so "+
		"that the NIC is no faster than the windows of messages. A log of MPI_Isend alone tells.")
	say(!has(SendCPU) && has(LateReceive), "The overhead of a send: a log of MPI_Isend alone, or netgauge -x loggp.")
	say(has(SendCPU) && !has(LateReceive), "The overhead of a receive, and what an unexpected message costs: a log of late MPI_Recv.")
	say(r.Late, "How a late receive divides into its overhead and the copy of an unexpected message: only their sum was measured. A log "+
		"of MPI_Wait "+
		"for a message that came after its MPI_Irecv, while the process computed, tells.")
	say(!has(Stream) && !has(Successive) && len(d.Together) == 0, "The gap between messages: osu_bw, or osu_mbw_mr with several pairs.")
	say(!r.GapOpen && len(r.Data.Samples[r.widest()].Medians()) < 3, "How exact the gap per byte is: the line through %s leaves no residual; more sizes tell.",
		keys.Plural(len(r.Data.Samples[r.widest()].Medians()), "size"))
	say(r.GapOpen, "The gap per byte, as processes may copy while the NIC sends: osu_bw.")
	say((has(Stream) || has(Successive)) && len(d.Together) == 0, "Which of gap and overhead holds messages up: osu_mbw_mr with several "+
		"pairs of one node.")
	say(r.Above == 0, "A rendezvous threshold: %s A log of late MPI_Recv with sizes 10 %% apart shows it, and --runtime NAME takes the threshold "+
		"of a library.", r.noThreshold())
	say(!has(BothStreams) && !has(PingPing) && !has(Exchange), "Whether both directions share something: osu_bibw, IMB PingPing or Exchange.")
	_, computed := d.hidden()
	say(len(computed) == 0, "Who makes progress while processes compute: osu_iallreduce, osu_ialltoall, IMB-NBC, of %d KiB and more.", largeEnough>>10)
	return append(all, "The cores of a node: the machine file says 1; give its cores (cores) if a node runs several processes.")
}

// noThreshold says why no threshold was found.
func (r *Report) noThreshold() string {
	const between = "from %d B to %d B one-way times rise by %s beyond the lines through the sizes below and above"
	n := len(r.Data.Samples[r.widest()].Medians())
	switch {
	case r.Step.Above > 0 && !r.Step.rendezvous:
		return fmt.Sprintf(between+"; a request and its reply would add %s or more, %.0f %% of the shortest one-way time, so that this is taken as "+
			"another cost of a message.", r.Step.Before, r.Step.Above, report.Seconds(r.Step.Seconds), report.Seconds(r.Least), 100*roundTrip)
	case r.Step.Above > 0:
		return fmt.Sprintf(between+", but late receives of smaller sizes do not jump there.", r.Step.Before, r.Step.Above, report.Seconds(r.Step.Seconds))
	case n < 4:
		return fmt.Sprintf("%s cannot show one, which takes two sizes below and two above.", keys.Plural(n, "size"))
	}
	return fmt.Sprintf("no jump stands out of the scatter from size to size among %s, or fewer than two of them are on one side of it. Either all are eager, "+
		"or sizes are too far apart, or the receiving process copies, whose request adds no round trip.", keys.Plural(n, "size"))
}

// widest is the quantity whose sizes are counted.
func (r *Report) widest() Quantity {
	if len(r.Data.Samples[OneWay]) > 0 {
		return OneWay
	}
	return Stream
}
