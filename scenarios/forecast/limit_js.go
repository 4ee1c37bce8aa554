package forecast

// ulimit is the memory that a program in a browser can address.
func ulimit() Limit { return Limit{4 << 30, "the most that a page can have"} }
