"""The loop over the events of a run, for every command that starts one."""
