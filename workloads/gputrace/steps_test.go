package gputrace

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"overlapsim/nodes/gpus"
	"overlapsim/nodes/machines"
	"overlapsim/sim"
	"overlapsim/sim/must"
	"overlapsim/workloads/experiments"
)

// kernelEvent is an event of a kernel on a stream, with a launch at the same time. Times are in us.
func kernelEvent(name string, stream, start, length int, more string) string {
	return fmt.Sprintf(`{"ph":"X","cat":"kernel","name":%q,"ts":%d,"dur":%d,"args":{"device":0,"stream":%d,"correlation":%d%s}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":%[2]d,"dur":1,"args":{"correlation":%[5]d}},`, name, start, length, stream, start, more)
}

func step(number, start, length int) string {
	return fmt.Sprintf(`{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","ts":%d,"dur":%d,"args":{}},`, number, start, length)
}

func reads(t *testing.T, world int, events ...string) *rank {
	t.Helper()
	text := fmt.Sprintf(`{"distributedInfo":{"rank":0,"world_size":%d},"traceEvents":[%s]}`, world, strings.TrimSuffix(strings.Join(events, ""), ","))
	return must.Get(read(strings.NewReader(text)))(t)
}

// The steps of a trace have kernels by class. A kernel that ran next to a collective counts as its like that ran alone, if there is one
// with the same grid; what is launched outside the steps does not count.
func TestWholeSteps(t *testing.T) {
	grid := `,"grid":[132,1,1]`
	r := reads(t, 8, step(0, 100, 500), step(1, 600, 500),
		kernelEvent("nvjet_tst_256x128", 7, 50, 40, grid), // before the first step
		kernelEvent("nvjet_tst_256x128", 7, 110, 40, grid),
		kernelEvent("ncclDevKernel_AllGather_RING_LL", 9, 200, 200, `,"Group size":8`),
		kernelEvent("nvjet_tst_256x128", 7, 210, 90, grid),
		kernelEvent("nvjet_tst_256x128", 7, 300, 70, `,"grid":[4,1,1]`),
		kernelEvent("void pytorch_flash::flash_fwd_kernel<>", 7, 450, 30, ""),
		kernelEvent("multi_tensor_apply_kernel<FusedAdam>", 7, 650, 20, ""),
		kernelEvent("vectorized_elementwise_kernel<>", 7, 700, 10, ""))
	if n := r.held(); n != 0 {
		t.Errorf("%d steps, though a tenth of the time is of a kernel before them", n)
	}
	s := r.wholeSteps()
	want := [experiments.NumClasses]experiments.ClassTime{
		experiments.Products: {Count: 3, Time: 150e-6, Beside: 70e-6}, experiments.Attention: {Count: 1, Time: 30e-6},
		experiments.ElementWise: {Count: 1, Time: 10e-6}, experiments.Optimizer: {Count: 1, Time: 20e-6}}
	for c, k := range s.Kernels {
		if k.Count != want[c].Count || math.Abs(k.Time-want[c].Time) > 1e-12 || math.Abs(k.Beside-want[c].Beside) > 1e-12 {
			t.Errorf("%v: %+v, want %+v", experiments.Class(c), k, want[c])
		}
	}
	if s.Number != 2 || s.World != 8 || len(s.Collectives) != 1 || s.Collectives[0] != (experiments.CollectiveTime{Operation: "all-gather", Members: 8, Count: 1, Time: 200e-6}) {
		t.Errorf("%+v", s)
	}
}

// Names of kernels of libraries, by class.
func TestClasses(t *testing.T) {
	for name, want := range map[string]experiments.Class{
		"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT":                          experiments.Products,
		"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4>":         experiments.Products,
		"ampere_sgemm_128x64_nn":                                                  experiments.Products,
		"triton_tem_fused_mm_2":                                                   experiments.Products,
		"Cijk_Ailk_Bljk_HHS_BH_MT128x128x32":                                      experiments.Products,
		"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16":             experiments.Attention,
		"fmha_cutlassF_f16_aligned_64x64_rf_sm80":                                 experiments.Attention,
		"void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>":        experiments.Optimizer,
		"triton_poi_fused_add_native_layer_norm_3":                                experiments.ElementWise,
		"void at::native::vectorized_elementwise_kernel<8, CUDAFunctor_add<bf16>": experiments.ElementWise,
	} {
		if got := classOf(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// On more GPUs each collective of all GPUs takes longer by what the machine needs more; kernels, and collectives of fewer, do not.
func TestMoreGPUs(t *testing.T) {
	bytes := `,"Collective name":"allreduce","In msg nelems":8388608,"Out msg nelems":8388608,"dtype":"Float","Process Group Name":"%d","Group size":%d`
	r := reads(t, 8, kernelEvent("gemm", 7, 0, 1000, ""), kernelEvent("ncclAllReduce", 7, 1000, 500, fmt.Sprintf(bytes, 0, 8)),
		kernelEvent("ncclAllReduce", 7, 1500, 400, fmt.Sprintf(bytes, 1, 2)))
	m := &gpus.Machine{GPU: gpus.GPU{Generation: gpus.Ampere, SMs: 108}}
	m.Node = gpus.Node{GPUs: 8, Domain: 8, Switch: &gpus.Switch{Bandwidth: 300e9, Links: 12}}
	for i := range 8 {
		m.Node.NICs = append(m.Node.NICs, gpus.NIC{GPU: i, Rail: i, Bandwidth: 25e9})
	}
	m.Fit = gpus.Calibration{Start: 10 * sim.Microsecond, Step: 4 * sim.Microsecond, Ring: 236e9, Channels: 24, Low: 1, Network: 0.965, Far: 1.6}
	w := &replay{Compute: 1, Communication: 1, Host: 1, Pauses: 1, Unexplained: 1, Collectives: measured, ranks: []*rank{r}}
	var spans [2]float64
	for i, n := range []int64{0, 64} {
		w.GPUs = n
		must.Do(t, w.CheckGPUs(&machines.Machine{GPUs: m}, experiments.Place{Ranks: 1, PerNode: 8}))
		spans[i] = run(t, write(w.ranks, w.changes(m, experiments.Place{}))).Makespan.Seconds()
		all := max(8, float64(n)) // ranks; what a ring sends is 2 (n-1)/n of the bytes, of two GPUs once
		if got, want := w.bytes(), int64(4*8388608*(2*(all-1)/all+1)); got != want {
			t.Errorf("%d GPUs: %d bytes are sent, want %d", n, got, want)
		}
	}
	o := &r.ops[1]
	was, _ := costOf(m, o, o.bytes)
	more := *o
	more.members = 64
	is, _ := costOf(m, &more, o.bytes)
	if want := (is.Total() - was.Total()).Seconds(); math.Abs(spans[1]-spans[0]-want) > 1e-9 || want <= 0 {
		t.Errorf("%g s longer, want %g", spans[1]-spans[0], want)
	}
	for world, want := range map[int]string{0: "gpus: cannot be set: the trace does not say of how many GPUs its job was",
		128: "gpus: cannot be set: the trace has no collective of all 128 GPUs"} {
		r.world = world
		if err := w.CheckGPUs(&machines.Machine{GPUs: m}, experiments.Place{Ranks: 1, PerNode: 8}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The bytes of a message are sent once, by the rank that sends it.
func TestSentOnce(t *testing.T) {
	end := func(name string) *rank {
		return reads(t, 2, kernelEvent("ncclDevKernel_SendRecv", 9, 100, 50, `,"Group size":2,"Process Group Name":"0","dtype":"Half","In msg nelems":1000,`+
			`"Out msg nelems":1000,"Collective name":"`+name+`"`))
	}
	if got := (&replay{ranks: []*rank{end("send"), end("recv")}}).bytes(); got != 2000 {
		t.Errorf("%d bytes are sent, want 2000", got)
	}
}
