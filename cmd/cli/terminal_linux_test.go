package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// terminal opens a pseudo-terminal: what is written to the one end is read from the
// other.
func terminal(t *testing.T) (shown, screen *os.File) {
	t.Helper()
	shown, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { shown.Close() })
	var number, locked uint32
	for request, to := range map[uintptr]*uint32{syscall.TIOCGPTN: &number, syscall.TIOCSPTLCK: &locked} {
		if _, _, wrong := syscall.Syscall(syscall.SYS_IOCTL, shown.Fd(), request, uintptr(unsafe.Pointer(to))); wrong != 0 {
			t.Skip("no terminals here: ", wrong)
		}
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	return shown, screen
}

// On a terminal a gradient shows the results of the one run before it runs anything else, reports
// its progress, and ends with the ranges.
func TestGradientShowsFirstResultsAtOnce(t *testing.T) {
	shown, screen := terminal(t)
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(shown) // ends with an error when the other end is closed
		text <- string(all)
	}()
	status := Run([]string{"gradient", "fig22-initiation"}, screen, screen)
	screen.Close()
	got := <-text
	at := 0
	for _, want := range []string{"Critical path", "elasticity", "0.8276", "[1/3] ", "[3/3] ", "How far that holds", "network.gap_per_byte"} {
		next := strings.Index(got[at:], want)
		if next < 0 {
			t.Fatalf("status %d, no %q after %q", status, want, got[:at])
		}
		at += next
	}
}

// On a terminal, titles are bold and no line is wider than the terminal.
func TestTerminalIsFitted(t *testing.T) {
	t.Setenv("COLUMNS", "")
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	for _, columns := range []uint16{80, 120} {
		shown, screen := terminal(t)
		size := [4]uint16{40, columns}
		if _, _, wrong := syscall.Syscall(syscall.SYS_IOCTL, screen.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); wrong != 0 {
			t.Fatal(wrong)
		}
		text := make(chan string)
		go func() {
			all, _ := io.ReadAll(shown)
			text <- string(all)
		}()
		Run([]string{"run", "halo-libraries"}, screen, io.Discard)
		screen.Close()
		got := <-text
		if !strings.Contains(got, bold+"What the ranks were doing (share of the mean wall time)"+normal) {
			t.Errorf("%d columns: nothing is bold in %q", columns, got)
		}
		widest := 0
		for _, line := range strings.Split(strings.NewReplacer(bold, "", normal, "", "\r", "").Replace(got), "\n") {
			widest = max(widest, runes(line))
		}
		if widest > int(columns) || widest < int(columns)-20 {
			t.Errorf("%d columns: the widest line has %d", columns, widest)
		}
	}
}
