package keys

import "testing"

// The YAML that a node writes reads as the same node, regardless of what its texts contain.
func TestStringIsRead(t *testing.T) {
	for _, text := range []string{`{a: "what if: yes, no", b: ["x # y", "[1]", plain, 3us], c: {d: "say \"so\""}}`, `{a: 1, b: [4, 1, 1]}`} {
		var problems Problems
		first := ReadText("f", []byte(text), &problems)
		again := ReadText("f", []byte(first.String()), &problems)
		if len(problems) > 0 || again.String() != first.String() || again.At("a").Text != first.At("a").Text {
			t.Errorf("%s: wrote %s, read %s, %v", text, first, again, problems)
		}
	}
}
