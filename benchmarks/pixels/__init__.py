"""What agents earn from pictures, and at what cost: README.md."""
