package workloads

import (
	"math"
	"strings"
)

// Metric is a named number of a result; times are in seconds.
type Metric struct {
	Name  string
	Value float64
}

// Metrics are the results of a workload, in a fixed order. They hold only numbers: a
// metric that has no value in a run is omitted, with the reason.
type Metrics struct {
	list []Metric
	out  []Missing
}

// Missing is a metric that has no value in a run.
type Missing struct{ Name, Why string }

// List returns the metrics that are numbers.
func (m *Metrics) List() []Metric { return m.list }

// LeftOut returns the metrics that are not numbers.
func (m *Metrics) LeftOut() []Missing { return m.out }

// Add adds a metric.
func (m *Metrics) Add(name string, value float64) { m.AddOr(name, value, "it is not a number") }

// AddOr adds a metric that may not be a number; why is the reason in that case.
func (m *Metrics) AddOr(name string, value float64, why string) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		m.out = append(m.out, Missing{name, why})
		return
	}
	m.list = append(m.list, Metric{name, value})
}

// metrics returns Metrics that hold a list of metrics.
func metrics(all ...Metric) (m Metrics) {
	for _, one := range all {
		m.Add(one.Name, one.Value)
	}
	return m
}

// metricUnits are the endings of metric names that stand for a unit.
var metricUnits = []struct{ ending, unit string }{
	{"_s", "s"}, {"_us", "us"}, {"_MiBps", "MiB/s"}, {"_GBps", "GB/s"}, {"_GB", "GB"},
}

// Label returns the name in words, and the unit that the name ends in: "comm_init_s"
// gives comm init and s, "message_bytes" gives message bytes and B.
func (m Metric) Label() (words, unit string) {
	for _, u := range metricUnits {
		if rest, ok := strings.CutSuffix(m.Name, u.ending); ok && rest != "" {
			return strings.ReplaceAll(rest, "_", " "), u.unit
		}
	}
	words = strings.ReplaceAll(m.Name, "_", " ")
	if strings.HasSuffix(words, " bytes") {
		return words, "B"
	}
	return words, ""
}
