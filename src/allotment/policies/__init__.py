"""One file per policy, named after it: CsbDtUcb lives in csb_dt_ucb.py. A new file is found by itself."""
