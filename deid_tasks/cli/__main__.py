"""``python -m deid_tasks.cli`` is ``deid``."""

import atexit
import os
import sys
import traceback

from deid_tasks.cli.app import main


def run_process() -> None:
    """Run the command line and end the process with its status.

    The process ends without tearing down the interpreter. Arrow's input and output threads may still hold objects of
    Python then, and CPython aborts when such a thread asks for its lock: the status is lost, and buffered output too.
    """
    status = 0
    try:
        main()
    except SystemExit as ended:
        status = _status_of(ended)
    except BaseException:
        traceback.print_exc()
        status = 1
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            # The reader went away, or the stream is closed.
            status = status or 141
    os._exit(status)


def _status_of(ended: SystemExit) -> int:
    if ended.code is None or isinstance(ended.code, int):
        return ended.code or 0
    print(ended.code, file=sys.stderr)
    return 1


if __name__ == "__main__":
    run_process()
