package sim

import "github.com/fschuetz04/simgo"

// Watch calls f when ev has happened or is aborted; not if it was before. It is
// for upper layers that let something else than a Process wait.
func Watch(ev simgo.Awaitable, f func()) { watch(ev, f) }
