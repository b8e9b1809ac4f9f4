"""How much the service takes, measured over loopback from a process of its own."""
