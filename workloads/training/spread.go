package training

import (
	"fmt"
	"slices"

	"overlapsim/nodes/gpus"
	"overlapsim/workloads/experiments"
)

// chosenOf returns the choice of that name. The key's table has checked that there is one.
func chosenOf[T fmt.Stringer](all []T, name string) T {
	for _, one := range all {
		if one.String() == name {
			return one
		}
	}
	return all[0]
}

// named returns the one of a name; if there is none, which is wrong, the first.
func named[T fmt.Stringer](wrong *mistakes, all []T, key, name string) T {
	one, err := gpus.Named(all, key, name)
	if err != nil {
		*wrong = append(*wrong, experiments.Keyed(err))
		return all[0]
	}
	return one
}

func names[T fmt.Stringer](all []T) (words []string) {
	for _, one := range all {
		words = append(words, one.String())
	}
	return words
}

// product names the numbers whose product must be the number of GPUs.
func (p *plan) product() string {
	jobs, cp := "", ""
	if p.jobs > 1 {
		jobs = fmt.Sprintf("jobs %d x ", p.jobs)
	}
	if p.cp > 1 {
		cp = fmt.Sprintf("cp %d x ", p.cp)
	}
	return fmt.Sprintf("%stp %d x %spp %d x dp %d", jobs, p.tp, cp, p.pp, p.dp)
}

// mixing checks what experts and split sequences need.
func (w *transformer) mixing(p *plan, wrong *mistakes) {
	switch {
	case w.Experts > gpus.MostExperts:
		wrong.add("experts", "must be at most %d, got %d", gpus.MostExperts, w.Experts)
	case w.Experts == 0 && w.SharedFFN > 0:
		wrong.add("shared_ffn", "is in addition to experts, and the model has none; give experts, or ffn")
	case w.Experts == 0 && p.ep > 1:
		wrong.add("ep", "shares experts, and the model has none; give experts")
	case w.Experts > 0 && w.TopK > w.Experts:
		wrong.add("top_k", "must be at most the %d experts, got %d", w.Experts, w.TopK)
	case w.Experts > 0 && p.tp > 1 && !p.sequence:
		wrong.add("sequence_parallel", "must be true with experts and tp %d, so that each GPU sends its own tokens", p.tp)
	case w.Experts > 0 && p.recompute.dense:
		wrong.add("recompute", "%s is not modelled with experts; use none, selective or full", p.recompute.name)
	case !(w.ExpertSkew >= 1 && w.ExpertSkew <= float64(max(1, p.ep))):
		wrong.add("expert_skew", "must be 1 to ep = %d, where one GPU gets all tokens; got %v", p.ep, w.ExpertSkew)
	case w.ExpertSkew > 1 && w.Capacity > 0:
		wrong.add("expert_skew", "must be 1 with capacity, which is what each expert computes; got %v", w.ExpertSkew)
	}
	if p.inParts() && !w.Flash {
		wrong.add("context_by", "%s needs flash attention, whose parts are summed up; give flash: true, or context_by: all-to-all", p.context)
	}
	if p.together && (p.ep == 1 || !p.schedule.pairs() || p.everyPass() || p.zero == 3) {
		hint := ""
		if p.zero > 1 {
			hint = ": --set workload.zero=1"
		}
		wrong.add("ep_overlap", "needs ep of 2 or more, schedule 1f1b, and no zero 3, nor 2 without a pipeline; got ep %d, %s and zero %d%s",
			p.ep, w.Schedule, p.zero, hint)
	}
}

// splits checks that experts, sequences and heads can be shared evenly.
func (w *transformer) splits(p *plan, divides func(key string, of int64, what string, by int64), wrong *mistakes) {
	if w.Experts > 0 {
		divides("experts", w.Experts, "ep", w.EP)
		divides("shared_ffn", w.SharedFFN, "tp", w.TP)
	}
	if p.each()%max(1, p.ep) != 0 {
		wrong.add("ep", "tp %d x cp %d x dp %d = %d GPUs of a stage are not a multiple of ep = %d", p.tp, p.cp, p.dp, p.each(), p.ep)
	}
	if p.sequence && w.TP > 1 {
		divides("sequence", w.Sequence, "tp x cp", w.TP*w.CP)
	} else {
		divides("sequence", w.Sequence, "cp", w.CP)
	}
	if p.byHeads() {
		divides("heads", w.Heads, "tp x cp", w.TP*w.CP)
		if w.KVHeads > 0 {
			divides("kv_heads", w.KVHeads, "tp x cp", w.TP*w.CP)
		}
	}
}

// alike refuses groups that lie differently in domains: then no GPU stands for the others of its stage.
func (p *plan) alike(m *gpus.Machine, wrong *mistakes) {
	for _, g := range []struct {
		key      string
		n, apart int
	}{{"tp", p.tp, 1}, {"cp", p.cp, p.tp}, {"dp", p.replicas(), p.tp}, {"ep", p.ep, 1}, {"ep", p.expertReplicas(), p.ep}} {
		if g.n == 1 || g.key == "cp" && p.cp == 1 || g.key == "ep" && p.ep == 1 {
			continue
		}
		if at, first, here := p.unlike(m, g.n, g.apart); at >= 0 {
			wrong.add(g.key, "groups of %d GPUs that are %d apart are placed differently: the first one of a stage in %d domains, the one of GPU %d in %d; "+
				"one cannot stand for all%s", g.n, g.apart, first, at, here, smaller(&m.Node, g.n*g.apart))
			return
		}
	}
}

// smaller says how many GPUs of each domain neighbours of which a domain has several can use, so that none are in two.
func smaller(n *gpus.Node, neighbours int) string {
	for size := n.Domain / n.GPUs * n.GPUs; size >= neighbours; size -= n.GPUs {
		if size < n.Domain && size%neighbours == 0 {
			return fmt.Sprintf("; with machine.gpu.domain=%d they are placed alike, and %d of the %d GPUs of a domain are used", size, size, n.Domain)
		}
	}
	return ""
}

// unlike returns a GPU whose group is in another number of domains than the group of the first GPU of its stage; -1:
// there is none.
func (p *plan) unlike(m *gpus.Machine, n, apart int) (at, first, here int) {
	domains := func(gpu int) int {
		c := gpus.Communicator{Machine: m}
		for i := range n {
			c.Members = append(c.Members, gpu+i*apart)
		}
		d, _ := c.Domains()
		return d
	}
	for gpu := range p.each() * p.pp {
		if gpu%p.each() == 0 {
			first = domains(gpu)
		}
		if gpu%p.each()/apart%n == 0 {
			if here = domains(gpu); here != first {
				return gpu, first, here
			}
		}
	}
	return -1, 0, 0
}

// communicates returns why a collective of a layer cannot be done.
func (b *builder) communicates() error {
	for _, s := range slices.Concat(b.layer, b.back) {
		if s.op != nil && s.parts == nil {
			b.costOf(&s)
		}
	}
	return experiments.Keyed(b.err)
}
