package disk

import (
	"fmt"
	"io/fs"
	"os"
)

// Scratch passes an empty folder to do, and removes it afterwards. Those that killed
// processes left are removed too.
func Scratch(do func(root *os.Root) error) error {
	s, err := newScratch()
	if err != nil {
		return err
	}
	defer s.close()
	return do(s.folder)
}

// scratch is a scratch folder.
type scratch struct {
	all, folder *os.Root // the folder of all of them, and this folder
	*temporary
}

// newScratch makes an empty folder, and removes those that killed processes left.
func newScratch() (*scratch, error) {
	all, err := os.OpenRoot(os.TempDir())
	if err != nil {
		return nil, err
	}
	tidy(all, ".", func(e fs.DirEntry) bool { return scratches.is(e.Name()) && e.IsDir() })
	t, err := createFolder(all)
	if err != nil {
		all.Close()
		return nil, err
	}
	folder, err := all.OpenRoot(t.name)
	if err == nil {
		return &scratch{all, folder, t}, nil
	}
	t.discard()
	all.Close()
	if os.IsNotExist(err) {
		return newScratch() // another process took it for a left one, before its lock
	}
	return nil, err
}

// createFolder makes an empty temporary folder in the root of all temporary folders.
func createFolder(root *os.Root) (*temporary, error) {
	open.Lock()
	defer open.Unlock()
	open.made++
	name := scratches.name(open.made)
	if err := root.Mkdir(name, 0o700); err != nil {
		return nil, err
	}
	t := &temporary{root: root, name: name, lock: hold(root, name)}
	t.note()
	return t, nil
}

// close removes the folder.
func (s *scratch) close() {
	s.folder.Close()
	s.discard()
	s.all.Close()
}

// Spills are files for what does not fit into memory, in a scratch folder that is made with the first one.
type Spills struct {
	scratch *scratch
	files   []*os.File
}

// New makes an empty file, to be written and read.
func (s *Spills) New() (*os.File, error) {
	if s.scratch == nil {
		made, err := newScratch()
		if err != nil {
			return nil, err
		}
		s.scratch = made
	}
	f, err := s.scratch.folder.OpenFile(fmt.Sprint(len(s.files)+1), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		s.files = append(s.files, f)
	}
	return f, err
}

// Close removes the files.
func (s *Spills) Close() {
	for _, f := range s.files {
		f.Close()
	}
	if s.scratch != nil {
		s.scratch.close()
	}
	*s = Spills{}
}
