"""Sets of features that matter together: how they are found, grouped and described."""
