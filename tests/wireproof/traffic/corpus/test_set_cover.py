"""Set cover: the choice of a few sets out of many."""

from functools import reduce
from operator import or_

from hypothesis import given
from hypothesis import strategies as st

from wireproof.traffic.corpus.candidates import covering

CANDIDATES = st.lists(st.tuples(st.integers(0, 2**12 - 1), st.integers(0, 9)), max_size=30)


def union(candidates):
    return reduce(or_, (bits for bits, _ in candidates), 0)


@given(CANDIDATES)
def test_the_chosen_sets_cover_everything_and_each_adds_something(candidates):
    """No element is lost. In the order of choice each set adds an element, so there are at most as many sets
    as bits."""
    chosen = covering(candidates)

    assert union(candidates[index] for index in chosen) == union(candidates)
    assert len(chosen) <= union(candidates).bit_count()
    assert chosen == sorted(set(chosen))


@given(CANDIDATES)
def test_the_choice_equals_that_of_the_greedy_algorithm(candidates):
    """Each step takes the set that adds most, then the lightest, then the first; the test calculates it
    again."""
    left, plain = union(candidates), []
    while left:
        best = max(
            range(len(candidates)),
            key=lambda at: ((candidates[at][0] & left).bit_count(), -candidates[at][1], -at),
        )
        plain.append(best)
        left &= ~candidates[best][0]

    assert covering(candidates) == sorted(plain)
