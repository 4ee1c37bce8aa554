package papers

import (
	"math"

	"overlapsim/sim"
	"overlapsim/workloads"
)

// The closed-form models that expressions can call; times in seconds.
func init() {
	register("nas_ft_flops", 1, func(x ...float64) float64 { return workloads.NASFTFlops(x[0]) })
	register("exchange_time", 4, func(x ...float64) float64 { return workloads.ExchangeTime(x[0], x[1], x[2], x[3] != 0) })
	ft := map[string]func(workloads.FTModel) sim.Time{
		"ft_init":      workloads.FTModel.Init,
		"ft_total":     workloads.FTModel.Total,
		"ft_wait":      workloads.FTModel.Wait,
		"ft_comm_init": workloads.FTModel.CommInit,
		"ft_transfer":  workloads.FTModel.TransferAll,
	}
	register("spmv_total", 6, func(x ...float64) float64 {
		if !(x[0] >= 1 && sum(x)-sum(x) == 0) {
			return math.NaN()
		}
		return spmvModel(x).Total().Seconds()
	})
	for name, f := range ft {
		register(name, 6, func(x ...float64) float64 {
			if !(x[0] >= 1 && x[1] >= 1 && sum(x)-sum(x) == 0) {
				return math.NaN()
			}
			return f(ftModel(x)).Seconds()
		})
	}
}

// ftModel is Nishtala's model of Pencils for P processes with N rows each,
// from T, o, g and the time of one row on the wire (Architectural Probes,
// section 7).
func ftModel(x []float64) workloads.FTModel {
	return workloads.FTModel{
		P: int64(x[0]), N: int64(x[1]),
		Compute: sim.Seconds(x[2]), Overhead: sim.Seconds(x[3]), Gap: sim.Seconds(x[4]), Transfer: sim.Seconds(x[5]),
	}
}

// spmvModel is Nishtala's model of SpMV Gather for P processes from T of one
// block, o, g, L and the time of one piece of the source vector on the wire
// (Architectural Probes, section 8).
func spmvModel(x []float64) workloads.SpMVModel {
	return workloads.SpMVModel{
		P: int64(x[0]), Compute: sim.Seconds(x[1]), Overhead: sim.Seconds(x[2]), Gap: sim.Seconds(x[3]),
		Latency: sim.Seconds(x[4]), Transfer: sim.Seconds(x[5]),
	}
}
