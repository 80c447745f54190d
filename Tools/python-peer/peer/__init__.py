"""A second implementation of Latchkey's protocol, written from Protocol/ alone."""
