package training

import "overlapsim/nodes/gpus"

// dualPipe sends micro-batches from both ends: a stage has the layers of a stage of one direction and of the mirrored stage of
// the other one, and computes a forward pass of one direction together with a backward pass of the other (DeepSeek-AI, arXiv
// 2412.19437, section 3.2.1, and its published order of passes). Chunk 0 begins at the first stage, chunk 1 at the last one;
// stages of the second half do what the stages of the first half do with directions exchanged.
func dualPipe(stage, stages, micros, _ int) []task {
	middle, half := min(stage, stages-1-stage), micros/2
	before := stages/2 - middle - 1 // stages between this one and the middle
	d := &dual{half: half, exchanged: stage >= stages/2}
	for range 2 * before {
		d.forward(0)
	}
	for range middle + 1 {
		d.forward(0)
		d.forward(1)
	}
	for range before {
		d.back(1, true)
		d.weights()
		d.forward(1)
	}
	for i := range half - stages + middle + 1 {
		if i == 0 && before == 0 { // its own pass comes back from the next stage
			d.forward(0)
			d.back(1, false)
		} else {
			d.both(0, 1)
		}
		d.both(1, 0)
	}
	for range before {
		d.back(1, false)
		d.both(1, 0)
	}
	for i := range middle + 1 {
		d.back(1, 2*i > middle)
		d.back(0, 2*i >= middle)
	}
	for range before {
		d.weights()
		d.back(0, true)
	}
	for range middle + 1 {
		d.weights()
	}
	return d.all
}

// dual is an order that is written.
type dual struct {
	all       []task
	half      int
	exchanged bool
	next      [2][2]int // micro-batch by direction, forward and backward
	owed      []task    // passes for weights
}

// take returns the next pass of a direction.
func (d *dual) take(direction int, back bool) task {
	way := 0
	if back {
		way = 1
	}
	if d.exchanged {
		direction = 1 - direction
	}
	n := d.next[direction][way]
	d.next[direction][way]++
	return task{micro: direction*d.half + n, chunk: direction, back: back}
}

func (d *dual) forward(direction int) { d.all = append(d.all, d.take(direction, false)) }

// back is a backward pass; without the weights it leaves them for later.
func (d *dual) back(direction int, inputs bool) {
	t := d.take(direction, true)
	t.whole = !inputs
	d.all = append(d.all, t)
	if inputs {
		d.owed = append(d.owed, task{micro: t.micro, chunk: t.chunk, weights: true})
	}
}

func (d *dual) weights() {
	d.all, d.owed = append(d.all, d.owed[0]), d.owed[1:]
}

// both is a forward pass of a direction together with a backward pass of the other one.
func (d *dual) both(forward, back int) {
	d.forward(forward)
	d.all[len(d.all)-1].paired = true
	d.back(back, false)
}

// copies is how many stages have the same layers.
func (p *plan) copies() int {
	if p.schedule.mirrored {
		return 2
	}
	return 1
}

// sharers is how many GPUs sum up the same gradients, of all parameters except experts, and of those.
func (p *plan) sharers() int       { return p.replicas() * p.copies() }
func (p *plan) expertSharers() int { return p.expertReplicas() * p.copies() }

// withMirror adds the GPUs of the stage that has the same layers.
func (p *plan) withMirror(stage int, group func(stage int) []int) []int {
	if !p.schedule.mirrored {
		return group(stage)
	}
	low := min(stage, p.pp-1-stage)
	return append(group(low), group(p.pp-1-low)...)
}

// joinMirrored returns the collective that the groups of two stages with the same layers do together now.
func (b *builder) joinMirrored(kind uint8, members []int, c gpus.Cost) int32 {
	half, apart := len(members)/2, 1
	if half > 1 {
		apart = members[1] - members[0]
	}
	first := b.gpu(min(int(b.stage), b.pp-1-int(b.stage))) + b.replica - b.replica/apart%half*apart
	key := joint{kind, first, b.count[kind]}
	b.count[kind]++
	n, ok := b.joint[key]
	if !ok {
		n = b.start(c, 0, b.flowsOf(c, shifted(members, first-members[0])))
		b.joint[key] = n
	}
	return n
}
