package sim

import "github.com/fschuetz04/simgo"

// Watch calls f when ev happens or is aborted, but not if that was before the call. It is
// for upper layers in which something other than a Process waits.
func Watch(ev simgo.Awaitable, f func()) { watch(ev, f) }
