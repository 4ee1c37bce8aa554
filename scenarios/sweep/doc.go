// Package sweep runs a scenario at many points: every combination of the
// values of some paths, a Latin hypercube of them, or one path at a time.
//
// A sweep lives in a directory that every engine shares. The plan is a file that holds
// everything to run. Each point's result is a file that is either complete or missing. So
// the points without a result are what is left to do, whichever process ran the others
// and however it ended. Nothing in a result depends on the engine or on the clock.
//
//	plan.jsonl             the sweep, then a line for each point
//	input/                 the scenario and the files that it names, from the plan
//	results/000/000012.json  the result of point 12, or its error
//	claims                 byte i is locked while a process runs point i
//	attempts/HOST-PID.log  when that process began and finished which point
//	slurm/1/               the first submission to Slurm: job script, chunks, logs
//	results.csv, results.parquet, report.html  all results, once they are complete
//
// No point runs twice: a point is run under its lock and only if it has no result, and
// the kernel releases the locks of a process that dies. A point that was interrupted in
// this way has no result, and is run again.
package sweep
