package streams

import "overlapsim/sim"

// launch launches operations of a device until the host has to wait.
func (e *engine) launch(d *device) {
	for d.launched < len(d.queue) {
		n := d.queued(d.launched)
		if e.ops[n].holds > 0 {
			return
		}
		s := e.stream(n)
		if d.Ahead > 0 && s.launched == d.Ahead {
			return
		}
		s.launched++
		d.host = sim.Later(d.host, e.op(n).Launch)
		at := sim.Later(d.host, d.Delay)
		e.result.launched[n] = at
		d.launched++
		if now := e.kernel.Now(); at > now {
			e.schedule(at, reached, n, 0)
		} else {
			e.satisfied(n, cause{op: -1, why: Launched})
		}
	}
}

// release lets the host continue, if the operation is the next one to launch.
func (e *engine) release(n, by int32) {
	d := &e.devices[e.laid.devices[n]]
	if d.launched >= len(d.queue) || d.queued(d.launched) != n || e.ops[n].holds > 0 {
		return
	}
	if now := e.kernel.Now(); d.host < now {
		d.host, e.result.held[n] = now, by
	}
	e.launch(d)
}
