package flow
import ("syscall";"testing";"time")
func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(syscall.RUSAGE_SELF,&r); return time.Duration(r.Utime.Nano()+r.Stime.Nano()) }
func report(b *testing.B, start time.Duration, n int) { d:=cpu()-start; b.ReportMetric(d.Seconds()/float64(b.N), "cpu-s"); b.ReportMetric(float64(n*b.N)/d.Seconds(), "msg/cpu-s") }
