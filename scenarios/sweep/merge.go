package sweep

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"overlapsim/scenarios/report"
	"overlapsim/scenarios/wholefile"
)

// Names of the files that Merge writes into the directory.
const (
	CSVFile     = "results.csv"
	ParquetFile = "results.parquet"
	PageFile    = "report.html"
)

// Merge writes all results as CSV, Parquet and a page, and removes files that killed
// processes left behind. The same results give the same bytes.
func (d *Dir) Merge() (*Table, error) {
	t, err := d.Table()
	if err != nil {
		return nil, err
	}
	for _, out := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{CSVFile, t.WriteCSV},
		{ParquetFile, t.WriteParquet},
		{PageFile, func(w io.Writer) error { return report.Write(w, t.Page()) }},
	} {
		if err := wholefile.Write(d.file(out.name), out.write); err != nil {
			return nil, err
		}
	}
	return t, d.clean()
}

// clean removes files that were begun and never finished.
func (d *Dir) clean() error {
	for first := 0; first < len(d.Plan.Points); first += perFolder {
		folder := filepath.Dir(d.resultFile(first))
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				os.Remove(filepath.Join(folder, e.Name()))
			}
		}
	}
	return nil
}
