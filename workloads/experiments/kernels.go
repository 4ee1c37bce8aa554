package experiments

// Class is a class of kernels of a training step.
type Class uint8

// The classes.
const (
	Products Class = iota
	Attention
	ElementWise
	Optimizer
	NumClasses
)

func (c Class) String() string {
	return [NumClasses]string{"products", "attention", "element-wise kernels", "optimizer"}[c]
}

// Steps is what the GPU of a rank did in the whole steps of a trace. Times are in seconds, sums over the steps.
type Steps struct {
	File        string
	Rank, World int // -1 and 0: the trace does not say
	Number      int // of steps; 0: the trace does not say where steps begin
	Kernels     [NumClasses]ClassTime
	Collectives []CollectiveTime
}

// ClassTime is what kernels of a class took.
type ClassTime struct {
	Count int
	Time  float64 // kernels next to collectives count as kernels of the same name and grid that ran alone, if there are any
	// Beside is the part of Time of kernels that ran next to a collective in each of their runs.
	Beside float64
}

// CollectiveTime is what the collectives of an operation took in a group of a size.
type CollectiveTime struct {
	Operation string
	Members   int // 0: not known
	Count     int
	Time      float64
}

// ReadSteps reads the steps of traces of GPUs, one for each rank that was traced. The package that knows traces sets it.
var ReadSteps func(path string) ([]Steps, error)
