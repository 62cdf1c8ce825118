"""No test is a matter of time: examples have no deadline, and a busy machine fails nothing."""

from hypothesis import HealthCheck, settings

settings.register_profile("wireproof", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("wireproof")
