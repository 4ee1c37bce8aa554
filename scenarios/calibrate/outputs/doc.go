// Package outputs reads what benchmarks of communication print: OSU micro-benchmarks, Intel
// MPI Benchmarks, NetPIPE, netgauge, nccl-tests, and logs of single MPI calls. The content
// tells which format a file has. A file may hold several outputs, one after the other, and
// lines of other programs between them.
//
// Sources of the layouts, none of whose text is here:
//
//	OSU        osu_util.c and each test's heading, versions 5 to 7; files that the programs wrote
//	IMB        IMB_output.c, IMB_print_header and IMB_edit_format
//	NetPIPE    netpipe.c of 3.7 (three columns; one line a size on the screen) and of 5 (five columns)
//	netgauge   ptrn_loggp.c, loggp_do_benchmarks and printparams
//	nccl-tests files that the programs wrote
package outputs
