"""What a court judges by in tests: the small bench, without Java. Its processes import it by name."""

from functools import partial

import small_bench
from wireproof.adapters import KafkawireAdapter, LimitedCodec
from wireproof.power import PowerBench
from wireproof.run import header_layouts


def bench(broken: bool = False) -> PowerBench:
    schemas = small_bench.schemas()
    headers = header_layouts(schemas)
    return PowerBench(small_bench.make(broken=broken)(), schemas, partial(adapt, headers), limit)


def adapt(headers, name, codecs):
    return KafkawireAdapter(name, codecs.make, headers, codecs.frames)


def limit(name, replant):
    return LimitedCodec(name, replant.codec, make_records=replant.records)
