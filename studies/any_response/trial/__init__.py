"""The clean trial of AnyResponse: fresh problems, drawn after its rule was frozen, and limits set before.

1. `--freeze` writes frozen.json: decisions of every policy, digests of problems, and the limits.
2. Someone who did not choose the rule writes three worlds into unseen.py and picks a number.
3. `--number N` runs the trial. It refuses to run if anything differs from frozen.json.
4. `--report` writes docs/studies/any-response-trial.md.

`make study NAME="any_response.trial --number N"` runs it from the repository.
"""
