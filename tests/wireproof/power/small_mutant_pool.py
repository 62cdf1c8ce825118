"""The environment of mutant pools in tests: a small one, without Java. Worker processes import it by name."""

from functools import partial

from tests.support.environments import small_environment
from wireproof.power.codec_judging import PowerEnvironment
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.adapters.own.limited_codec import LimitedCodec
from wireproof.proof.run.core.environment import header_layouts


def environment(broken: bool = False) -> PowerEnvironment:
    schemas = small_environment.schemas()
    headers = header_layouts(schemas)
    return PowerEnvironment(small_environment.make(broken=broken)(), schemas, partial(adapt, headers), limit)


def adapt(headers, name, codecs):
    return KafkawireAdapter(name, codecs.make, headers, codecs.frames)


def limit(name, recipe):
    return LimitedCodec(name, recipe.codec, make_records=recipe.records, cpu_s=0.3)
