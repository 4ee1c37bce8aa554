// Package docpage keeps the parts of a page of documentation that programs write. A part
// stands between <!-- NAME --> and <!-- /NAME -->; what stands outside is written by hand.
package docpage

import (
	"bytes"
	"fmt"
)

// Part returns what a part holds.
func Part(page []byte, name string) ([]byte, error) {
	begin, end, err := bounds(page, name)
	if err != nil {
		return nil, err
	}
	return page[begin:end], nil
}

// Replace returns the page with another text in a part.
func Replace(page []byte, name string, text []byte) ([]byte, error) {
	begin, end, err := bounds(page, name)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{page[:begin], text, page[end:]}, nil), nil
}

// bounds returns where the text of a part begins and ends.
func bounds(page []byte, name string) (begin, end int, err error) {
	open, shut := []byte("<!-- "+name+" -->\n"), []byte("<!-- /"+name+" -->")
	i, j := bytes.Index(page, open), bytes.Index(page, shut)
	if i < 0 || j < i || bytes.Count(page, open) > 1 || bytes.Count(page, shut) > 1 {
		return 0, 0, fmt.Errorf("the page must have one part between %q and %q", bytes.TrimSpace(open), shut)
	}
	return i + len(open), j, nil
}
