package workloads

// summa broadcasts in each step a block of A along the rows and a block of B along the
// columns of a layer, and multiplies them. With overlap the other thread broadcasts the
// blocks of the next step meanwhile. With layers, A and B are first broadcast to all
// layers, each layer does 1/c of the steps, and the products are reduced.
func summa(d *denseOps, step int) bool {
	steps := d.Side / d.Layers
	switch {
	case step == 0:
		if d.Layers > 1 {
			d.broadcast(d.Layers, d.words(), d.layer(), d.Processes, false)
			d.broadcast(d.Layers, d.words(), d.layer(), d.Processes, false)
		}
		if d.overlap {
			d.broadcastBlocks()
			d.meet()
		}
	case step <= steps:
		if !d.overlap || step < steps {
			d.broadcastBlocks()
		}
		d.compute(d.gemm, 1)
		d.meet()
	case step == steps+1:
		d.reduce(d.words())
	default:
		return false
	}
	return true
}

func (d *denseOps) broadcastBlocks() {
	d.broadcast(d.Side, d.words(), 1, d.layer(), false)
	d.broadcast(d.Side, d.words(), d.Side, d.layer(), true)
}
