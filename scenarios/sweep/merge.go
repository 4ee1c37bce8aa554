package sweep

import (
	"io"

	"overlapsim/scenarios/disk"
	"overlapsim/scenarios/report"
)

// Names of the files that Merge writes into the directory.
const (
	CSVFile     = "results.csv"
	ParquetFile = "results.parquet"
	PageFile    = "report.html"
)

// Merge writes all results as CSV, Parquet and a page, and removes copies of input that killed
// processes left unfinished. The same results give the same bytes.
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
	disk.Tidy(d.root, "input")
	return t, nil
}
