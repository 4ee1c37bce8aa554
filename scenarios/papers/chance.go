package papers

import (
	"embed"
	"fmt"

	"go.yaml.in/yaml/v3"
)

//go:embed shaken
var shakenFiles embed.FS

// Chance says how often a claim holds on machines whose numbers are drawn at random (Shaking of all): what holds
// there does not show that a machine's numbers are right.
type Chance struct {
	Draws, Hold int
	each        string // as in Shaken
}

// Share is the part of the random machines on which the claim holds; known only with a draw.
func (c Chance) Share() float64 { return float64(c.Hold) / float64(c.Draws) }

func (c Chance) String() string {
	if c.Draws == 0 {
		return "-"
	}
	return fmt.Sprintf("%d of %d", c.Hold, c.Draws)
}

// readShaken reads what draws gave for a built-in paper; nil: there were none.
func readShaken(name string) (*ShakeResult, error) {
	text, err := shakenFiles.ReadFile("shaken/" + name + ".yaml")
	if err != nil {
		return nil, nil
	}
	r := &ShakeResult{}
	return r, yaml.Unmarshal(text, r)
}

// chances returns the chances of the claims of a built-in paper.
func chances(name string) map[string]Chance {
	r, err := readShaken(name)
	if err != nil {
		panic(err) // they are embedded
	}
	all := map[string]Chance{}
	if r != nil && r.Stamp != "" { // else it is older than what is judged now
		for _, s := range r.All {
			all[s.Claim] = Chance{s.Draws, s.Hold, s.Each}
		}
	}
	return all
}

// Chance returns how often the claim of the verdict held on random machines.
func (v *Verdict) Chance() Chance { return v.Paper.chances[v.ID] }

// AgainstChance compares predictions with machines whose numbers are drawn at random. Only predictions with draws
// count.
type AgainstChance struct {
	Of            int     `json:"predictions"`
	Hold          int     `json:"hold"`
	Random        float64 `json:"random_hold"` // how many hold on a random machine, on average
	NumbersOf     int     `json:"two_sided"`   // of those with a number that has two sides
	Numbers       int     `json:"two_sided_hold"`
	RandomNumbers float64 `json:"two_sided_random_hold"`
	OrdersOf      int     `json:"orders"` // of the others: at least, at most, true
	Orders        int     `json:"orders_hold"`
	RandomOrders  float64 `json:"orders_random_hold"`

	weight, won, luck float64 // sums of what a random machine does not pass: of all, of those that hold, by chance
	papers            map[*Paper]bool
	machines          []float64 // how many of the predictions hold on each random machine of a paper
}

func (a *AgainstChance) add(v *Verdict) {
	c := v.Chance()
	if v.Kind != Predicted || v.Judged == Withheld || c.Draws == 0 {
		return
	}
	if a.papers == nil {
		a.papers = map[*Paper]bool{}
	}
	a.papers[v.Paper] = true
	for i, verdict := range c.each {
		if i == len(a.machines) {
			a.machines = append(a.machines, 0)
		}
		switch verdict {
		case '1':
			a.machines[i]++
		case '-': // it could not be computed on this machine
			a.machines[i] += c.Share()
		}
	}
	share, hold := c.Share(), int(bit(v.Pass))
	a.Of, a.Hold, a.Random = a.Of+1, a.Hold+hold, a.Random+share
	if v.Judged == Value || v.Judged == Band {
		a.NumbersOf, a.Numbers, a.RandomNumbers = a.NumbersOf+1, a.Numbers+hold, a.RandomNumbers+share
	} else {
		a.OrdersOf, a.Orders, a.RandomOrders = a.OrdersOf+1, a.Orders+hold, a.RandomOrders+share
	}
	a.weight += 1 - share
	a.won += (1 - share) * float64(hold)
	a.luck += (1 - share) * share
}

// Weighted is the part of the predictions that hold, each weighted by how many random machines do not pass it, and
// the same for a random machine.
func (a *AgainstChance) Weighted() (share, random float64) {
	return a.won / a.weight, a.luck / a.weight
}

// AsGood is how many of the random machines hold at least as many predictions as the paper's machines; 0 of 0: of several papers,
// which have different machines.
func (a *AgainstChance) AsGood() (some, of int) {
	if len(a.papers) != 1 {
		return 0, 0
	}
	for _, hold := range a.machines {
		some += int(bit(hold >= float64(a.Hold)))
	}
	return some, len(a.machines)
}

// String says it in a sentence; "": nothing was drawn.
func (a *AgainstChance) String() string {
	if a.Of == 0 {
		return ""
	}
	text := fmt.Sprintf("of %d predictions tried on machines with random numbers %d hold here and %.1f there", a.Of, a.Hold, a.Random)
	if a.NumbersOf > 0 {
		text += fmt.Sprintf("; numbers with two sides: %d of %d, there %.1f", a.Numbers, a.NumbersOf, a.RandomNumbers)
	}
	if a.OrdersOf > 0 {
		text += fmt.Sprintf("; orders and bounds: %d of %d, there %.1f", a.Orders, a.OrdersOf, a.RandomOrders)
	}
	if a.weight > 0 {
		share, random := a.Weighted()
		text += fmt.Sprintf("; weighted by what a random machine does not pass: %.0f %%, there %.0f %%", 100*share, 100*random)
	}
	if some, of := a.AsGood(); of > 0 {
		text += fmt.Sprintf("; %d of the %d random machines hold at least as many", some, of)
	}
	return text
}

// ChanceRecord is AgainstChance with what follows from it.
type ChanceRecord struct {
	*AgainstChance
	Weighted       float64 `json:"weighted"`
	RandomWeighted float64 `json:"random_weighted"`
	Machines       int     `json:"random_machines,omitempty"`         // that were drawn for the paper
	AsGood         int     `json:"random_machines_as_good,omitempty"` // that hold at least as many predictions
}

func (a *AgainstChance) record() *ChanceRecord {
	if a.weight == 0 {
		return nil
	}
	share, random := a.Weighted()
	some, of := a.AsGood()
	return &ChanceRecord{a, share, random, of, some}
}
