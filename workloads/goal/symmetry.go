package goal

import "slices"

// Often every rank does the same as every other one, seen from its own place: on a ring, in a halo
// exchange on a periodic grid, in a dissemination. Then one host is simulated and stands for all.
// What it sends, it receives itself, as if from the host that sends such a message to it. If nothing
// shows that all hosts do the same at the same time (see order), all are simulated after all.

// RunAlike is RunHiding. It simulates only one host if all do the same; the result is the same.
func RunAlike(s *Schedule, p Params) (*Result, error) {
	if r := runOne(s, p); r != nil {
		return r, nil
	}
	return RunHiding(s, p)
}

// runOne simulates one host in place of all. It returns nil if all must be simulated, also if there
// is an error, which should name the host that it is about.
func runOne(s *Schedule, p Params) *Result {
	a := findAlike(s)
	if a == nil || p.Validate() != nil || p.fits(a.one) != nil || s.fitsMemory() != nil {
		return nil
	}
	e := newEngine(a.one, p)
	e.order, e.hiding = newOrder(a), newHiding(a.one)
	e.run()
	r := e.result()
	if e.err != nil || e.open > 0 || r.Unmatched > 0 {
		return nil
	}
	r.Events *= uint64(s.Ranks())
	r.Messages *= uint64(s.Ranks())
	r.Finish, r.Hidden = slices.Repeat(r.Finish, s.Ranks()), slices.Repeat(r.Hidden, s.Ranks())
	return r
}
