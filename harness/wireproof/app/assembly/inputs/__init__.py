"""The inputs that a command names: releases, forks and their classes, cells."""
