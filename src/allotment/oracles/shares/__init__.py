"""The best way to share out whole units over arms: `allocate`, and the kernels beneath it."""
