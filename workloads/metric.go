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

// Metrics are the results that a workload is about, in a fixed order. Only numbers get
// in: a metric without a number in a run is left out, with the reason.
type Metrics struct {
	list []Metric
	out  []Missing
}

// Missing is a metric that has no value in a run.
type Missing struct{ Name, Why string }

// List returns the metrics that are numbers.
func (m *Metrics) List() []Metric { return m.list }

// LeftOut returns those that are not.
func (m *Metrics) LeftOut() []Missing { return m.out }

// Add adds a metric.
func (m *Metrics) Add(name string, value float64) { m.AddOr(name, value, "it is no number") }

// AddOr adds a metric that may be no number, and says why that is.
func (m *Metrics) AddOr(name string, value float64, why string) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		m.out = append(m.out, Missing{name, why})
		return
	}
	m.list = append(m.list, Metric{name, value})
}

// metrics are those of a list.
func metrics(all ...Metric) (m Metrics) {
	for _, one := range all {
		m.Add(one.Name, one.Value)
	}
	return m
}

// metricUnits are the endings of names that say a unit.
var metricUnits = []struct{ ending, unit string }{
	{"_s", "s"}, {"_us", "us"}, {"_MiBps", "MiB/s"},
}

// Label returns the name in words and the unit that it ends in: "comm_init_s"
// is comm init, in s, and "message_bytes" message bytes, in B.
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
