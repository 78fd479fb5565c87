"""Tables of any length, read part by part, from files or on a cluster."""
