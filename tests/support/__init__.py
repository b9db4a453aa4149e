"""What tests share: positions, a referee, servers to test, and generators of test data. None of these modules is a test."""
