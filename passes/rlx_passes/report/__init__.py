"""What a pipeline did to a program, in numbers and in reasons."""
