"""README's command tests few cases of a law, and no pair of choices is lost."""

from itertools import product

from brief import covering, pairs_of


def test_few_cases_have_all_pairs_of_choices():
    cases = [*product("abcd", (1, 2, None), (True, False))]
    few = covering(cases, is_brief=True)
    assert set().union(*map(pairs_of, few)) == set().union(*map(pairs_of, cases))
    # Each of the 12 pairs of the first two columns is in a case of its own.
    assert 12 <= len(few) < 15
    assert covering([()], is_brief=True) == [()]
    assert covering(cases, is_brief=False) == cases
