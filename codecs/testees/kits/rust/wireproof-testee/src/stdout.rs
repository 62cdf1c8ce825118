use std::fs::File;
use std::io;

/// Gives standard output to the protocol alone. From then on descriptor 1 is standard error, so that prints of the
/// codec, or of C code that it carries, land there.
#[cfg(unix)]
pub(crate) fn take() -> io::Result<File> {
    use std::os::fd::{AsFd, AsRawFd};

    extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
    }

    let kept = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both descriptors are open, and nobody owns the one that is replaced: std only borrows it.
    if unsafe { dup2(io::stderr().as_raw_fd(), io::stdout().as_raw_fd()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(kept))
}

/// Elsewhere prints cannot be told from answers: the codec had better not print.
#[cfg(windows)]
pub(crate) fn take() -> io::Result<File> {
    use std::os::windows::io::AsHandle;

    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
