"""Runs a command in a pseudo-terminal: what is typed comes from standard input, what is shown goes to standard output."""
import os
import pty
import sys

# Wide enough that nothing is broken into lines where it was not written so.
sized = ['sh', '-c', 'stty cols 200 rows 50; exec "$@"', 'sh', *sys.argv[1:]]
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sized)))
