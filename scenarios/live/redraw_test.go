package live

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"overlapsim/scenarios/report/headless"
)

// The median time from the move of a slider to the next frame that shows the new run, without its answer, and the part of it until
// the page has the reply. Of one core: taskset -c 1 go test ./scenarios/live -run xxx -bench Redraw -benchtime 15x
func BenchmarkRedraw(b *testing.B) {
	for _, of := range []struct {
		iterations int
		messages   float64
	}{{52, 19968}, {520, 199680}} {
		b.Run(fmt.Sprintf("%.0f_messages", of.messages), func(b *testing.B) {
			tab := started(b, 1300, 900, "playground", "ranks=64", fmt.Sprintf("workload.iterations=%d", of.iterations))
			until(tab, "overlapsim.live.checked")
			tab.Run(chromedp.Evaluate(`{ const { simulator } = overlapsim.live, ask = simulator.ask;
				simulator.ask = function (request) { if (!request.answer) ask.call(this, request); };
				document.querySelector('figure.gantt').scrollIntoView(); }`, nil))
			turn := func(i int) (redraw, reply float64) {
				tab.Run(chromedp.Evaluate(fmt.Sprintf(`overlapsim.live.replies = window.shown = 0; window.began = performance.now();
					`+move+`('workload.bytes', %d);
					(function wait() { if (overlapsim.live.replies) requestAnimationFrame(() => setTimeout(() => { window.shown = performance.now(); }));
						else setTimeout(wait, 5); })()`, i%4), nil),
					chromedp.Poll("shown", nil, chromedp.WithPollingInterval(200*time.Millisecond), chromedp.WithPollingTimeout(time.Minute)))
				if n := headless.Eval[float64](tab, "overlapsim.live.reply.messages"); n != of.messages {
					b.Fatalf("%g messages", n)
				}
				return headless.Eval[float64](tab, "shown - began"), headless.Eval[float64](tab, "overlapsim.live.simulator.ms")
			}
			for i := range 4 {
				turn(i) // the browser compiles what it runs
			}
			var redraws, replies []float64
			for i := range b.N {
				redraw, reply := turn(i)
				redraws, replies = append(redraws, redraw), append(replies, reply)
			}
			slices.Sort(redraws)
			slices.Sort(replies)
			b.ReportMetric(redraws[b.N/2], "ms/redraw")
			b.ReportMetric(replies[b.N/2], "ms/reply")
			b.ReportMetric(0, "ns/op")
		})
	}
}
