package papers

import "testing"

const partedPage = "by hand\n<!-- a -->\nold\n<!-- /a -->\nmore\n<!-- b -->\n<!-- /b -->\n"

// A part is replaced, and nothing else.
func TestReplacePart(t *testing.T) {
	got, err := ReplacePart([]byte(partedPage), "b", []byte("new\n"))
	if want := "by hand\n<!-- a -->\nold\n<!-- /a -->\nmore\n<!-- b -->\nnew\n<!-- /b -->\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if text, err := partOf(got, "a"); err != nil || string(text) != "old\n" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestMistakesOfParts(t *testing.T) {
	for _, text := range []string{"", "<!-- a -->\n", "<!-- /a -->\n<!-- a -->\n", partedPage + "<!-- a -->\n<!-- /a -->\n"} {
		if _, err := ReplacePart([]byte(text), "a", nil); err == nil {
			t.Errorf("%q: no error", text)
		}
		if _, err := partOf([]byte(text), "a"); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// partOf returns what a part of a page of documentation holds that a program writes. It stands between
// <!-- NAME --> and <!-- /NAME -->; what stands outside is written by hand.
func partOf(page []byte, name string) ([]byte, error) {
	begin, end, err := partBounds(page, name)
	if err != nil {
		return nil, err
	}
	return page[begin:end], nil
}
