package files

import (
	"overlapsim/nodes/gpus"
	"overlapsim/scenarios/keys"
)

// kernelRates is the key table of gpu_kernels: how fast kernels of the GPUs are, as measured steps
// tell.
func kernelRates(given *keys.Group, r *gpus.Rates) keys.Table {
	rates := keys.Table{
		{Path: "gpu_kernels", To: given, Use: onProcesses,
			Doc: "how fast kernels of these GPUs are, fitted to measured steps; for workloads that compute on them; docs/explanation/gpu-steps.md"},
		{Path: "gpu_kernels.rows", To: &r.Rows, Needs: keys.Required, Doc: "the rows it was fitted to"},
		{Path: "gpu_kernels.products", To: &r.Products, Is: keys.Number, Needs: keys.Required, Range: keys.Positive,
			Doc: "part of gpu.peak that blocks of large matrix products reach"},
		{Path: "gpu_kernels.attention", To: &r.Attention, Is: keys.Number, Range: keys.NotNegative,
			Doc: "part of gpu.peak that attention in one kernel reaches (flash); 0: that of products as deep as a head is wide"},
		{Path: "gpu_kernels.moves", To: &r.Moves, Is: keys.Number, Needs: keys.Required, Range: keys.Positive,
			Doc: "part of gpu.memory_bandwidth that kernels reach"},
		{Path: "gpu_kernels.start", To: &r.Start, Is: keys.Time, Doc: "time of each kernel in which its blocks do nothing"},
		{Path: "gpu_kernels.launch", To: &r.Launch, Is: keys.Time, Doc: "host time for a kernel, with what the framework does before it"},
		{Path: "gpu_kernels.join", To: &r.Join, Is: keys.Time, Doc: "host time for a collective operation"},
		{Path: "gpu_kernels.signal", To: &r.Signal, Is: keys.Time,
			Doc: "until a copy engine that waits for a piece of a fused product, or such a product that waits for other GPUs, continues"},
	}
	return rates
}

// exchangeRates is the key table of gpu_exchange: how fast kernels move tokens to GPUs that have their experts, and back.
func exchangeRates(given *keys.Group, x *gpus.Exchanges) keys.Table {
	return keys.Table{
		{Path: "gpu_exchange", To: given, Use: onProcesses,
			Doc: "how fast kernels exchange tokens of experts, fitted to measured exchanges; docs/reference/gpus.md"},
		{Path: "gpu_exchange.rows", To: &x.Rows, Needs: keys.Required, Doc: "the rows it was fitted to"},
		{Path: "gpu_exchange.links", To: &x.Links, Is: keys.Number, Needs: keys.Required, Range: keys.Positive,
			Doc: "part of gpu.switch.bandwidth that tokens reach"},
		{Path: "gpu_exchange.network", To: &x.Network, Is: keys.Number, Needs: keys.Required, Range: keys.Positive,
			Doc: "part of gpu.nics.bandwidth that tokens reach"},
		{Path: "gpu_exchange.start", To: &x.Start, Is: keys.Time, Doc: "of an exchange with two stages, without its bytes"},
		{Path: "gpu_exchange.direct_start", To: &x.Direct, Is: keys.Time, Doc: "of a direct exchange, without its bytes"},
	}
}
