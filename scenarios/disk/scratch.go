package disk

import (
	"os"
	"path/filepath"
)

// scratches is what the names of scratch folders begin with.
const scratches = "overlapsim-scratch-"

// Scratch passes an empty folder to do, and removes it afterwards. Those that killed
// processes left are removed too.
func Scratch(do func(root *os.Root) error) error {
	all, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return err
	}
	defer all.Close()
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), scratches+"*"))
	for _, path := range left {
		removeLeft(all, filepath.Base(path))
	}
	folder, err := os.MkdirTemp("", scratches)
	if err != nil {
		return err
	}
	t := &temporary{root: all, name: filepath.Base(folder), lock: hold(all, filepath.Base(folder))}
	t.begin()
	defer t.discard()
	root, err := os.OpenRoot(folder)
	if os.IsNotExist(err) {
		return Scratch(do) // another process took it for a left one, before its lock
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return do(root)
}
