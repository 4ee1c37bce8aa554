package streams

import "overlapsim/sim"

// launch launches operations of a device until the host has to wait.
func (e *engine) launch(d *device) {
	for d.launched < len(d.queue) {
		n := d.queue[d.launched]
		s := &e.ops[n]
		if s.holds > 0 {
			return
		}
		if behind := d.launched - d.Ahead; d.Ahead > 0 && behind >= 0 && !e.ops[d.queue[behind]].ended {
			return
		}
		d.host = sim.Later(d.host, e.Ops[n].Launch)
		s.launched = sim.Later(d.host, d.Delay)
		e.result.launched[n] = s.launched
		d.launched++
		if now := e.kernel.Now(); s.launched > now {
			e.schedule(s.launched, reached, n, 0)
		} else {
			e.satisfied(n, cause{-1, Launched})
		}
	}
}

// release lets the host continue, if the operation is the next one to launch.
func (e *engine) release(n, by int32) {
	d := &e.devices[e.Ops[n].Device]
	if d.launched >= len(d.queue) || d.queue[d.launched] != n || e.ops[n].holds > 0 {
		return
	}
	if now := e.kernel.Now(); d.host < now {
		d.host, e.result.held[n] = now, by
	}
	e.launch(d)
}
