package forecast

import "overlapsim/nodes/programs"

// sampledMessages of some ranks tell how far messages go, and into how many pieces they are cut.
const (
	sampledMessages = 64
	messageSteps    = 256 // no further step is looked at
)

// PerMessage returns how much there is of something for each message of the program, in the mean over the first ones of some
// ranks. Of tells how much there is of it for a message of a rank.
func PerMessage(p programs.Program, of func(from int, op *programs.Op) float64) float64 {
	if _, ok := p.(programs.Reactive); ok {
		return 0
	}
	n, sampled, all := p.Ranks(), 0, 0.0
	count := min(n, sampledRanks)
	var do programs.Ops
	for i := range count {
		rank, messages := i*(n-1)/max(1, count-1), 0
		for step := 0; step < messageSteps && messages < sampledMessages; step++ {
			do.Reset()
			if !p.Step(rank, step, &do) {
				break
			}
			for _, op := range do.List() {
				if sends(op.Kind) && messages < sampledMessages {
					messages++
					sampled++
					all += of(rank, &op)
				}
			}
		}
	}
	return all / float64(max(1, sampled))
}

// sends tells whether operations of a kind are messages between ranks.
func sends(k programs.OpKind) bool {
	return k == programs.OpPut || k == programs.OpGet || k == programs.OpSignal || k == programs.OpSend
}
