package training

// task is a pass of a micro-batch through the layers of a chunk of a stage.
type task struct {
	micro, chunk int
	back         bool
	weights      bool // gradients of weights only, of a backward pass that has left them out
	whole        bool // a backward pass that has not
	paired       bool // computed together with the next one
}

// schedule says in which order a stage does its passes.
type schedule struct {
	name  string
	order func(stage, stages, micros, chunks int) []task
	// chunked tells whether a stage may have several chunks of layers.
	chunked bool
	// split tells that gradients of weights have their own passes.
	split bool
	// mirrored tells that a stage has the layers of another one, too: micro-batches come from both ends.
	mirrored bool
	// pairing tells that a forward and a backward pass may be computed together.
	pairing bool
	// bubble is how long a stage has nothing to do, from the number of stages, the times of a forward pass, of a backward pass with the
	// gradients of weights, and of those, if nothing overlaps; nil: p - 1 forward and backward passes.
	bubble func(p, forward, back, weights float64) float64
}

// pairs tells whether passes may be computed together. A schedule that is not known has none.
func (s *schedule) pairs() bool { return s != nil && s.pairing }

// goesOn tells whether a stage computes while it sends.
func (s *schedule) goesOn() bool { return s.chunked || s.split }

var schedules = []*schedule{
	{name: "gpipe", order: gpipe},
	{name: "1f1b", order: oneForwardOneBackward, pairing: true},
	{name: "zero-bubble", order: zeroBubble, split: true,
		bubble: func(p, forward, back, weights float64) float64 { return (p - 1) * (forward + back - 2*weights) }},
	{name: "interleaved", order: interleaved, chunked: true},
	{name: "dualpipe", order: dualPipe, split: true, mirrored: true,
		bubble: func(p, forward, back, weights float64) float64 { return (p/2 - 1) * (forward + 2*back - 3*weights) }},
}

func (s *schedule) String() string { return s.name }

// order is the order of the passes of a stage. A forward and a backward pass that are computed together belong to different
// micro-batches: the forward passes are one ahead.
func (p *plan) order(stage int) []task {
	if p.together {
		return oneAndOne(p.pp-stage, p.micros)
	}
	return p.schedule.order(stage, p.pp, p.micros, p.chunks)
}

// gpipe does all forward passes, then all backward ones (Huang et al., NeurIPS 2019).
func gpipe(_, _, micros, _ int) (all []task) {
	for _, back := range []bool{false, true} {
		for i := range micros {
			all = append(all, task{micro: i, back: back})
		}
	}
	return all
}

// oneForwardOneBackward does as many forward passes as stages follow, then one forward and one
// backward pass in turn (Narayanan et al., PipeDream-Flush, ICML 2021).
func oneForwardOneBackward(stage, stages, micros, _ int) []task {
	return oneAndOne(stages-stage-1, micros)
}

// oneAndOne does some forward passes first.
func oneAndOne(warm, micros int) []task {
	forward, back := make([]task, micros), make([]task, micros)
	for i := range micros {
		forward[i], back[i] = task{micro: i}, task{micro: i, back: true}
	}
	return alternate(forward, back, min(micros, warm))
}

// zeroBubble is 1F1B whose backward passes compute only the gradients of inputs. No stage waits for the gradients of weights;
// they come later, by as many passes as there are stages before this one. Therefore no stage keeps more micro-batches
// than the first one (ZB-H1: Qi et al., ICLR 2024).
func zeroBubble(stage, stages, micros, _ int) (all []task) {
	done := 0
	for _, t := range oneForwardOneBackward(stage, stages, micros, 1) {
		all = append(all, t)
		if !t.back {
			continue
		}
		if done++; done > stage {
			all = append(all, task{micro: done - 1 - stage, weights: true})
		}
	}
	for i := max(0, micros-stage); i < micros; i++ {
		all = append(all, task{micro: i, weights: true})
	}
	return all
}

// interleaved does the same with several chunks of layers for each stage. Micro-batches go in groups, as many as there are
// stages: a group goes through one chunk, then through the next one (Narayanan et al., SC 2021).
func interleaved(stage, stages, micros, chunks int) []task {
	var forward, back []task
	for first := 0; first < micros; first += stages {
		last := min(first+stages, micros)
		for c := range chunks {
			for i := first; i < last; i++ {
				forward = append(forward, task{micro: i, chunk: c})
				back = append(back, task{micro: i, chunk: chunks - 1 - c, back: true})
			}
		}
	}
	warm := len(forward)
	if micros > stages {
		warm = min(warm, 2*(stages-stage-1)+(chunks-1)*stages)
	}
	return alternate(forward, back, warm)
}

// alternate does some forward passes, then a forward and a backward pass in turn, then what is left.
func alternate(forward, back []task, warm int) (all []task) {
	all = append(all, forward[:warm]...)
	for i := warm; i < len(forward); i++ {
		all = append(all, forward[i], back[i-warm])
	}
	return append(all, back[len(forward)-warm:]...)
}
