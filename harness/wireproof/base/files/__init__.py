"""The only package that deletes, renames and replaces files, and makes temporary ones.

It works by descriptors of folders and never follows a symbolic link to what it removes. It removes a folder
only if the marker and the owner show that this user's wireproof made it.
"""

from wireproof.base.files.folder_removal import MARKER, TEMPORARY
from wireproof.base.files.own_folders import (
    OwnFolder,
    open_unnamed_file,
    remove_own_folder,
    size_of,
    sweep,
    temporary_folder,
)
from wireproof.base.files.replacement import (
    create_file,
    ignore_folder,
    move_file,
    open_private,
    remove_file,
    replace_file,
    replacing,
    write_output,
)

__all__ = [
    "MARKER",
    "TEMPORARY",
    "OwnFolder",
    "create_file",
    "ignore_folder",
    "move_file",
    "open_private",
    "open_unnamed_file",
    "remove_file",
    "remove_own_folder",
    "replace_file",
    "replacing",
    "size_of",
    "sweep",
    "temporary_folder",
    "write_output",
]
