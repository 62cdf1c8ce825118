"""The configuration of commands: options, profiles, files and the frozen values that hold them."""
