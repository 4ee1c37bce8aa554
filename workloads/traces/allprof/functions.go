package allprof

import (
	"strings"

	"overlapsim/workloads/traces"
)

// function is a function of MPI that is followed: its arguments, and what it does.
type function struct {
	takes []string
	do    func(c *converter)
}

// takes lists arguments. Those that end in * may be followed by their list.
func takes(list string) []string { return strings.Fields(list) }

// Arguments of messages.
var (
	sends    = takes("buf count type dest tag comm")
	started  = takes("buf count type dest tag comm request")
	receives = takes("buf count type source tag comm status")
	posted   = takes("buf count type source tag comm request")
)

var functions = map[string]function{
	"MPI_Send": {sends, message(traces.Send)}, "MPI_Rsend": {sends, message(traces.Send)},
	"MPI_Bsend": {sends, message(traces.Send)}, "MPI_Ssend": {sends, message(traces.Send)},
	"MPI_Recv":  {receives, message(traces.Recv)},
	"MPI_Isend": {started, message(traces.Isend)}, "MPI_Irsend": {started, message(traces.Isend)},
	"MPI_Ibsend": {started, message(traces.Isend)}, "MPI_Issend": {started, message(traces.Isend)},
	"MPI_Irecv":     {posted, message(traces.Irecv)},
	"MPI_Send_init": {started, persistent(message(traces.Isend))}, "MPI_Rsend_init": {started, persistent(message(traces.Isend))},
	"MPI_Bsend_init": {started, persistent(message(traces.Isend))},
	"MPI_Ssend_init": {started, persistent(message(traces.Isend))}, "MPI_Recv_init": {posted, persistent(message(traces.Irecv))},
	"MPI_Sendrecv":         {takes("buf count type dest tag rbuf rcount rtype source rtag comm status"), (*converter).exchange},
	"MPI_Sendrecv_replace": {takes("buf count type dest tag source rtag comm status"), (*converter).exchange},
	"MPI_Start":            {takes("request"), (*converter).start}, "MPI_Startall": {takes("n request"), (*converter).start},
	"MPI_Wait": {takes("request status"), (*converter).wait}, "MPI_Waitall": {takes("n request statuses"), (*converter).wait},
	"MPI_Test": {takes("request flag status"), (*converter).test}, "MPI_Testall": {takes("n request flag statuses"), (*converter).test},
	"MPI_Testany":      {takes("n request index flag status"), (*converter).test},
	"MPI_Testsome":     {takes("n request out indices statuses"), (*converter).test},
	"MPI_Waitany":      {takes("n request index status"), (*converter).waitSome},
	"MPI_Waitsome":     {takes("n request out indices statuses"), (*converter).waitSome},
	"MPI_Request_free": {takes("request"), (*converter).free},
	"MPI_Probe":        {takes("source tag comm status"), (*converter).probe},
	"MPI_Iprobe":       {takes("source tag comm flag status"), (*converter).test},

	"MPI_Barrier": {takes("comm"), (*converter).collective}, "MPI_Bcast": {takes("buf count type root comm"), (*converter).collective},
	"MPI_Reduce":    {takes("buf rbuf count type op root comm"), (*converter).collective},
	"MPI_Allreduce": {takes("buf rbuf count type op comm"), (*converter).collective},
	"MPI_Scan":      {takes("buf rbuf count type op comm"), (*converter).collective}, "MPI_Exscan": {takes("buf rbuf count type op comm"), (*converter).collective},
	"MPI_Gather":         {takes("buf count type rbuf rcount rtype root comm"), (*converter).collective},
	"MPI_Scatter":        {takes("buf count type rbuf rcount rtype root comm"), (*converter).collective},
	"MPI_Allgather":      {takes("buf count type rbuf rcount rtype comm"), (*converter).collective},
	"MPI_Alltoall":       {takes("buf count type rbuf rcount rtype comm"), (*converter).collective},
	"MPI_Gatherv":        {takes("buf count type rbuf rcounts* displs* rtype root comm"), (*converter).collective},
	"MPI_Scatterv":       {takes("buf counts* displs* type rbuf rcount rtype root comm"), (*converter).collective},
	"MPI_Allgatherv":     {takes("buf count type rbuf rcounts* displs* rtype comm"), (*converter).collective},
	"MPI_Alltoallv":      {takes("buf counts* displs* type rbuf rcounts* rdispls* rtype comm"), (*converter).collective},
	"MPI_Reduce_scatter": {takes("buf rbuf rcounts* type op comm"), (*converter).collective},

	"MPI_Ibarrier": {takes("comm request"), (*converter).collective}, "MPI_Ibcast": {takes("buf count type root comm request"), (*converter).collective},
	"MPI_Ireduce":    {takes("buf rbuf count type op root comm request"), (*converter).collective},
	"MPI_Iallreduce": {takes("buf rbuf count type op comm request"), (*converter).collective},
	"MPI_Igather":    {takes("buf count type rbuf rcount rtype root comm request"), (*converter).collective},
	"MPI_Iscatter":   {takes("buf count type rbuf rcount rtype root comm request"), (*converter).collective},
	"MPI_Iallgather": {takes("buf count type rbuf rcount rtype comm request"), (*converter).collective},
	"MPI_Ialltoall":  {takes("buf count type rbuf rcount rtype comm request"), (*converter).collective},

	"MPI_Comm_dup": {takes("comm new"), (*converter).makes}, "MPI_Comm_create": {takes("comm group new"), (*converter).makes},
	"MPI_Comm_split":  {takes("comm color key new"), (*converter).splits},
	"MPI_Cart_create": {takes("comm ndims dims periods reorder new"), (*converter).makes},
	"MPI_Cart_sub":    {takes("comm dims new"), (*converter).makes},
}

// harmless are beginnings of the names of functions that send nothing. Their time is computation.
var harmless = strings.Fields(`MPI_Init MPI_Finalize MPI_Type_ MPI_Op_ MPI_Group_ MPI_Info_ MPI_Err MPI_Attr_ MPI_Keyval_ MPI_Get_ MPI_Comm_rank
	MPI_Comm_size MPI_Comm_free MPI_Comm_group MPI_Comm_compare MPI_Comm_get_ MPI_Comm_set_ MPI_Comm_test_inter MPI_Comm_delete_ MPI_Comm_create_
	MPI_Comm_free_ MPI_Comm_remote_ MPI_Comm_call_ MPI_Cart_ MPI_Cartdim_ MPI_Graph_get MPI_Graphdims_ MPI_Graph_neighbors MPI_Graph_map MPI_Dims_
	MPI_Topo_ MPI_Wti MPI_Pack MPI_Unpack MPI_Address MPI_Buffer_ MPI_Pcontrol MPI_Status_ MPI_Alloc_ MPI_Free_ MPI_File_ MPI_Query_ MPI_Is_
	MPI_Add_ MPI_Test_cancelled MPI_Win_get_ MPI_Win_set_ MPI_T_`)

// isHarmless tells whether a function that is not followed sends nothing.
func isHarmless(name string) bool {
	for _, begin := range harmless {
		if strings.HasPrefix(name, begin) && name != "MPI_Comm_create_group" {
			return true
		}
	}
	return false
}
