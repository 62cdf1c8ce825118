"""A copy of the project, wrong in one place that only volume finds."""

from pathlib import Path

from tests.support.mutants.project_copy import copy_project, plant

CELL = "4.4.0/ApiVersionsRequest/3"
FILE = "codecs/kafkawire/compiler/_print_size.py"
RIGHT = 'with self.text.block(f"if {length} > 126:"):'
WRONG = 'with self.text.block(f"if {length} > 127:"):'


def wrong_size(folder: Path) -> Path:
    """Copy the project; the size that is announced forgets a byte at length 127."""
    copy_project(folder)
    plant(folder, FILE, RIGHT, WRONG)
    return folder
