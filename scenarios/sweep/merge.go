package sweep

import (
	"io"
	"path/filepath"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/report"
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
		if err := disk.WriteIn(d.root, out.name, out.write); err != nil {
			return nil, err
		}
	}
	d.clean()
	return t, nil
}

// clean removes files that were begun and never finished.
func (d *Dir) clean() {
	for first := 0; first < len(d.Plan.Points); first += perFolder {
		disk.Tidy(d.root, filepath.Dir(resultFile(first)))
	}
	disk.Tidy(d.root, "input")
}
