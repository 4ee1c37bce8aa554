package dumpi

import (
	"strings"
	"sync"
)

// function is what is known of a function: its name, and its arguments in the order of the
// file.
type function struct {
	Name      string
	Arguments []argument
}

// argument is the name and the form of an argument.
type argument struct {
	Name string
	Form form
}

// form is how an argument is written.
type form byte

// The forms.
const (
	formInt32    form = 'i'
	formInt16    form = 'h' // handles: communicators, datatypes, groups
	formInt8     form = 'b'
	formList32   form = 'I' // a length of 32 bits, and as many numbers of 32 bits
	formList16   form = 'H'
	formLists32  form = 'J' // a length, and as many lists
	formText     form = 'T' // a length of 32 bits, and as many bytes
	formTexts    form = 'V' // a length, and as many texts
	formStatuses form = 's' // if the mask of the call says so: a length, and as many of them
	formAtRoot   form = '?' // the arguments between two of these, or after one, are present if the rank is the root
)

// functions are the functions by number.
var functions = sync.OnceValue(func() []function { return table(signatures) })

// signatures are the arguments by the number of the function. A colon and a form follow each name;
// the default is 32 bits.
var signatures = []string{
	"Send count datatype:h dest tag comm:h",
	"Recv count datatype:h source tag comm:h status:s",
	"Get_count status:s datatype:h count",
	"Bsend count datatype:h dest tag comm:h",
	"Ssend count datatype:h dest tag comm:h",
	"Rsend count datatype:h dest tag comm:h",
	"Buffer_attach size",
	"Buffer_detach size",
	"Isend count datatype:h dest tag comm:h request",
	"Ibsend count datatype:h dest tag comm:h request",
	"Issend count datatype:h dest tag comm:h request",
	"Irsend count datatype:h dest tag comm:h request",
	"Irecv count datatype:h source tag comm:h request",
	"Wait request status:s",
	"Test request flag status:s",
	"Request_free request",
	"Waitany count requests:I index status:s",
	"Testany count requests:I index flag status:s",
	"Waitall count requests:I statuses:s",
	"Testall count requests:I flag statuses:s",
	"Waitsome count requests:I outcount indices:I statuses:s",
	"Testsome count requests:I outcount indices:I statuses:s",
	"Iprobe source tag comm:h flag status:s",
	"Probe source tag comm:h status:s",
	"Cancel request",
	"Test_cancelled status:s cancelled",
	"Send_init count datatype:h dest tag comm:h request",
	"Bsend_init count datatype:h dest tag comm:h request",
	"Ssend_init count datatype:h dest tag comm:h request",
	"Rsend_init count datatype:h dest tag comm:h request",
	"Recv_init count datatype:h source tag comm:h request",
	"Start request",
	"Startall count requests:I",
	"Sendrecv sendcount sendtype:h dest sendtag recvcount recvtype:h source recvtag comm:h status:s",
	"Sendrecv_replace count datatype:h dest sendtag source recvtag comm:h status:s",
	"Type_contiguous count oldtype:h newtype:h",
	"Type_vector count blocklength stride oldtype:h newtype:h",
	"Type_hvector count blocklength stride oldtype:h newtype:h",
	"Type_indexed count lengths:I indices:I oldtype:h newtype:h",
	"Type_hindexed count lengths:I indices:I oldtype:h newtype:h",
	"Type_struct count lengths:I indices:I oldtypes:H newtype:h",
	"Address address",
	"Type_extent datatype:h extent",
	"Type_size datatype:h size",
	"Type_lb datatype:h lb",
	"Type_ub datatype:h ub",
	"Type_commit datatype:h",
	"Type_free datatype:h",
	"Get_elements status:s datatype:h elements",
	"Pack incount datatype:h outcount position_in position_out comm:h",
	"Unpack incount position_in position_out outcount datatype:h comm:h",
	"Pack_size incount datatype:h comm:h size",
	"Barrier comm:h",
	"Bcast count datatype:h root comm:h",
	"Gather commrank sendcount sendtype:h root comm:h :? recvcount recvtype:h",
	"Gatherv commrank commsize sendcount sendtype:h root comm:h :? recvcounts:I displs:I :? recvtype:h",
	"Scatter commrank recvcount recvtype:h root comm:h :? sendcount sendtype:h",
	"Scatterv commrank commsize sendtype:h recvcount recvtype:h root comm:h :? sendcounts:I displs:I",
	"Allgather sendcount sendtype:h recvcount recvtype:h comm:h",
	"Allgatherv commsize sendcount sendtype:h recvcounts:I displs:I recvtype:h comm:h",
	"Alltoall sendcount sendtype:h recvcount recvtype:h comm:h",
	"Alltoallv commsize sendcounts:I senddispls:I sendtype:h recvcounts:I recvdispls:I recvtype:h comm:h",
	"Reduce count datatype:h op:b root comm:h",
	"Op_create commute op:b",
	"Op_free op:b",
	"Allreduce count datatype:h op:b comm:h",
	"Reduce_scatter commsize recvcounts:I datatype:h op:b comm:h",
	"Scan count datatype:h op:b comm:h",
	"Group_size group:h size",
	"Group_rank group:h rank",
	"Group_translate_ranks group1:h count ranks1:I group2:h ranks2:I",
	"Group_compare group1:h group2:h result:b",
	"Comm_group comm:h group:h",
	"Group_union group1:h group2:h newgroup:h",
	"Group_intersection group1:h group2:h newgroup:h",
	"Group_difference group1:h group2:h newgroup:h",
	"Group_incl group:h count ranks:I newgroup:h",
	"Group_excl group:h count ranks:I newgroup:h",
	"Group_range_incl group:h count ranges:J newgroup:h",
	"Group_range_excl group:h count ranges:J newgroup:h",
	"Group_free group:h",
	"Comm_size comm:h value",
	"Comm_rank comm:h value",
	"Comm_compare comm1:h comm2:h result:b",
	"Comm_dup oldcomm:h newcomm:h",
	"Comm_create oldcomm:h group:h newcomm:h",
	"Comm_split oldcomm:h color key newcomm:h",
	"Comm_free comm:h",
	"Comm_test_inter comm:h inter",
	"Comm_remote_size comm:h size",
	"Comm_remote_group comm:h group:h",
	"Intercomm_create localcomm:h localleader remotecomm:h remoteleader tag newcomm:h",
	"Intercomm_merge comm:h high newcomm:h",
	"Keyval_create key:h",
	"Keyval_free key:h",
	"Attr_put comm:h key",
	"Attr_get comm:h key flag",
	"Attr_delete comm:h key",
	"Topo_test comm:h topo:b",
	"Cart_create oldcomm:h ndim dims:I periods:I reorder newcomm:h",
	"Dims_create nodes ndim dims_in:I dims_out:I",
	"Graph_create numedges oldcomm:h nodes index:I edges:I reorder newcomm:h",
	"Graphdims_get comm:h nodes edges",
	"Graph_get totedges totnodes comm:h maxindex maxedges index:I edges:I",
	"Cartdim_get comm:h ndim",
	"Cart_get ndim comm:h maxdims dims:I periods:I coords:I",
	"Cart_rank ndim comm:h coords:I rank",
	"Cart_coords ndim comm:h rank maxdims coords:I",
	"Graph_neighbors_count comm:h rank nneigh",
	"Graph_neighbors nneigh comm:h rank maxneighbors neighbors:I",
	"Cart_shift comm:h direction displ source dest",
	"Cart_sub ndim oldcomm:h remain_dims:I newcomm:h",
	"Cart_map comm:h ndim dims:I period:I newrank",
	"Graph_map numedges comm:h nodes index:I edges:I newrank",
	"Get_processor_name name:T resultlen",
	"Get_version version subversion",
	"Errhandler_create errhandler:h",
	"Errhandler_set comm:h errhandler:h",
	"Errhandler_get comm:h errhandler:h",
	"Errhandler_free errhandler:h",
	"Error_string errorcode errorstring:T resultlen",
	"Error_class errorcode errorclass",
	"Wtime",
	"Wtick",
	"Init argv:V",
	"Finalize",
	"Initialized result",
	"Abort comm:h errorcode",
}

// table reads the list of functions.
func table(list []string) (all []function) {
	for _, text := range list {
		words := strings.Fields(text)
		f := function{Name: "MPI_" + words[0]}
		for _, word := range words[1:] {
			name, written, ok := strings.Cut(word, ":")
			if !ok {
				written = string(rune(formInt32))
			}
			f.Arguments = append(f.Arguments, argument{name, form(written[0])})
		}
		all = append(all, f)
	}
	return all
}
