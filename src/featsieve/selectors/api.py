"""What other packages of featsieve use of `selectors`, beside what users import."""

from featsieve.selectors._base import BaseSelector, RowOptionsSelector
from featsieve.selectors.associations._association_samples import (
    Decision,
    SamplePlan,
    plan_samples,
)
from featsieve.selectors.associations._associations import (
    Associations,
    GivenAssociations,
    SampledAssociations,
)
from featsieve.selectors.associations._subset_search import greedy_forward
from featsieve.selectors.search._criteria import NeighbourAccuracy, compared_rows
