package sweep

import (
	"fmt"
	"slices"
	"testing"
)

// flatten lists the numbers and texts of a JSON object.
func flatten(object string) (all []string) {
	values([]byte(object), func(name string, v value) { all = append(all, fmt.Sprint(name, v)) })
	return all
}

// Numbers and texts come in their order; lists, truths and null are omitted. Of a text that is cut short anywhere come the first ones.
func TestFlatten(t *testing.T) {
	const object = `{"b":1, "a":{"x_s":2e-3,"list":[{"y":4},[]],"é\"":"t","none":null,"in":{"z":-5}},"":{},"flag":true,"end":"1"}`
	want := []string{"b{1 }", "a.x_s{0.002 }", `a.é"{0 t}`, "a.in.z{-5 }", "end{0 1}"}
	got := flatten(object)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for cut := range object {
		for _, rest := range []string{"", "}", "]", `"`, ",", ":1", "\x01"} {
			if some := flatten(object[:cut] + rest); len(some) > len(want) || !slices.Equal(some[:max(0, len(some)-1)], want[:max(0, len(some)-1)]) {
				t.Errorf("%s%s: %q", object[:cut], rest, some)
			}
		}
	}
	for _, text := range []string{"", "3", "[{}]", "null"} {
		if got := flatten(text); len(got) > 0 {
			t.Errorf("%s: %v", text, got)
		}
	}
}
