"""``python -m stcmtl``: see ``stcmtl.cli``."""

from stcmtl.cli import main

raise SystemExit(main())
