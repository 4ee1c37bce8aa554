package files

import (
	"testing"

	"overlapsim/network"
	"overlapsim/sim"
	"overlapsim/sim/must"
)

// Factors multiply the quantity of a key, in any unit in which it is written.
func TestFactors(t *testing.T) {
	curves := `machine:
  cores: 4
  network:
    latency: {value: 3us, origin: published, source: x}
    send_overhead: [{time: 1us}, {from: 4KiB, time: {value: 2us, origin: fitted, source: y}, per_byte: 1ns/B}]
    gap: 2us
    bandwidth: [{per_byte: 1GB/s}, {from: 1MiB, time: 4us, per_byte: 2ns/B}]
    queue_depth: 4
  copying: {send: 1ns/B, receive: 2GB/s, buffer: 64KiB, chunk: 1KiB}
  kernels: {fft: {rates: [{n: 64, rate: 1GF/s}, {n: 1024, rate: 2GF/s}]}}
` + goodMore
	for _, c := range []struct {
		change string
		got    func(m *Machine) any
		want   any
	}{
		{"network.latency=x0.5", func(m *Machine) any { return m.Network.Latency }, 1500 * sim.Nanosecond},
		{"network.latency=x0", func(m *Machine) any { return m.Network.Latency }, sim.Time(0)},
		{"network.latency={value: x2, origin: chosen, source: z}", func(m *Machine) any { return m.Network.Latency }, 6 * sim.Microsecond},
		{"network.latency=x0.3333333333", func(m *Machine) any { return m.Network.Latency }, 1000 * sim.Nanosecond},
		{"network.queue_depth=x2", func(m *Machine) any { return m.Network.QueueDepth }, 8},
		{"copying.buffer=x1.5", func(m *Machine) any { return m.Copying.Buffer }, int64(96 << 10)},
		{"copying.send=x3", func(m *Machine) any { return m.Copying.SendPerByte }, 3000.0},
		{"copying.receive=x2", func(m *Machine) any { return m.Copying.ReceivePerByte }, 250.0}, // as written: 4GB/s
		{"network.send_overhead=x2", func(m *Machine) any { return m.Network.SendOverhead[1] },
			network.Piece{From: 4096, Base: 4 * sim.Microsecond, PerByte: 2000}},
		{"network.send_overhead.0.time=x2", func(m *Machine) any { return m.Network.SendOverhead[0] }, network.Piece{Base: 2 * sim.Microsecond}},
		{"network.bandwidth=x2", func(m *Machine) any { return m.Network.Transfer[0] }, network.Piece{PerByte: 500}},
		{"network.bandwidth=x2", func(m *Machine) any { return m.Network.Transfer[1] },
			network.Piece{From: 1 << 20, Base: 2 * sim.Microsecond, PerByte: 1000}},
		{"network.gap_per_byte=x2", func(m *Machine) any { return m.Network.Transfer[1] },
			network.Piece{From: 1 << 20, Base: 8 * sim.Microsecond, PerByte: 4000}},
		{"kernels.fft.rates=x2", func(m *Machine) any { return m.Kernels["fft"].At(1024) }, 4e9},
		{"copying=none", func(m *Machine) any { return m.Copying == nil }, true},
	} {
		study, err := loadText(curves, []string{"machine." + c.change})
		if err != nil {
			t.Errorf("%s: %v", c.change, err)
		} else if got := c.got(study.Runs[0].Machine); got != c.want {
			t.Errorf("%s: got %v, want %v", c.change, got, c.want)
		}
	}
}

// A time per byte under the key bandwidth is inverted. A factor for one name of a
// quantity also applies if the file gives it under its other name.
func TestFactorsEitherWayUp(t *testing.T) {
	for given, want := range map[string]map[string]float64{
		"bandwidth: 1GB/s":    {"bandwidth": 500, "gap_per_byte": 2000},
		"bandwidth: 1ns/B":    {"bandwidth": 500, "gap_per_byte": 2000},
		"gap_per_byte: 1GB/s": {"bandwidth": 500, "gap_per_byte": 2000},
		"gap_per_byte: 1ns/B": {"bandwidth": 500, "gap_per_byte": 2000},
	} {
		for key, perByte := range want {
			study, err := loadText("machine: {cores: 1, network: {latency: 1us, send_overhead: 1us, gap: 1us, "+given+"}, "+
				"kernels: {fft: {rates: 1GF/s}}}\n"+goodMore,
				[]string{"machine.network." + key + "=x2"})
			if err != nil {
				t.Errorf("%s, %s: %v", given, key, err)
			} else if got := study.Runs[0].Machine.Network.Transfer; got[0].PerByte != perByte {
				t.Errorf("%s, %s=x2: %g ps/B, want %g", given, key, got[0].PerByte, perByte)
			}
		}
	}
}

// The factors of machines with bases are multiplied one after another; a factor may state
// its origin.
func TestFactorsOfBases(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.yaml", "base: loggp\nnetwork: {latency: {value: x0.5, origin: chosen, source: a}}\n")
	write(t, "b.yaml", "base: a.yaml\nnetwork: {latency: x0.5, gap: {value: x3, origin: chosen, source: b}}\nkernels: none\n")
	m := must.Get(LoadMachine("b.yaml"))(t)
	if m.Network.Latency != 1250*sim.Nanosecond || m.Network.Gap != 6*sim.Microsecond || len(m.Kernels) > 0 {
		t.Errorf("got %+v", m.Machine)
	}
	for _, f := range m.Facts {
		if f.Path == "network.gap" && (f.Origin != "chosen" || f.Source != "b" || f.Value != "6us") {
			t.Errorf("got %+v", f)
		}
		if f.Path == "network.latency" && f.Origin != "" {
			t.Errorf("got %+v", f)
		}
	}
}
