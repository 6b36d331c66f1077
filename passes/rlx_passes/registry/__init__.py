"""Pass objects made from their text form, and the context in which programs are read."""
