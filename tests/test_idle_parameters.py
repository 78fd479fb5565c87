"""A parameter that does nothing in a mode is rejected there, never ignored."""

import inspect
import sys
import warnings

import numpy as np
import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from featsieve.data import MDLDiscretizer
from public import public_estimators

#: Settings that switch parts of an estimator off: what makes them, what is idle then.
#: Values of idle parameters are different from the default, and good in other modes.
IDLE = [
    ("AssociationFilter", {}, {"fdr": 0.1, "n_permutations": 99, "alpha": 0.1}),
    ("AssociationFilter", {}, {"practical": 0.2, "max_subsamples": 9}),
    ("AssociationFilter", {"association": "pearson"}, {"min_untied": 5}),
    ("AssociationFilter", {"rule": "t_test"}, {"n_probes": 5, "probes": ("uniform",)}),
    ("AssociationFilter", {"rule": "t_test"}, {"fdr": 0.1, "n_permutations": 99}),
    ("AssociationFilter", {"rule": "z_test"}, {"n_probes": 5, "fdr": 0.1}),
    ("AssociationFilter", {"rule": "z_test"}, {"probes": ("uniform",)}),
    ("AssociationFilter", {"rule": "z_test"}, {"correct_overlap": False}),
    ("AssociationFilter", {"rule": "z_test"}, {"n_permutations": 99}),
    ("AssociationFilter", {"rule": "fdr"}, {"alpha": 0.1, "practical": 0.2}),
    ("AssociationFilter", {"rule": "fdr"}, {"n_probes": 5, "correct_overlap": False}),
    ("AssociationFilter", {"rule": "fdr"}, {"probes": ("uniform",)}),
    ("BIFSFilter", {}, {"elimination": "full"}),
    ("BIFSFilter", {"min_synergy": 0.1}, {"max_triples": 9, "elimination": "full"}),
    ("BIFSFilter", {"min_synergy": 0.1, "max_loss": 0.1}, {"fdr": 0.1}),
    ("BIFSFilter", {"min_synergy": 0.1, "max_loss": 0.1}, {"max_triples": 9}),
    ("BIFSFilter", {"max_degree": 2}, {"max_triples": 9, "elimination": "full"}),
    ("CFSFilter", {"search": "forward"}, {"max_stale": 9}),
    ("CFSFilter", {"search": "backward"}, {"max_stale": 9}),
    ("C45Classifier", {"prune": False}, {"pruning_confidence": 0.1}),
    ("C45Classifier", {"prune": False}, {"subtree_raising": False}),
    ("DecisionRuleFilter", {}, {"sample_size": 20}),
    ("ForestSelector", {}, {"n_thresholds": 20, "failed_draw": "leaf"}),
    ("ForestSelector", {"fdr": 0.1}, {"alpha": 0.1}),
    ("ForestSelector", {"test": "t"}, {"n_shadows": 9}),
    ("ForestSelector", {"test": "t"}, {"learn_chances": False}),
    ("ForestSelector", {"test": "threshold"}, {"n_shadows": 9}),
    ("ForestSelector", {"test": "threshold"}, {"fdr": 0.1, "alpha": 0.1}),
    ("ForwardSelector", {}, {"n_rounds": 9, "boosting_vote": "sign"}),
    ("ForwardSelector", {}, {"conflict_scope": "rounds"}),
    ("ForwardSelector", {"scoring": "boosting_z"}, {"conflict_scope": "rounds"}),
    ("ForwardSelector", {"n_features_to_select": 2}, {"tol": 0.1, "patience": 2}),
    ("ForwardSelector", {"n_features_to_select": 2}, {"max_selected": 3}),
    ("ForwardSelector", {"estimator": GaussianNB()}, {"n_neighbors": 5}),
    ("MeasureFilter", {}, {"max_permutations": 99}),
    ("MRMRFilter", {"measure": "f_correlation"}, {"alpha": 0.1, "missing": "ignore"}),
    ("MRMRFilter", {"measure": "f_correlation"}, {"discretizer": MDLDiscretizer()}),
    ("MultiSURFFilter", {}, {"confidence": 0.9}),
    ("OneVersusAllClassifier", {}, {"none_label": "?"}),
    ("PositiveVersusNegativeClassifier", {}, {"none_label": "?"}),
    ("RandomForestEnsembleClassifier", {}, {"damping": 0.5}),
    ("RandomForestEnsembleRegressor", {}, {"damping": 0.5}),
    ("ReliefFFilter", {}, {"confidence": 0.9}),
    ("SubsetEnsembleClassifier", {}, {"size_rule": "one_standard_error"}),
]
CASES = [
    (name, mode, parameter, value)
    for name, mode, idle in IDLE
    for parameter, value in idle.items()
]
CLASSES = {each.__name__: each for each in public_estimators()}

RNG = np.random.default_rng(0)
X = {"a": RNG.normal(size=60), "b": RNG.integers(0, 3, 60).astype(float)}
Y = np.where(
    (X["a"] > 0) ^ (RNG.random(60) < 0.1), "yes", np.where(X["b"] > 1, "?", "no")
)

#: Also looked at, beside the defaults of all estimators and the modes above.
MODES = [
    ("AdaBoostEnsembleClassifier", {"algorithm": "one_versus_rest"}),
    ("AdaBoostEnsembleClassifier", {"sampling": "reweight"}),
    ("AssociationFilter", {"n_subsamples": "race"}),
    ("C45Classifier", {"compatibility": "j48"}),
    ("CFSFilter", {"compatibility": "weka"}),
    ("FCBFFilter", {"compatibility": "weka"}),
    ("FeatureBoostingSelector", {"accuracy": "out_of_bag"}),
    ("FeatureBoostingSelector", {"feature_groups": "scan"}),
    ("ForwardSelector", {"direction": "floating"}),
    ("ForwardSelector", {"start": "pairs"}),
    ("MDLTreeSelector", {"features": "feasible"}),
    ("RandomForestEnsembleClassifier", {"feature_sampling": "local"}),
    ("RandomForestEnsembleClassifier", {"integration": "dynamic"}),
    ("ReliefFFilter", {"compatibility": "weka"}),
    ("SubsetEnsembleClassifier", {"strategy": "information_gain"}),
]
#: What any run may leave unread: if nothing is drawn, runs in parallel or has a kind.
SURROUNDINGS = {"n_jobs", "random_state", "progress", "nominal", "numeric"}
#: What is read only if the rows give reason to, or with all settings at once.
AT_NEED = {
    "AdaBoostEnsembleClassifier": {"on_weak"},
    "SieveSelector": {"max_selected", "fdr", "costs", "time_budget"},
}
#: Functions that look at every parameter, used or not.
CHECKS = {"_check_parameters", "_check_shared_parameters", "get_params", "clone"}


@pytest.mark.parametrize(("name", "mode", "parameter", "value"), CASES)
def test_what_would_be_ignored_is_an_error(name, mode, parameter, value):
    estimator = CLASSES[name](**mode, **{parameter: value})
    target = X["a"] if name.endswith("Regressor") else Y
    message = f"'{parameter}' parameter of {name} does nothing with .* Leave it out, or"
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, target)


def test_votes_that_a_learner_cannot_cast_are_an_error():
    learner = RidgeClassifier()
    numbers = np.column_stack(list(X.values()))
    search = CLASSES["ForwardSelector"](learner, scoring="boosting_z", n_rounds=2)
    with pytest.raises(ValueError, match=r"'real' needs predict_proba.*Ridge.*'sign'"):
        search.fit(numbers, Y)
    assert search.set_params(boosting_vote="sign").fit(numbers, Y).steps_


def read_in_fit(estimator):
    """Return the parameters that `fit` and `predict` read, but for checks of them."""
    names = set(estimator.get_params(deep=False))
    read = set()
    kind = type(estimator)

    def spied(self, name):
        if name in names and name not in read:
            frame, callers = sys._getframe(1), set()
            while frame is not None:
                callers.add(frame.f_code.co_name)
                frame = frame.f_back
            if not callers & CHECKS:
                read.add(name)
        return super(spy, self).__getattribute__(name)

    spy = type(kind.__name__, (kind,), {"__getattribute__": spied})
    spy.__init__ = kind.__init__
    estimator.__class__ = spy
    target = X["a"] if kind.__name__.endswith("Regressor") else Y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(X, target)
        for method in ("predict", "predict_proba"):
            if hasattr(estimator, method):
                getattr(estimator, method)(X)
    return names, read


ALL_MODES = [(name, {}) for name in CLASSES if "Discretizer" not in name] + MODES
for known_name, known_mode, _ in IDLE:
    if (known_name, known_mode) not in ALL_MODES:
        ALL_MODES.append((known_name, known_mode))


@pytest.mark.parametrize(("name", "mode"), ALL_MODES)
def test_what_is_not_read_is_rejected(name, mode):
    few = {"n_estimators": 3, "n_iterations": 5}
    accepted = inspect.signature(CLASSES[name]).parameters
    small = {key: value for key, value in few.items() if key in accepted}
    names, read = read_in_fit(CLASSES[name](**{**small, **mode}))
    idle = names - read - SURROUNDINGS - set(mode) - set(small)
    others = {(known, parameter): value for known, _, parameter, value in CASES}
    for parameter in idle - AT_NEED.get(name, set()):
        changed = {**mode, parameter: others[name, parameter]}
        with pytest.raises(ValueError, match=f"'{parameter}' .* does nothing with"):
            CLASSES[name](**changed).fit(X, Y)
