//go:build unix

package limited

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// told is a test that is told of its failure.
type told struct {
	testing.TB
	said string
}

func (t *told) Errorf(format string, args ...any) { t.said += fmt.Sprintf(format, args...) }

// A process that hangs fails its test, which learns what hangs and where.
func TestHanging(t *testing.T) {
	if os.Getenv("LIMITED_HANGS") != "" {
		time.Sleep(time.Hour)
	}
	for limit := time.Second; ; limit *= 2 { // until it is long enough for the process to get there
		own := &told{TB: t}
		c := Within(own, limit, os.Args[0], "-test.run=TestHanging$")
		c.Env = append(os.Environ(), "LIMITED_HANGS=yes")
		out, err := c.CombinedOutput()
		want := fmt.Sprintf(`"-test.run=TestHanging$"] hangs: it has not ended in %v`, limit)
		if err == nil || !strings.Contains(own.said, want) {
			t.Fatalf("error %v, said %q", err, own.said)
		}
		if strings.Contains(string(out), "limited.TestHanging(") {
			return
		} else if limit > usual {
			t.Fatalf("the process said %s", out)
		}
	}
}

// Every process of a test has a limit, or is a child of the program that the test ends.
func TestEveryProcessIsLimited(t *testing.T) {
	files := 0
	err := filepath.WalkDir("../..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "scenarios/child/child_test.go") {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "exec.Command"+"(") || strings.Contains(string(text), "exec.CommandContext"+"(") {
			t.Errorf("%s starts a process without limited.Command", path)
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("%d files, %v", files, err)
	}
}

// A process that ends is one of exec.Command.
func TestEnding(t *testing.T) {
	out, err := Command(t, "sh", "-c", "echo out; exit 3").Output()
	if err == nil || err.Error() != "exit status 3" || string(out) != "out\n" {
		t.Errorf("error %v, out %q", err, out)
	}
}
