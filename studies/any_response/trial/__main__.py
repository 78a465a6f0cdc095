"""`python -m studies.any_response.trial` freezes, runs and reports the trial."""

import sys

from studies.any_response.trial.command import main

sys.exit(main())
