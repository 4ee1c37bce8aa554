package disk

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Process is a name of this process, unique among all processes that may share a folder, in any
// container: host and process number alone repeat there.
var Process = fmt.Sprintf("%s-%d-%s", host(), os.Getpid(), mark)

var mark = fmt.Sprintf("%016x", rand.Uint64())

// host is the name of the machine as a part of a file name.
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "host"
	}
	return strings.Map(func(r rune) rune {
		if r == '/' || r == os.PathSeparator {
			return '_'
		}
		return r
	}, name)
}

// A kind of temporary is what its names begin with.
type kind string

const (
	unfinished kind = ".overlapsim-"        // a file, next to the one that it becomes
	scratches  kind = "overlapsim-scratch-" // a folder, in the folder of temporary files
)

// name is the name of the temporary of a number in this process. It ends in a checksum, so that no one
// else gives such a name to a file by chance.
func (k kind) name(number int) string {
	begin := fmt.Sprintf("%s%s-%d", k, mark, number)
	return begin + "-" + checksum(begin)
}

// is tells whether a name is of this kind, of any process.
func (k kind) is(name string) bool {
	of, found := strings.CutPrefix(name, string(k))
	at := strings.LastIndexByte(name, '-')
	return found && strings.Count(of, "-") == 2 && name[at+1:] == checksum(name[:at])
}

func checksum(name string) string {
	sum := fnv.New64a()
	sum.Write([]byte("a temporary of overlapsim: " + name))
	return fmt.Sprintf("%016x", sum.Sum64())
}

// temporary is a file that is not finished, or a folder. It is locked while its process lives, so that
// another process knows whether it may remove it.
type temporary struct {
	*os.File // nil: a folder
	root     *os.Root
	name     string      // in the root
	lock     *os.File    // nil: the file system has no locks
	old      fs.FileInfo // the file whose name it will get; nil: there is none
}

// open holds the temporary files of this process.
var open struct {
	sync.Mutex
	made  int
	files map[*temporary]bool
}

// create makes an empty temporary file, which will get a name of the root.
func create(root *os.Root, finally string) (*temporary, error) {
	for {
		t, err := tryCreate(root, finally)
		if err != nil || t != nil {
			return t, err
		}
	}
}

// tryCreate returns nil if another process took the file for a left one and removed it,
// between its creation and its lock.
func tryCreate(root *os.Root, finally string) (*temporary, error) {
	open.Lock()
	defer open.Unlock()
	open.made++
	name := filepath.Join(filepath.Dir(finally), unfinished.name(open.made))
	permissions := fs.FileMode(0o666)
	old, err := root.Lstat(finally)
	if err != nil || !old.Mode().IsRegular() {
		old = nil
	} else {
		permissions = 0o600 // until it is complete and gets the permissions of the old file
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, permissions)
	if err != nil {
		return nil, err
	}
	t := &temporary{f, root, name, hold(root, name), old}
	if _, err := root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		t.close()
		return nil, nil
	}
	t.note()
	return t, nil
}

// note notes that there is a temporary file. The lock is held since before there is.
func (t *temporary) note() {
	if open.files == nil {
		open.files = map[*temporary]bool{}
	}
	open.files[t] = true
}

func (t *temporary) close() {
	if t.File != nil {
		t.Close() // again, where it was closed after its content
	}
	if t.lock != nil {
		t.lock.Close()
	}
}

// discard ends the file, and removes it unless it was renamed.
func (t *temporary) discard() {
	t.root.RemoveAll(t.name)
	t.close()
	open.Lock()
	defer open.Unlock()
	delete(open.files, t)
}

// Abandon removes all temporary files of this process, which is about to end. No new ones
// can begin: who tries to waits for the end. It may be called again, and by several at a time.
var Abandon = sync.OnceFunc(func() {
	open.Lock()
	for t := range open.files {
		t.root.RemoveAll(t.name)
	}
})

// Tidy removes the temporary files in a folder of the root whose processes ended without
// removing them.
func Tidy(root *os.Root, folder string) {
	tidy(root, folder, func(e fs.DirEntry) bool { return unfinished.is(e.Name()) && e.Type().IsRegular() })
}

// tidy removes what is left in a folder of the root, of its entries that may be temporary.
func tidy(root *os.Root, folder string, temporary func(fs.DirEntry) bool) {
	f, err := root.Open(folder)
	if err != nil {
		return
	}
	defer f.Close()
	entries, _ := f.ReadDir(-1)
	for _, e := range entries {
		if temporary(e) {
			removeLeft(root, filepath.Join(folder, e.Name()))
		}
	}
}

// Whole does something that makes temporary files of a library: the process does not end by a signal before they are removed.
func Whole(do func()) {
	open.Lock()
	defer open.Unlock()
	do()
}
