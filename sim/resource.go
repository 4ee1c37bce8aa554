package sim

import "fmt"

// Resource is something that a limited number of processes, its capacity, can hold at the same
// time. Other processes wait, first come, first served.
type Resource struct {
	env      *Env
	capacity int
	held     int
	waiting  []*Signal
}

// Resource returns a resource of the given capacity.
func (v *Env) Resource(capacity int) *Resource { return &Resource{env: v, capacity: capacity} }

// Acquire waits until p holds one unit of the resource.
func (r *Resource) Acquire(p *Process) {
	if r.held < r.capacity {
		r.held++
		return
	}
	p.Await(r.Request())
}

// Request returns a signal that happens when a unit is held. A caller that gives up a
// request must Abort it, or Release the unit once it is held.
func (r *Resource) Request() *Signal {
	request := r.env.Signal()
	if r.held < r.capacity {
		r.held++
		request.Trigger()
	} else {
		r.waiting = append(r.waiting, request)
	}
	return request
}

// Release gives a unit back: to the first process that still waits.
func (r *Resource) Release() {
	if r.held == 0 {
		panic(fmt.Sprintf("sim: Release of a resource of capacity %d that nobody holds", r.capacity))
	}
	for len(r.waiting) > 0 {
		request := r.waiting[0]
		r.waiting[0] = nil
		r.waiting = r.waiting[1:]
		if request.Trigger() {
			return
		}
	}
	r.held--
}
