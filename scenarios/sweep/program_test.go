package sweep

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"overlapsim/scenarios/limited"
)

// program is the folder with the overlapsim that was built for these tests.
var program struct {
	once   sync.Once
	folder string
	err    error
}

// build builds overlapsim, once, and returns its path.
func build(t *testing.T) string {
	t.Helper()
	p := &program
	p.once.Do(func() {
		if p.folder, p.err = os.MkdirTemp("", "overlapsim"); p.err != nil {
			return
		}
		out, err := limited.Within(t, limited.Compiles, "go", "build", "-o", p.folder, "overlapsim/cmd/overlapsim").CombinedOutput()
		if err != nil {
			p.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if p.err != nil {
		t.Fatal(p.err)
	}
	return filepath.Join(p.folder, "overlapsim")
}
