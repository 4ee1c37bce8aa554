//go:build !unix

package disk

import (
	"io/fs"
	"os"
)

// hold returns nil: there are no locks.
func hold(*os.Root, string) *os.File { return nil }

// removeLeft leaves the file: whether its process lives is not known.
func removeLeft(*os.Root, string) {}

// syncFolder does nothing: folders cannot be synchronised.
func syncFolder(*os.Root, string) error { return nil }

func synced(f *os.File) error { return f.Sync() }

// resemble keeps the permissions of the folder: there are no others.
func resemble(*os.File, fs.FileInfo) {}
