"""Files and frames in, one Table of typed columns out."""
