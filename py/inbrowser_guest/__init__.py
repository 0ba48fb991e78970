"""What runs inside a guest: one process of Python, isolated from the page, thrown away when it has ended."""
