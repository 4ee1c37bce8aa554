package sweep

import (
	"io"
	"math"
	"reflect"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// WriteParquet writes the rows as a Parquet file: the columns of WriteCSV, in
// its order, each optional, numbers as DOUBLE and texts as UTF-8. The metadata
// hold the unit of a column that has one as unit:COLUMN.
func (t *Table) WriteParquet(w io.Writer) error {
	columns := t.columns()
	options := []parquet.WriterOption{schema(columns), parquet.Compression(&parquet.Zstd), parquet.CreatedBy("overlapsim", "", "")}
	for _, c := range columns {
		if c.Unit != "" {
			options = append(options, parquet.KeyValueMetadata("unit:"+c.Name, c.Unit))
		}
	}
	out := parquet.NewGenericWriter[any](w, options...)
	line := make(parquet.Row, len(columns))
	for row := range t.Rows {
		for i, c := range columns {
			line[i] = c.parquet(row, i)
		}
		if _, err := out.WriteRows([]parquet.Row{line}); err != nil {
			return err
		}
	}
	return out.Close()
}

// parquet returns an entry of the i-th column.
func (c *Column) parquet(row, i int) parquet.Value {
	if c.Texts != nil {
		if c.Texts[row] == "" {
			return parquet.NullValue().Level(0, 0, i)
		}
		return parquet.ValueOf(c.Texts[row]).Level(0, 1, i)
	}
	if math.IsNaN(c.Numbers[row]) {
		return parquet.NullValue().Level(0, 0, i)
	}
	return parquet.DoubleValue(c.Numbers[row]).Level(0, 1, i)
}

// schema makes the schema of a struct type made for it: a parquet.Group would
// sort the columns by name.
func schema(columns []*Column) *parquet.Schema {
	var fields []reflect.StructField
	for i, c := range columns {
		kind := reflect.TypeFor[float64]()
		if c.Texts != nil {
			kind = reflect.TypeFor[string]()
		}
		fields = append(fields, reflect.StructField{
			Name: "C" + strconv.Itoa(i), Type: kind,
			Tag: reflect.StructTag(`parquet:` + strconv.Quote(c.Name+",optional")),
		})
	}
	return parquet.SchemaOf(reflect.New(reflect.StructOf(fields)).Interface())
}
