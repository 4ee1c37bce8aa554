package docpage

import "testing"

const page = "by hand\n<!-- a -->\nold\n<!-- /a -->\nmore\n<!-- b -->\n<!-- /b -->\n"

// A part is replaced, and nothing else.
func TestReplace(t *testing.T) {
	got, err := Replace([]byte(page), "b", []byte("new\n"))
	if want := "by hand\n<!-- a -->\nold\n<!-- /a -->\nmore\n<!-- b -->\nnew\n<!-- /b -->\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if text, err := Part(got, "a"); err != nil || string(text) != "old\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestMistakes(t *testing.T) {
	for _, text := range []string{"", "<!-- a -->\n", "<!-- /a -->\n<!-- a -->\n", page + "<!-- a -->\n<!-- /a -->\n"} {
		if _, err := Replace([]byte(text), "a", nil); err == nil {
			t.Errorf("%q: no error", text)
		}
		if _, err := Part([]byte(text), "a"); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}
