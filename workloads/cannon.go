package workloads

// cannon is the algorithm of section V-A: a shift of A along the rows and of B along the
// columns, then the product of the blocks, repeated sqrt(p/c^3) times. In the 2D
// algorithm the first shift moves a block by up to a whole row or column; here it moves
// it by one process, as in the model. In 2.5D each layer gets the blocks that it begins
// with.
func cannon(d *denseOps, step int) bool {
	steps := d.Side / d.Layers
	switch {
	case step == 0 && d.Layers > 1:
		d.copyBlocks()
	case step == 0:
		d.shift()
		d.shifted()
	case step < steps && d.overlap:
		d.shift()
		d.compute(d.gemm, 1)
		d.shifted()
	case step < steps:
		d.compute(d.gemm, 1)
		d.shift()
		d.shifted()
	case step == steps:
		d.compute(d.gemm, 1)
		d.reduce(d.words())
	default:
		return false
	}
	return true
}

// shift starts to move both blocks to the next process.
func (d *denseOps) shift() {
	layer := d.layer()
	first := d.me - d.me%layer
	at := d.me - first
	row, column := at-at%d.Side, at%d.Side
	d.do.Phase(1)
	d.pattern(1, layer)
	d.send(first+row+(column+d.Side-1)%d.Side, first+row+(column+1)%d.Side, d.words(), 0)
	d.pattern(d.Side, layer)
	d.send(first+(at+layer-d.Side)%layer, first+(at+d.Side)%layer, d.words(), 1)
}

// shifted waits for both blocks.
func (d *denseOps) shifted() {
	d.do.Phase(1)
	d.sent(0)
	d.sent(1)
}

// copyBlocks gets A and B from the first layer, which waits until all layers have them.
func (d *denseOps) copyBlocks() {
	d.do.Phase(1)
	if layer := d.layer(); d.me >= layer {
		d.pattern((d.Layers-1)*layer, d.Processes)
		for request := range 2 {
			d.do.Get(d.me%layer, d.size(d.words()), request)
		}
		d.do.Wait(0)
		d.do.Wait(1)
	}
	d.do.Barrier()
}
