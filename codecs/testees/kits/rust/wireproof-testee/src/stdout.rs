use std::fs::File;
use std::io;

/// Returns standard output for the answers, and redirects descriptor 1 to standard error. Output of the codec, and of
/// C code in it, then goes to standard error.
#[cfg(unix)]
pub(crate) fn take() -> io::Result<File> {
    use std::os::fd::{AsFd, AsRawFd};

    extern "C" {
        fn dup2(from: i32, to: i32) -> i32;
    }

    let kept = io::stdout().as_fd().try_clone_to_owned()?;
    // SAFETY: both descriptors are open, and the replaced one has no owner: std only borrows it.
    if unsafe { dup2(io::stderr().as_raw_fd(), io::stdout().as_raw_fd()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(File::from(kept))
}

/// Returns standard output for the answers. It is not redirected on Windows: the codec must not print.
#[cfg(windows)]
pub(crate) fn take() -> io::Result<File> {
    use std::os::windows::io::AsHandle;

    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}
