package laws

import (
	"errors"

	"overlapsim/scenarios/files"
	"overlapsim/scenarios/keys"
	"overlapsim/workloads"
	"overlapsim/workloads/experiments"
)

// able is a machine that knows all kernels. Workloads are asked with it whether their
// parameters fit together.
func able(t *tables) (*files.Machine, error) {
	m, err := read([]byte(`{cores: 64, network: {latency: 1us, send_overhead: 1us, gap: 1us, bandwidth: 1GB/s}}`))
	if err != nil {
		return nil, err
	}
	for _, k := range find(t.machine, "kernels").inside {
		rate := find(k.inside, "rates").Is
		m.set(scalar(keys.Format(rate, 1e9)), "kernels", k.name, "rates")
	}
	return files.ReadMachine("able", []byte(m.yaml()))
}

// The largest number of times that a workload is drawn again until its parameters fit together.
const mostFitting = 60

// fit draws parameters of the workload, and ranks, again until they fit together. That is
// faster than asking the whole program.
func (d *draw) fit(s *Tree) {
	for range mostFitting {
		err := d.misfit(s)
		var wrong *workloads.KeyError
		switch {
		case err == nil:
			return
		case errors.As(err, &wrong) && s.at("workload", wrong.Key) != nil && wrong.Key != "name":
			d.mendParameter(s, wrong.Key, advice(wrong.Message))
		default:
			d.mendRanks(s, advice(err.Error()))
		}
	}
}

// misfit returns the error of a workload; experiments, and workloads with a file, are not
// asked.
func (d *draw) misfit(s *Tree) error {
	kind, ok := workloads.Lookup(s.at("workload", "name").text)
	if !ok {
		return nil
	}
	w := kind.New()
	_, experiment := w.(experiments.Experiment)
	_, onGPUs := w.(experiments.OnGPUs)
	if _, filed := w.(workloads.Filed); experiment || onGPUs || filed {
		return nil
	}
	parameters := s.at("workload").clone()
	parameters.drop("name")
	if len(parameters.keys) > 0 {
		var problems keys.Problems
		keys.ReadTree("workload", []byte(parameters.yaml()), &problems).Decode(files.WorkloadRows(w)...)
		if len(problems) > 0 {
			return &workloads.KeyError{Key: problems[0].Key, Message: problems[0].Message}
		}
	}
	_, err := w.Program(d.tables.able.Machine, d.ranks)
	return err
}
