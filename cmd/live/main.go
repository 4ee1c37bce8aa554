//go:build js && wasm

// Command live is the simulator inside a report, for browsers. The script of the page gives it what the page carries, as
// overlapsimStart, and calls overlapsim(request, done); done gets the reply and the timeline. Package
// overlapsim/scenarios/live says what these are.
package main

import (
	"runtime/debug"
	"syscall/js"

	"overlapsim/scenarios/live"
)

func main() {
	debug.SetGCPercent(300) // a run leaves little garbage; memory is limited by its forecast
	world := js.Global()
	simulator, err := live.New([]byte(world.Get("overlapsimStart").String()))
	if err != nil {
		world.Call("overlapsimStarted", err.Error())
		return
	}
	simulator.Begins = func(seconds float64) { world.Call("overlapsimBegins", seconds) }
	world.Set("overlapsim", js.FuncOf(func(_ js.Value, args []js.Value) any {
		request, done := args[0].String(), args[1]
		go func() { // a file is read while the browser does other work
			reply, timeline := simulator.Reply([]byte(request))
			packed := world.Get("Uint8Array").New(len(timeline))
			js.CopyBytesToJS(packed, timeline)
			done.Invoke(string(reply), packed)
		}()
		return nil
	}))
	world.Call("overlapsimStarted", "")
	select {}
}
