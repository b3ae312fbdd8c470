"""Names of clusters: typed, in every view, in the link, over a refit, never in another's result."""

import pytest

from stcmtl.errors import InputError
from stcmtl.studio.state import naming
from stcmtl.studio.state.choices import PRESETS
from stcmtl.studio.state.session import Session
from tests.app.states import FITTED, THREE, TINY, Visit, data_of, fit_of

NAMES = ["north, south & 100 %", "", "<b>coast</b>"]


def named_session() -> Session:
    session = Session(data=data_of(FITTED), data_choice=TINY, fitted=fit_of(FITTED))
    session.fit_choice = THREE
    session.name_clusters(NAMES)
    return session


def test_names_are_on_a_copy_of_a_result_that_others_see() -> None:
    session = named_session()
    assert session.fitted is not None
    assert session.fitted.model.cluster_names_.tolist() == [NAMES[0], "cluster 2", NAMES[2]]
    assert fit_of(FITTED).model.cluster_names_.tolist() == ["cluster 1", "cluster 2", "cluster 3"]
    assert session.fitted.model.coef_ is fit_of(FITTED).model.coef_


def test_a_bad_name_leaves_all_as_it_was() -> None:
    session = named_session()
    with pytest.raises(InputError, match="which another one has too"):
        session.name_clusters(["a", "A", ""])
    assert session.fitted is not None
    assert naming.names_of(session.fitted) == NAMES


def test_the_link_has_the_names() -> None:
    query = named_session().query()
    found = naming.from_query(query)
    assert found is not None
    assert list(found.names) == NAMES
    assert naming.names_of(found.put_on(fit_of(FITTED))) == NAMES


@pytest.mark.parametrize("said", ["", ",,", "x" * 31, "a" + "," * 2000, "a\x00b"])
def test_a_link_with_names_that_nobody_could_type_has_none(said: str) -> None:
    assert naming.from_query({"names": said}) is None


def test_names_follow_their_clusters_to_another_fit() -> None:
    session = named_session()
    session.take("fitted", fit_of(FITTED, k=4, seed=3))
    assert session.fitted is not None
    new, old = session.fitted.model, fit_of(FITTED).model
    for k, name in enumerate(naming.names_of(session.fitted)):
        if name:  # most of its tasks are those of the cluster that was named
            own, named = set((new.labels_ == k).nonzero()[0]), NAMES.index(name)
            assert len(own & set((old.labels_ == named).nonzero()[0])) > len(own) / 2
    assert {name for name in naming.names_of(session.fitted) if name} == {NAMES[0], NAMES[2]}
    session.take("fitted", fit_of(FITTED, k=0))
    session.take("fitted", fit_of(FITTED))
    assert naming.names_of(session.fitted) == NAMES


def test_other_data_has_no_names() -> None:
    session = named_session()
    session.open_data(PRESETS["tiny"].data)
    assert session.naming is None


@pytest.mark.parametrize("page", ["memberships", "similarity", "outliers"])
def test_pages_call_clusters_by_their_names(page: str) -> None:
    visit = Visit("home", FITTED)
    visit.session.name_clusters(["north", "", "coast"])
    visit.go(page)
    assert any("north" in str(figure) for figure in visit.figures)
