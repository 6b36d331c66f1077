"""What changes a pipeline from outside of its text: the environment, and the switches of the project that this one goes back to."""
