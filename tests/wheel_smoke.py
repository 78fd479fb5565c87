"""Run by `make wheel` in an empty environment: the installed package does its job."""

import subprocess
import sys
import tempfile
from pathlib import Path

import featsieve
from featsieve.datasets import make_corral
from featsieve.selectors import MeasureFilter


def main():
    assert "site-packages" in featsieve.__file__, featsieve.__file__
    table, _ = make_corral()
    selector = MeasureFilter(n_features_to_select=1).fit(table, None)
    assert selector.get_feature_names_out().tolist() == ["Correlated"]

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "t.csv")
        data.write_text("colour,size,class\n" + "red,1,a\nblue,2,b\n" * 20)
        command = [Path(sys.executable).with_name("featsieve"), "rank", data]
        done = subprocess.run(
            [*command, "--target", "class"], capture_output=True, text=True, check=True
        )
        assert "colour" in done.stdout, done.stdout
    sys.stdout.write(f"featsieve {featsieve.__version__} works from its wheel\n")


if __name__ == "__main__":
    main()
