package report

import (
	"fmt"
	"math"
	"strings"

	"overlapsim/scenarios/outcomes"
)

// NearlyFull is the part of a GPU's memory from which on it is said to be nearly full: what is not counted, contexts of CUDA, buffers
// of NCCL and the allocator's reserve, is about a tenth (TestMemoryOfTorchtitan).
const NearlyFull = 0.9

// NotCounted is what the memory of a step leaves out.
const NotCounted = "contexts of CUDA, buffers of NCCL and the allocator's reserve are not counted"

// Full says, of a step whose memory nearly fills that of a GPU, that it may not fit; "": it does not.
func Full(needs, of float64) string {
	if needs <= NearlyFull*of {
		return ""
	}
	return " (nearly full: " + NotCounted + ")"
}

// StepText says first what is asked of a step of training: its time, how well GPUs are used, and what it waits for.
func StepText(s *outcomes.Step, r *outcomes.RunRecord) string {
	text := "A step takes " + Seconds(s.Time)
	if s.Most != nil {
		text += " (the median; 99 in 100 at most " + Seconds(*s.Most) + ")"
	}
	var used []string
	if s.MFU != nil {
		used = append(used, "MFU "+Percent(*s.MFU, 1))
	}
	if s.Tokens != nil {
		used = append(used, Ratio(*s.Tokens)+" tokens/s per GPU")
	}
	if s.Memory != nil {
		used = append(used, fmt.Sprintf("memory %s of %s GB%s", Significant(*s.Memory), Significant(*s.OfMemory), Full(*s.Memory, *s.OfMemory)))
	}
	if used != nil {
		text += ": " + strings.Join(used, ", ")
	}
	if r.Answer == nil {
		return text + "."
	}
	var waits []string
	for _, kind := range s.Exposed {
		waits = append(waits, fmt.Sprintf("%s %s", strings.ReplaceAll(kind.Name, "_", " "), told(kind.Value.(float64)/r.Makespan, r.Answer.Noise)))
	}
	if shared := r.Answer.Shared; shared != nil && math.Abs(*shared) >= LeastShare/2*r.Makespan {
		where := " where several are under way at once"
		if *shared < 0 {
			where = " that counts for several of them"
		}
		waits = append(waits, told(*shared/r.Makespan, r.Answer.Noise)+where)
	}
	if waits != nil {
		text += ". Exposed by kind: " + strings.Join(waits, ", ")
	}
	if s.LaunchBound != nil {
		begins := "; launch-bound: "
		if waits == nil {
			begins = ". Launch-bound: "
		}
		text += begins + told(*s.LaunchBound, r.Answer.Noise)
	}
	return text + "."
}
