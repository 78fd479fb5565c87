"""One module per family of workloads; each exposes `WORKLOADS`."""
