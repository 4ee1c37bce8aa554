package goal

import (
	"errors"
	"strings"
	"testing"

	"overlapsim/sim/must"
)

// eager are parameters without handshakes.
var eager = Params{Latency: 2, Overhead: 1, Gap: 1, Rendezvous: 1 << 40}

func mustRead(t testing.TB, text string) *Schedule {
	return must.Get(Read(strings.NewReader(text), "x.goal"))(t)
}

func TestUnfinishedInWords(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"cycle of receives", `num_ranks 2
rank 0 {
a: recv 8b from 1 tag 7
b: send 8b to 1 tag 8
b requires a
}
rank 1 {
a: recv 8b from 0 tag 8
b: calc 5
c: send 8b to 0 tag 7
b requires a
c requires b
}`, "the schedule cannot finish, 5 operations left: rank 0 waits for tag 7 from rank 1 (line 3), " +
			"which rank 1 sends at line 10, but first waits for tag 8 from rank 0 (line 8), " +
			"which rank 0 sends at line 4, but first waits for tag 7 from rank 1 (line 3): a cycle; " +
			"2 receives without a message: rank 0 wants tag 7 from rank 1 (line 3), rank 1 wants tag 8 from rank 0 (line 8)"},
		{"wrong tag", `num_ranks 2
rank 0 {
send 8b to 1 tag 7
}
rank 1 {
recv 8b from 0 tag 6
}`, "the schedule cannot finish, 1 operation left: rank 1 waits for tag 6 from rank 0 (line 6), but rank 0 has no such send left; " +
			"1 message without a receive: rank 0 sends tag 7 to rank 1 (line 3); " +
			"1 receive without a message: rank 1 wants tag 6 from rank 0 (line 6)"},
		{"nobody receives", `num_ranks 2
rank 0 {
send 8b to 1 tag 7
}
rank 1 {
}`, "1 message without a receive: rank 0 sends tag 7 to rank 1 (line 3)"},
		{"any source", `num_ranks 2
rank 0 {
}
rank 1 {
recv 8b from -1 tag -1
}`, "the schedule cannot finish, 1 operation left: rank 1 waits for any tag from any rank (line 5), but no rank has such a send left; " +
			"1 receive without a message: rank 1 wants any tag from any rank (line 5)"},
		{"handshakes face to face", `num_ranks 2
rank 0 {
a: send 2199023255552b to 1 tag 1
b: recv 2199023255552b from 1 tag 2
b requires a
}
rank 1 {
a: send 2199023255552b to 0 tag 2
b: recv 2199023255552b from 0 tag 1
b requires a
}`, "the schedule cannot finish, 4 operations left: rank 0 waits for a receive of tag 1, 2199023255552 bytes, by rank 1 (line 3), " +
			"which rank 1 receives at line 9, but first waits for a receive of tag 2, 2199023255552 bytes, by rank 0 (line 8), " +
			"which rank 0 receives at line 4, but first waits for a receive of tag 1, 2199023255552 bytes, by rank 1 (line 3): a cycle; " +
			"2 messages without a receive: rank 1 sends tag 2 to rank 0 (line 8), rank 0 sends tag 1 to rank 1 (line 3)"},
		{"a start is no wait", `num_ranks 2
rank 0 {
x: recv 8b from 1 tag 9
z: recv 8b from 1 tag 8
y: send 8b to 1 tag 5
y irequires x
y requires z
}
rank 1 {
w: recv 8b from 0 tag 5
a: send 8b to 1 tag 9
b: send 8b to 0 tag 9
c: send 8b to 0 tag 8
a requires w
b requires w
c requires w
}`, "the schedule cannot finish, 7 operations left: rank 0 waits for tag 9 from rank 1 (line 3), " +
			"which rank 1 sends at line 12, but first waits for tag 5 from rank 0 (line 10), " +
			"which rank 0 sends at line 5, but first waits for tag 8 from rank 1 (line 4), " +
			"which rank 1 sends at line 13, but first waits for tag 5 from rank 0 (line 10): a cycle; " +
			"3 receives without a message: rank 0 wants tag 9 from rank 1 (line 3), rank 0 wants tag 8 from rank 1 (line 4), rank 1 " +
			"wants tag 5 from rank 0 (line 10)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Run(mustRead(t, c.text), eager)
			var u *Unfinished
			if !errors.As(err, &u) || r == nil {
				t.Fatalf("got %v, want an Unfinished and a result", err)
			}
			if err.Error() != c.want {
				t.Errorf("got:  %v\nwant: %v", err, c.want)
			}
		})
	}
}
