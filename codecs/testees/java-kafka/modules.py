"""Write Maven's configuration for the modules of a Kafka release that have messages, from the release table.

The table has one patch release of each line. All patch releases of a line have the same modules.
"""

import sys
from pathlib import Path

from wireproof.kafka.releases.release_table import ReleaseError, table

_, version = sys.argv
try:
    release = table().find(version.rpartition(".")[0])
except ReleaseError as error:
    sys.exit(f"Kafka {version}: {error}")
profiles = [f"-P{module.name}" for module in release.modules if module.name != "clients"]
Path(".mvn").mkdir(exist_ok=True)
Path(".mvn/maven.config").write_text("\n".join([f"-Dkafka.version={version}", *profiles, ""]), "utf-8")
