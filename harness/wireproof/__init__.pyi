from wireproof.api import NotProvenError as NotProvenError
from wireproof.api import Session as Session
from wireproof.api import Verdict as Verdict
from wireproof.api import prove as prove
from wireproof.proof.config.run_config import RunConfig as RunConfig

__all__ = ["NotProvenError", "RunConfig", "Session", "Verdict", "__version__", "prove"]

__version__: str
