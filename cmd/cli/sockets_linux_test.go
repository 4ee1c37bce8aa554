package cli

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"overlapsim/scenarios/limited"
	"overlapsim/sim/must"
)

func init() {
	offline = "overlapsim-offline"
	processes[offline] = func() {
		forbidSockets() // without a filter it is the program as it is
		Main()
	}
	processes["dial"] = func() {
		if err := forbidSockets(); err != nil {
			fmt.Println(err)
			os.Exit(failed)
		}
		net.Dial("tcp", "127.0.0.1:1")
	}
}

// calls are the numbers of the system calls that set a filter of them and that open a socket, by
// architecture.
var calls = map[string]struct{ seccomp, socket uint32 }{"amd64": {317, 41}, "arm64": {277, 198}}

// forbidSockets lets the system end this process when any of its threads, or a process that it
// starts, opens a socket.
func forbidSockets() error {
	const (
		noNewPrivileges       = 38
		setFilter, allThreads = 1, 1
		endProcess, allow     = 0x80000000, 0x7fff0000
	)
	number, known := calls[runtime.GOARCH]
	if !known {
		return syscall.ENOSYS
	}
	filter := []syscall.SockFilter{
		{Code: syscall.BPF_LD | syscall.BPF_W | syscall.BPF_ABS, K: 0}, // the number of the call
		{Code: syscall.BPF_JMP | syscall.BPF_JEQ | syscall.BPF_K, K: number.socket, Jt: 0, Jf: 1},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: endProcess},
		{Code: syscall.BPF_RET | syscall.BPF_K, K: allow},
	}
	all := syscall.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewPrivileges, 1, 0, 0, 0, 0); err != 0 {
		return err
	}
	if _, _, err := syscall.RawSyscall(uintptr(number.seccomp), setFilter, allThreads, uintptr(unsafe.Pointer(&all))); err != 0 {
		return err
	}
	return nil
}

// Commands open no socket, regardless of what is linked into the program: here those that write pages, many
// points and schedules, in TestHelp every command's example. The filter ends a program that opens
// one.
func TestNoSockets(t *testing.T) {
	path := must.Get(exec.LookPath("dial"))(t)
	if out, err := limited.Command(t, path).CombinedOutput(); err == nil {
		t.Fatal("a program may open a socket, so nothing is tested")
	} else if len(out) > 0 {
		t.Skipf("no filter of system calls here: %s", out)
	}
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"run", "fig22-initiation", "--html", "r.html", "--gradient", "--trace", "t.json", "--figure", "f.pdf"},
		{"sweep", "fig22-initiation", "--vary", "machine.network.latency=1us,2us", "--out", "s", "--html", "s.html"},
		{"compare", "fig22-initiation", "fig20-computation", "--html", "c.html"},
		{"calibrate", "--machine", "loggp", "--html", "m.html"},
	} {
		if _, errs, status := callOffline(t, args...); status != done {
			t.Errorf("%v: status %d, %s", args, status, errs)
		}
	}
}
