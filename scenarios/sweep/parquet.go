package sweep

import (
	"io"

	"overlapsim/workloads/inputs/parquet"
)

// WriteParquet writes the rows as a Parquet file: the columns of WriteCSV, in
// its order.
func (t *Table) WriteParquet(w io.Writer) error {
	var columns []parquet.Column
	for _, c := range t.columns() {
		columns = append(columns, parquet.Column(*c))
	}
	return parquet.Write(w, "overlapsim", columns, t.Rows)
}
