package testee

import (
	"os"
	"runtime/debug"
	"syscall"
)

// takeStdout returns standard output for the answers, and redirects descriptor 1 and os.Stdout to standard error.
// Output of the codec, and of C code in it, then goes to standard error.
func takeStdout() (*os.File, error) {
	kept, err := syscall.Dup(1)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(kept)
	if err := syscall.Dup3(2, 1, 0); err != nil {
		return nil, err
	}
	os.Stdout = os.Stderr
	return os.NewFile(uintptr(kept), "answers"), nil
}

// limitMemory makes the garbage collector run more often near the limit on addresses, where the process would
// otherwise die with garbage on its heap. Go reserves addresses that it does not use: set half of the limit.
func limitMemory() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && limit.Cur < 1<<40 {
		debug.SetMemoryLimit(int64(limit.Cur / 2))
	}
}
