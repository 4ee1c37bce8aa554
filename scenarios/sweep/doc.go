// Package sweep runs a scenario at many points: every combination of the values of some
// paths, a Latin hypercube of them, or one path at a time.
//
// A sweep lives in a directory that every engine shares. The plan is a file that holds
// everything to run. Each process appends the results of its points to its own file,
// and marks a point as done when its result is written. Therefore the points without a mark are
// those left to do, and each process finds them by itself. It does not matter which process
// ran the others, or how it ended. Nothing in a result depends on the engine or on the clock.
//
//	plan.jsonl                 the sweep, then a line for each point
//	input/                     the scenario and the files that it names, from the plan
//	results/HOST-PID-ID.jsonl  the results, or errors, of the points that this process ran
//	claims                     byte i says whether point i has a result, and is locked while a process runs it
//	programs                   the versions of the program that ran points
//	slurm/                     the job script, the last job, logs of tasks
//	results.csv, results.parquet, report.html  all results, once they are complete
//
// No point runs twice: a point is run under its lock and only if it has no result, and the
// kernel releases the locks of a process that dies. A point that was interrupted in this
// way has no result, and is run again.
package sweep
