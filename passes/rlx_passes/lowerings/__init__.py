"""From rlx ops to the dialect of a backend."""
