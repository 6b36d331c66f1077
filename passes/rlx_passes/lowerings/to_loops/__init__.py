"""From linalg on memrefs to loops with schedules."""
