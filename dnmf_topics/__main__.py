"""`python -m dnmf_topics`, the same as the command `dnmf-topics`."""

import sys

from .cli import main

sys.exit(main())
