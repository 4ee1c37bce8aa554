package calibrate

import (
	"fmt"

	"overlapsim/scenarios/calibrate/outputs"
	"overlapsim/scenarios/keys"
)

// Limits beyond which two outputs of the same quantity count as from different machines, or
// from one that has changed.
const (
	leastCommon = 4   // sizes that both have
	different   = 1.3 // ratio of their times
)

// disagreements say which outputs of a quantity differ from its first one at most sizes.
func (d *Data) disagreements() (all []string) {
	for q, tables := range d.tables {
		for i := range tables {
			ratio, common := compared(&tables[0], &tables[i])
			if common >= leastCommon && max(ratio, 1/ratio) > different {
				all = append(all, fmt.Sprintf("%s of %s are %.2f times those of %s in the median of %d sizes that both have. The fit takes both "+
					"together; give the outputs of one machine and one library.", keys.Capital(quantities[q].column), tables[i].Where(), ratio,
					tables[0].Where(), common))
			}
		}
	}
	return all
}

// compared is the median ratio of the times of two tables, over the sizes that both have.
func compared(first, other *outputs.Table) (ratio float64, common int) {
	times, others := samplesOf(first), samplesOf(other)
	var ratios []float64
	for _, p := range times.Medians() {
		if t := median(others[p.Bytes]); t > 0 {
			ratios = append(ratios, t/p.Seconds)
		}
	}
	return median(ratios), len(ratios)
}

// samplesOf sorts the rows of a table by size.
func samplesOf(t *outputs.Table) Samples {
	s := Samples{}
	for _, r := range t.Rows {
		s[r.Bytes] = append(s[r.Bytes], r.Seconds)
	}
	return s
}
