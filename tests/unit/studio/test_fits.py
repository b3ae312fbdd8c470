"""What a result weighs in the store."""

from tests.app.states import FITTED, fit_of


def test_a_result_weighs_what_it_keeps_in_memory() -> None:
    result = fit_of(FITTED)
    assert result.data.test is not None
    rows = result.data.train.X.nbytes + result.data.test.X.nbytes
    fit = result.model.coef_.nbytes + sum(state.W.nbytes for state in result.model.history_)
    assert rows + fit < result.n_bytes < 4 * (rows + fit)
