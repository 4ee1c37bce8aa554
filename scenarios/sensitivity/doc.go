// Package sensitivity says how the makespan of a scenario changes with a parameter beyond
// its derivative: in which range the derivative holds, and what comes after it, by
// further runs. Where derivatives are not stable, it takes finite differences instead.
package sensitivity
