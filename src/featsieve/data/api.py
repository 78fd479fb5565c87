"""What other packages of featsieve use of `data`, beside what users import."""

from featsieve.data._discretize import (
    MatrixEncoder,
    aligned_table,
    check_discretizer,
    reads_typed_tables,
    tree_columns,
)
from featsieve.data._facts import TIME_NAME, copy_fact
from featsieve.data._inputs import (
    TakesTables,
    Target,
    Training,
    as_pandas,
    check_names,
    frame_objects,
    is_frame,
    leave_out_unknown,
    plain_input,
    read_features,
    read_quantity,
    read_small_numbers,
    read_target,
    read_weights,
    table_values,
    take_columns,
)
from featsieve.data._row_design import (
    ANY_ORDER,
    RowDesign,
    RowOptions,
    canonical_form,
    canonical_order,
    moment_codes,
    named_column,
    option_column,
    read_design,
    scattered,
    take_options,
    weight_column,
)
from featsieve.data._table import frame_library, make_frame
from featsieve.data.read._encode import Codes, Numbers, Raw
from featsieve.data.read._settle import Request, mark_missing, unique_names
from featsieve.data.stream._counted_table import CountedColumn, CountedTable
from featsieve.data.stream._counting import (
    ClassRule,
    CountingPlan,
)
