package cli

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"overlapsim/scenarios/outcomes"
)

// hostOf says how fast a run was simulated. It is the only part of an outcome that
// differs between two runs.
func hostOf(events, messages uint64, took time.Duration) *outcomes.Host {
	return &outcomes.Host{
		Seconds:           took.Seconds(),
		EventsPerSecond:   float64(events) / took.Seconds(),
		MessagesPerSecond: float64(messages) / took.Seconds(),
		PeakRSS:           peakRSS(),
	}
}

// peakRSS returns the peak memory of the process in bytes; 0 on systems that do not
// report it (Linux does).
func peakRSS() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kib, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return kib << 10
}
