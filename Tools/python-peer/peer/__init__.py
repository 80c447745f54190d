"""A second implementation of Latchkey's protocol: a child that dials, written from Protocol/ alone."""
