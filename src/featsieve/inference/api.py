"""What other packages of featsieve use of `inference`, beside what users import."""

from featsieve._kernels import tie_runs
from featsieve.inference._association_tests import (
    Measuring,
    Thresholds,
    asymptotic_p_values,
    fisher_z,
    n_known,
    permutation_p_values,
)
from featsieve.inference._coding import (
    BINS_WITHOUT_CUT,
    CodedColumns,
    code_columns,
)
from featsieve.inference._column_basis import (
    Basis,
    Given,
    TargetBasis,
    class_basis,
    column_basis,
    detail_for,
    n_taken,
    orthonormal_in_place,
    product_basis,
    quantity_basis,
)
from featsieve.inference._conditional_test import (
    TupleGains,
    conditional_p_value,
    conditioning_set,
    drawn_p_value,
    synergy_p_value,
)
from featsieve.inference._exchange import (
    FREE,
    Exchange,
    exchange_of,
    to_units,
)
from featsieve.inference._false_discovery import (
    STAGE_WEIGHTS,
    Judgement,
    benjamini_hochberg,
    combine_p_values,
    judge,
)
from featsieve.inference._independence import (
    Association,
    Company,
    associate,
    correlation_p_value,
    gain_p_values,
    likeness_test,
    measure,
    measure_shares,
    merge_rare_levels,
)
from featsieve.inference._interaction_test import (
    expected_gain,
    mean_excess,
    t_test,
    three_way_p_values,
)
from featsieve.inference._pair_scan import FoundPairs, ScanInput, find_pairs
from featsieve.inference._partial_test import (
    GrowingSet,
    ShrinkingSet,
    most_told,
)
from featsieve.inference._permutation import (
    Scoring,
    TalliedFeatures,
    permutation_test,
)
from featsieve.inference._probes import (
    PROBE_KINDS,
    Probe,
    ShadowTest,
    Shuffles,
    check_probes,
    draw_probes,
    draw_values,
    feature_shapes,
    follows_a_law,
    join_shadow_tests,
    probes_of_features,
    shadow_test,
)
from featsieve.inference._restricted_test import (
    restricted_given_p_value,
    restricted_p_values,
)
from featsieve.inference._row_dependence import look_for_dependence
from featsieve.inference._score_tests import (
    Law,
    Ranked,
    centred_values,
    correlation_p_values,
    group_counted,
    group_p_values,
    group_scores,
    normal_scores,
    rank_columns,
    scores_of_totals,
)
from featsieve.inference._tallied_features import (
    tally_rows,
    tally_small_numbers,
    tally_stream,
)
from featsieve.inference._triple_scan import (
    CountedSet,
    FoundTriples,
    at_level,
    find_triples,
    n_sets_with,
    search_counts,
)
