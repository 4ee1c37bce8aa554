package papers

import (
	"bytes"
	"fmt"
)

// ReplacePart returns the page with another text in a part.
func ReplacePart(page []byte, name string, text []byte) ([]byte, error) {
	begin, end, err := partBounds(page, name)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{page[:begin], text, page[end:]}, nil), nil
}

// partBounds returns where the text of a part begins and ends.
func partBounds(page []byte, name string) (begin, end int, err error) {
	open, shut := []byte("<!-- "+name+" -->\n"), []byte("<!-- /"+name+" -->")
	i, j := bytes.Index(page, open), bytes.Index(page, shut)
	if i < 0 || j < i || bytes.Count(page, open) > 1 || bytes.Count(page, shut) > 1 {
		return 0, 0, fmt.Errorf("the page must have one part between %q and %q", bytes.TrimSpace(open), shut)
	}
	return i + len(open), j, nil
}
