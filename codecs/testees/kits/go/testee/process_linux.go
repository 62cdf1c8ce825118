package testee

import (
	"os"
	"runtime/debug"
	"syscall"
)

// takeStdout gives standard output to the protocol alone. From then on descriptor 1 and os.Stdout are standard
// error, so that prints of the codec, or of C code that it carries, land there.
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

// mindMemory has the collector work harder near the limit on addresses, where Go would otherwise die with half
// of its heap being garbage. Go keeps addresses that it does not use, so a half of the limit is what counts.
func mindMemory() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) == nil && limit.Cur < 1<<40 {
		debug.SetMemoryLimit(int64(limit.Cur / 2))
	}
}
