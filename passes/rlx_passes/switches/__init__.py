"""What changes a pipeline from outside its text: the environment, and the switches of the original project."""
