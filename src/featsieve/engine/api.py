"""What other packages of featsieve use of `engine`, beside what users import."""

from featsieve.engine._cluster import dask_parquet_files, fetch, is_dask_frame
from featsieve.engine._run import row_keys, sum_over_parts
