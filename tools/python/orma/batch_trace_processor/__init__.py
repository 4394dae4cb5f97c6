"""Many traces at once, with the names of Perfetto's client."""
