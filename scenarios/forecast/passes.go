package forecast

import "overlapsim/nodes/programs"

// sampledMessages of some ranks tell how far messages go.
const (
	sampledMessages = 64
	messageSteps    = 256 // no further step is looked at
)

// Passes returns how often a byte of the program passes a place, in the mean over the first messages of some ranks. Passed tells
// how often a byte does so from a rank to another.
func Passes(p programs.Program, passed func(from, to int) int) float64 {
	if _, ok := p.(programs.Reactive); ok {
		return 0
	}
	n, bytes, all := p.Ranks(), 0.0, 0.0
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
				if carries(op.Kind) && messages < sampledMessages {
					messages++
					bytes += float64(op.Amount)
					all += float64(op.Amount) * float64(passed(rank, int(op.Peer)))
				}
			}
		}
	}
	if bytes == 0 {
		return 0
	}
	return all / bytes
}

// carries tells whether operations of a kind carry bytes between ranks.
func carries(k programs.OpKind) bool {
	return k == programs.OpPut || k == programs.OpGet || k == programs.OpSend
}
