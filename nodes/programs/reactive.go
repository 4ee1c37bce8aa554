package programs

import "overlapsim/sim"

// Reactive is a program whose ranks continue with what comes first. Step returns what its ranks
// do in some order. In a run they do it in the order that the program from Begin chooses.
type Reactive interface {
	Program
	// Begin returns the program of one run. That program is asked for the steps of a rank one
	// after the other, as time passes. It may use what Ops says about the run so far.
	Begin() Program
}

// Settled is a Reactive program whose ranks also have a fixed order in which they can do all
// their operations, regardless of what comes first.
type Settled interface {
	Reactive
	// Order returns a rank's operations in that order. Each call of next appends the operations of one
	// step; after the last step it appends nothing and returns false.
	Order(rank int) (next func(do *Ops) bool)
}

// Told is a program that says in the words of its user what ranks do, for errors.
type Told interface {
	// Doing says in which call a rank is; "": nothing is known.
	Doing(rank int) string
	// Message describes messages by their tag, such as "with tag 5".
	Message(tag int) string
	// Sent says where the last message with that tag from a rank to another one is sent; "": nothing is known.
	Sent(from, to, tag int) string
}

// Choice holds requests, one of which a rank waits for, and how that wait ended; or those that a TestOpen asks for.
type Choice struct {
	Requests []int32
	Before   sim.Time // accept only what was over before this time; negative: wait
	Ended    Ended
}

// never stands for no time.
const never sim.Time = -1

// Ended tells how a WaitAny or TestAny ended.
type Ended struct {
	Request int32    // the request that is over; NoRequest: none is
	At      sim.Time // when the wait ended and paying for a receive began; negative: the request was not in use
}

// NoRequest is what a TestAny returns if it found nothing, and the request of a TestOpen.
const NoRequest int32 = -2

// Now is the time at which the step is asked for.
func (o *Ops) Now() sim.Time { return o.now }

// WaitAny waits until the first of the requests is over, as Wait does for one request. It is the
// last operation of a step. In the next step Ended says which request it was.
func (o *Ops) WaitAny(requests ...int32) { o.any(never, requests) }

// TestAny does the same if a request was over before the given time. Otherwise it continues at
// once.
func (o *Ops) TestAny(before sim.Time, requests ...int32) { o.any(before, requests) }

// TestOpen is a Test, unless all of the requests are over when it begins: then it does nothing. It is the last
// operation of a step.
func (o *Ops) TestOpen(requests ...int32) {
	o.choose(never, requests)
	o.Test(int(NoRequest))
}

func (o *Ops) any(before sim.Time, requests []int32) {
	o.choose(before, requests)
	o.list = append(o.list, Op{Kind: OpWaitAny, Request: NoRequest})
}

func (o *Ops) choose(before sim.Time, requests []int32) {
	if o.choice == nil {
		o.choice = new(Choice)
	}
	o.choice.Requests = append(o.choice.Requests[:0], requests...)
	o.choice.Before, o.choice.Ended.Request = before, NoRequest
}

// Ended returns how the WaitAny or TestAny of the previous step ended.
func (o *Ops) Ended() Ended { return o.choice.Ended }

// InRun returns the program to use in one run.
func InRun(p Program) Program {
	if r, ok := p.(Reactive); ok {
		return r.Begin()
	}
	return p
}
