"""From text to a verified program, with messages that say where."""
