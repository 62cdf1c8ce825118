"""A program: import every module of kafkawire and wireproof, and print those that need a missing package.

Each line is the module and the package. Testees and clients are data, started by path. With --all
no package may be missing, except pytest.
"""

import importlib
import pkgutil
import sys

DATA = (".testees.shipped.", ".testees.clients.")
missing = set()

for top in ("kafkawire", "wireproof"):
    package = importlib.import_module(top)
    for found in pkgutil.walk_packages(package.__path__, f"{top}.", onerror=lambda name: None):
        if found.name.endswith(".__main__") or any(part in f"{found.name}." for part in DATA):
            continue
        try:
            importlib.import_module(found.name)
        except ModuleNotFoundError as error:
            missing.add(error.name)
            sys.stdout.write(f"{found.name} {error.name}\n")

if "--all" in sys.argv and missing - {"pytest"}:
    sys.exit(f"missing: {', '.join(sorted(map(str, missing)))}")
