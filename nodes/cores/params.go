package cores

import (
	"fmt"
	"math"
)

// Profile is the kind of load that an activity puts on its core.
type Profile uint8

// The profiles.
const (
	Blocked Profile = iota // nothing: idle, or asleep in the kernel
	FP                     // floating-point units
	Memory                 // loads and stores that miss the caches
	Copy                   // memory copies
	Poll                   // a loop that waits for a flag
	Stack                  // a communication library, or the kernel's protocols
	NumProfiles
)

// ProfileNames holds the names of the profiles.
var ProfileNames = [NumProfiles]string{"blocked", "fp", "memory", "copy", "poll", "stack"}

func (p Profile) String() string { return ProfileNames[p] }

// Params describes the cores and the memory of a node.
type Params struct {
	Contexts int // hardware contexts of a core; 0: one
	Cores    int // of a node
	Sharing  int // neighbouring cores that share a memory; 0: all of the node

	// SlowDown is F: how many times as long an activity of the first profile takes next to one of
	// the second on the same core; 0: as long as alone.
	SlowDown  [NumProfiles][NumProfiles]float64
	Bandwidth float64 // bytes per second of a memory; 0: no limit
}

// Validate reports values that are not possible.
func (p *Params) Validate() error {
	if p.Contexts < 0 || p.Cores < 1 || p.Sharing < 0 || p.Sharing > p.Cores {
		return fmt.Errorf("cores: %d contexts, %d cores, %d sharing a memory cannot be", p.Contexts, p.Cores, p.Sharing)
	}
	if !(p.Bandwidth >= 0 && p.Bandwidth <= maxRate) {
		return fmt.Errorf("cores: a memory bandwidth must be 0 to %g B/s, got %g", float64(maxRate), p.Bandwidth)
	}
	for a := range p.SlowDown {
		for b, f := range p.SlowDown[a] {
			if f != 0 && !(f >= 1 && f <= maxSlowDown) {
				return fmt.Errorf("cores: the slow-down of %v next to %v must be 1 to %d, got %g", Profile(a), Profile(b), maxSlowDown, f)
			}
		}
	}
	return nil
}

const (
	maxSlowDown = 1000
	maxRate     = 1 << 50 // bytes per second
)

// excess returns F(a,b) - 1 in units of 2^-32.
func (p *Params) excess(a, b Profile) uint64 {
	if f := p.SlowDown[a][b]; f > 1 && a != Blocked && b != Blocked {
		return uint64(math.Round((f - 1) * Full))
	}
	return 0
}

// Activity is what a context does.
type Activity struct {
	Profile Profile
	Demand  int64 // bytes per second that it moves when alone
	Tag     int32 // identifies the demand in Effects; it does not affect times
}
