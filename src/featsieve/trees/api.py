"""What other packages of featsieve use of `trees`, beside what users import."""

from featsieve.trees._base import ClassificationTree, tree_features
from featsieve.trees._forest import (
    Forest,
    ForestGrower,
    GainSums,
    bag_weights,
    rows_left_out,
)
from featsieve.trees._gain_forests import (
    ShadowSums,
    TreeKind,
    TriedSums,
    count_orders,
    grow_shadow_forest,
    grow_tried_forest,
)
from featsieve.trees._learnt_chances import learn_chances
from featsieve.trees._level_gains import choose_by_level, level_gains
from featsieve.trees._out_of_bag import out_of_bag_answers, out_of_bag_error
from featsieve.trees._random_tree import (
    FAILED_DRAWS,
    RandomGrowth,
    check_chances,
    check_random_growth,
    count_drawn,
)
from featsieve.trees._tree_members import MemberRows, TreeGrower, numeric_table
from featsieve.trees._tree_rows import (
    TypedInput,
    feature_matrix,
    read_classes,
    read_numbers,
    read_training,
    row_matrix,
)
