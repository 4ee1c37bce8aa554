// Package papers lists the checkable claims of published studies and checks them. A study
// is one YAML file of this folder, embedded in the program:
//
//	paper: probes                 # name of the file
//	title: ...
//	bars:                         # pieces of the figures, bottom to top: name and metric
//	  Comm Init: comm_init_s
//	experiments:
//	  fig4:
//	    title: ...
//	    x: rows N x row length R  # the meaning of the points
//	    scenario: ft-exchange-jacquard        # the base of all runs
//	    common: {ranks: 32}                   # settings of all runs, as --set takes them
//	    variants:                             # one bar of each group
//	      E: {workload.name: ft-exchange}
//	    points:                               # the x axis, in order
//	      - {label: 8192x512, workload.rows: 8192, workload.row_length: 512}
//	  fig5:
//	    title: ...
//	    like: fig4                # all of fig4 except the title; keys given here override it
//	    common: {machine: bassi}
//	definitions:                  # named expressions
//	  excess: fig4.P.total_s / fig4.E.total_s - 1
//	printed: [fig1, fig2, table1] # all that the text has; each must be among the figures
//	figures:                      # fig7a is a part of fig7
//	  fig1: {title: ..., absent: why nothing of it is simulated}
//	  fig2:
//	    title: ...
//	    lacks: what of it is not simulated, and why
//	    panels:
//	      - title: ...            # default: the title of the figure
//	        kind: curves          # or bars, a bar for each member; stack, with pieces; table
//	        x: {name: cores, values: EXPRESSION, log: true} # labels: [...] except for curves
//	        y: {name: Teraflop/s}
//	        unit: s
//	        series: {UPC: EXPRESSION}              # a vector each; of a stack the pieces of one bar
//	        printed: {UPC: [null, 1.61]}           # what the paper prints, by point
//	        dashed: [...]                          # series that are models
//	      - kind: stack
//	        x: {labels: [...]}
//	        members: {E: fig4.E}                   # in place of series
//	        pieces: {Computation: computation_s}   # of each member; bare names are its metrics
//	        per: fig4.E.total_s                    # everything is divided by it
//	        published: table2                      # the cells of a table of claims stand next to
//	      - {experiment: fig4}                     # all variants with the bars of an experiment
//	    timelines: [{title: ..., scenario: ...}]   # a run of the library, as a Gantt chart
//	    maps: {scenario: ..., runs: [...], benchmarks: [...]} # of the overlap benchmark
//	claims:
//	  - id: pencils-worst         # unique
//	    kind: fitted              # or predicted, derived, construction
//	    basis: ...                # why it is derived or of construction
//	    place: section 6.2; Figure 4
//	    claim: what the paper says, in our words
//	    metric: max(excess)
//	    published: 0.10           # {at_least: 0.1}, {at_most: 0.1}, or both for a band; true: the metric is a condition; null: withheld
//	    unit: ratio
//	    tolerance: 0.025          # absolute, {relative: 0.1}, or {relative: 0.02, least: 0.05}; for numbers only
//	    reason: why this tolerance, or this reading of the words
//	    used_in_fit: probes       # of the kind fitted
//	    explanation: why it does not hold   # if omitted: it is expected to hold
//	tables:                       # a claim for each cell, called ID/VARIANT/LABEL
//	  - id: table2
//	    experiment: table2        # its points are the columns
//	    metric: 100 * flops / peak  # bare names are metrics of the cell's run
//	    published: {cannon: [70.1, null]}       # a row for each variant; or {rows: FILE, column: NAME} of a data
//	                            # set (package validation): a cell is in the row that agrees with its description
//	    explanation: ...          # why other cells are not reproduced
//	    explanations: {cannon/LABEL: ...}
//	    not_predicted: why cells that are withheld are not computed # default: they are
//	    not_in_fit: [cannon/LABEL] # cells that the fit does not use
//	    cell:                     # the description of a cell in the JSON record, by key:
//	      table: II               # a text
//	      cores: {setting: cores} # a setting of the cell's run
//	      variant: {cannon: 2D}   # or a text for each variant
//	    ...                       # place, claim, unit, tolerance, reason, used_in_fit as above
//	missing:                    # every prediction that is not reproduced is in one of these
//	  fft-lengths:
//	    lacks: what the model lacks for claims to be reproduced, in a few words
//	    claims: [longer-rows, ...]              # and others that the trials move
//	    trials: [{machine.x: 1us, fig4.machine.y: 2us, fig4.E.z: 3}] # settings of all runs, of an experiment, of a variant
//	    shows: what the trials say
//
// An experiment without a scenario is a grid of numbers: its metrics are its settings, for
// closed-form models; claims that use no other are analytic.
//
// # Expressions
//
// The syntax is Go's. FIG.VARIANT.METRIC is a vector over the points of an
// experiment; FIG.VARIANT[2].METRIC and FIG.VARIANT["label"].METRIC are one number,
// FIG.VARIANT[1:].METRIC is a part of the vector, and an index after any vector works too.
// + - * / and the comparisons < <= > >= == != work element by element, && || ! on truths. A
// single value is combined with every element. A claim's metric is one number or one truth.
//
//	max min           of one vector, or element by element of several
//	list              a vector of numbers
//	sum mean          of a vector; spread is (max - min) / mean
//	first last        element of a vector
//	increasing        no element is smaller than the one before; decreasing
//	abs sqrt log2     element by element
//	all any count     of the truths of a vector
//	where(c, v)       the elements of v at which c is true; it is an error if there are none
//	ft_init(P, N, T, o, g, GR)   and ft_total, ft_wait, ft_comm_init, ft_transfer:
//	                  workloads.FTModel, times in seconds; GR is the time of one row on the wire
//	spmv_total(P, T, o, g, L, GN)   workloads.SpMVModel; GN is the time of one piece of the vector
//	cannon(cores, n, replicated, overlap)   and summa, trsm, cholesky: the models of
//	                  package dense on Hopper as fitted, percent of peak
//	nas_ft_flops(n)   workloads.NASFTFlops
//	exchange_time(B, k, G, wraps)   workloads.ExchangeTime; wraps is 0 or 1
//
// A value that is not finite cannot be judged, and does not pass.
//
// # Fits
//
// A Fit finds parameters that are not published; see fits/ and the command fit-papers. A
// claim that it used is not a prediction.
//
// # Kinds
//
// Only a prediction can show that the simulator is right: no number was chosen by it, and
// other numbers of the machine would give another verdict. Shaking, in shaken/, says which
// claims hold with any numbers.
package papers
