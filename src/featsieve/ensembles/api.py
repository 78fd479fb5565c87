"""What other packages of featsieve use of `ensembles`, beside what users import."""

from featsieve.ensembles._feature_boosting import (
    boost_features,
    check_size,
    first_weights,
    subset_count,
)
from featsieve.ensembles._training import Training
