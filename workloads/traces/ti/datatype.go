package ti

// elementType is a type of elements as a trace numbers it.
type elementType struct {
	Name  string
	Bytes int64 // of an element, on a 64-bit Linux
}

// datatypes are the types by their numbers.
var datatypes = []elementType{
	{"MPI_DOUBLE", 8}, {"MPI_INT", 4}, {"MPI_CHAR", 1}, {"MPI_SHORT", 2}, {"MPI_LONG", 8}, {"MPI_FLOAT", 4}, {"MPI_BYTE", 1},
	{"MPI_LONG_LONG", 8}, {"MPI_SIGNED_CHAR", 1}, {"MPI_UNSIGNED_CHAR", 1}, {"MPI_UNSIGNED_SHORT", 2}, {"MPI_UNSIGNED", 4},
	{"MPI_UNSIGNED_LONG", 8}, {"MPI_UNSIGNED_LONG_LONG", 8}, {"MPI_LONG_DOUBLE", 16}, {"MPI_WCHAR", 4}, {"MPI_C_BOOL", 1},
	{"MPI_INT8_T", 1}, {"MPI_INT16_T", 2}, {"MPI_INT32_T", 4}, {"MPI_INT64_T", 8}, {"MPI_UINT8_T", 1}, {"MPI_UINT16_T", 2},
	{"MPI_UINT32_T", 4}, {"MPI_UINT64_T", 8},
}

// The default types.
const (
	typeDouble = 0
	typeByte   = 6
)
