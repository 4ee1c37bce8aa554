package disk

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write writes a file that appears whole or not at all, even after a power failure: it
// writes a temporary file next to the place, and then renames it. A file that is replaced keeps its
// permissions. Temporary files in the folder that killed processes left are removed.
func Write(path string, content func(io.Writer) error) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	return WriteIn(root, filepath.Base(path), content)
}

// WriteIn is Write of a file in a root. No name and no link leads out of it.
func WriteIn(root *os.Root, name string, content func(io.Writer) error) error {
	Tidy(root, filepath.Dir(name))
	return place(root, name, content, synced, func(t *temporary) error {
		return errors.Join(root.Rename(t.name, name), syncFolder(root, filepath.Dir(name)))
	})
}

// StoreIn writes a file in a root that appears whole or not at all. After a power failure
// it may be damaged, so its reader must be able to tell. It is for many small files.
func StoreIn(root *os.Root, name string, text []byte) error {
	return place(root, name, bytesOf(text), func(*os.File) error { return nil }, func(t *temporary) error {
		return root.Rename(t.name, name)
	})
}

// CreateIn writes a file as WriteIn does, unless it exists: then the error is fs.ErrExist.
// On a file system without links the last one to write wins.
func CreateIn(root *os.Root, name string, text []byte) error {
	return place(root, name, bytesOf(text), synced, func(t *temporary) error {
		err := root.Link(t.name, name)
		if errors.Is(err, fs.ErrExist) {
			return err
		}
		if err != nil {
			err = root.Rename(t.name, name)
		}
		return errors.Join(err, syncFolder(root, filepath.Dir(name)))
	})
}

func bytesOf(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(text))
		return err
	}
}

// place fills a temporary file next to the place, and gives it its name.
func place(root *os.Root, name string, content func(io.Writer) error, sync func(*os.File) error, finish func(*temporary) error) error {
	t, err := create(root, name)
	if err != nil {
		return err
	}
	defer t.discard()
	buffer := bufio.NewWriter(t)
	if err := content(buffer); err != nil {
		return err
	}
	err = buffer.Flush()
	if t.old != nil {
		resemble(t.File, t.old)
	}
	if err := errors.Join(err, sync(t.File), t.Close()); err != nil {
		return err
	}
	return finish(t)
}

// Try reports why no file could be written at a path.
func Try(path string) error {
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer root.Close()
	t, err := create(root, filepath.Base(path))
	if err == nil {
		t.discard()
	}
	return err
}

// Fill writes the content to a file that is written in place, such as a pipe, and closes
// it.
func Fill(f *os.File, content func(io.Writer) error) error {
	buffer := bufio.NewWriter(f)
	err := content(buffer)
	if err == nil {
		err = buffer.Flush()
	}
	return errors.Join(err, f.Close())
}
