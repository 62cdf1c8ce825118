"""The choice of a few out of many."""

from functools import reduce
from operator import or_

from hypothesis import given
from hypothesis import strategies as st

from wireproof.corpus import covering

CANDIDATES = st.lists(st.tuples(st.integers(0, 2**12 - 1), st.integers(0, 9)), max_size=30)


def union(candidates):
    return reduce(or_, (bits for bits, _ in candidates), 0)


@given(CANDIDATES)
def test_the_few_meet_what_the_many_meet_and_none_is_idle(candidates):
    """Nothing is lost; in the order of choice each adds something, so there are at most as many as bits."""
    chosen = covering(candidates)

    assert union(candidates[index] for index in chosen) == union(candidates)
    assert len(chosen) <= union(candidates).bit_count()
    assert chosen == sorted(set(chosen))


@given(CANDIDATES)
def test_the_choice_is_the_plain_greedy_one(candidates):
    """Each step takes the one that adds most, then the lightest, then the first, by a new calculation."""
    left, plain = union(candidates), []
    while left:
        best = max(
            range(len(candidates)),
            key=lambda at: ((candidates[at][0] & left).bit_count(), -candidates[at][1], -at),
        )
        plain.append(best)
        left &= ~candidates[best][0]

    assert covering(candidates) == sorted(plain)
