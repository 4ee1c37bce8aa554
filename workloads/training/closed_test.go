package training

import "overlapsim/nodes/gpus"

// closed is the closed form of a step without buckets, in seconds: the slowest stage does all
// micro-batches, after the pipeline has filled; in each, either the host or the GPU is slower. It
// leaves out launches that run ahead over a boundary of layers, messages of the pipeline, and
// tails.
func closed(m model, p plan, machine *gpus.Machine) (float64, error) {
	b := newBuilder(m, p, machine)
	b.write()
	layer := b.slower(b.layer, b.again, b.back)
	stage := float64(b.stageLayers()) * layer
	ends := b.slower(b.embedding, b.embeddingBack)
	head := b.slower(b.head, b.headBack)
	b.stage = int32(p.pp - 1)
	micros := float64(p.micros)
	t := (micros+float64(p.pp-1)/float64(p.chunks))*stage + micros*head
	if p.pp == 1 {
		t += micros * ends
	}
	own := b.ownParameters()
	if p.sharers() > 1 {
		t += total(b.cost(dataComm, b.dataGroup(p.pp-1), gpus.AllReduce, b.gradientBytes*own))
	}
	if p.pp > 1 {
		t += total(b.cost(pipelineComm, []int{b.gpu(0), b.gpu(b.pp - 1)}, gpus.AllReduce, b.gradientBytes*b.embeddingParameters()))
	}
	return t + optimizerBytes*own/machine.Memory(), b.err
}

// slower returns the longer one of the time of the host and that of the GPU for steps.
func (b *builder) slower(lists ...[]step) float64 {
	var host, gpu float64
	for _, steps := range lists {
		for i := range steps {
			s := &steps[i]
			if s.op == nil {
				host += b.machine.Kernels.Launch.Seconds()
				gpu += b.machine.Alone(s.work)
				continue
			}
			host += b.machine.Kernels.Join.Seconds()
			gpu += total(b.costOf(s))
		}
	}
	return max(host, gpu)
}

func total(c gpus.Cost) float64 { return c.Total().Seconds() }

// parameters is the number of parameters of the whole model, with one table of words at each end.
func (m *model) parameters() float64 { return m.layers*m.layer() + 2*m.embedding() }

// layer is the number of parameters of a layer.
func (m *model) layer() float64 { return m.dense() + m.expertParameters() }
