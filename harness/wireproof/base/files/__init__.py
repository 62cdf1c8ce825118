"""The only package that deletes, renames and replaces files, and makes temporary ones.

It works by descriptors of folders and never follows a symbolic link to what it removes. It removes a folder
only if the marker and the owner show that this user's wireproof made it.
"""
