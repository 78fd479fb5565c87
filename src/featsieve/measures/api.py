"""What other packages of featsieve use of `measures`, beside what users import."""

from featsieve.measures._boosting import (
    CONFLICTS,
    NUMERIC,
    VOTES,
    ComparedRows,
    check_rounds,
    lay_out_columns,
    spread_of,
)
from featsieve.measures._class_association import concordance_by_class
from featsieve.measures._codes import (
    ASSOCIATIONS,
    MISSING,
    UNWEIGHTED,
    Columns,
    as_subsets,
    cut_column,
    effective_rows,
    own_name,
)
from featsieve.measures._entropy import plug_in
from featsieve.measures._pair_gains import fill_matrix
from featsieve.measures._pairwise_association import common_row_blocks, common_rows
from featsieve.measures._scores import (
    MEASURES,
    check_measure,
    measure_name,
    score_tallies,
)
