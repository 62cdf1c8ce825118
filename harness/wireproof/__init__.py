"""Prove Kafka wire-protocol codecs against Kafka itself.

Each name is loaded when it is first used: `import wireproof` alone imports nothing else. Their types are in
``__init__.pyi``.
"""

from typing import Any, Final

__all__ = ["NotProvenError", "RunConfig", "Session", "Verdict", "__version__", "prove"]

_MODULES: Final = {
    "prove": "wireproof.api",
    "NotProvenError": "wireproof.api",
    "Session": "wireproof.api",
    "Verdict": "wireproof.api",
    "RunConfig": "wireproof.proof.config.run_config",
}
"""The module of each name."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from wireproof.base.version import own_version

        value: Any = own_version()
    elif name in _MODULES:
        from importlib import import_module

        value = getattr(import_module(_MODULES[name]), name)
    else:
        raise AttributeError(f"module 'wireproof' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
