def pytest_configure(config):
    config.addinivalue_line("markers", "slow: runs the units under a systemd of their own (40 s)")
