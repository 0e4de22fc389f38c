"""Connects two TUN interfaces of its own, and delays and drops packets between them, for kernels without the queueing
discipline netem: slow-link.py NAME NAME DELAY_MILLISECONDS LOSS_PERCENT. Ends, with both interfaces, when stdin closes."""

import fcntl
import os
import select
import struct
import sys
import time
from collections import deque

set_interface = 0x400454CA
tun, no_packet_information = 0x0001, 0x1000
longest_packet = 65_536


def open_interface(name):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, set_interface, struct.pack("16sH22x", name.encode(), tun | no_packet_information))
    return device


class Losses:
    """Pseudo-random losses, in the same sequence in each run."""

    def __init__(self, percent):
        self.percent = percent
        self.state = 1

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % 10_000 < self.percent * 100


def main():
    one, other = open_interface(sys.argv[1]), open_interface(sys.argv[2])
    delay, losses = int(sys.argv[3]) / 1000, Losses(float(sys.argv[4]))
    opposite = {one: other, other: one}
    # The delay is constant, so the packets leave in the order of their arrival.
    queue = deque()
    print("ready", flush=True)
    while True:
        timeout = max(0, queue[0][0] - time.monotonic()) if queue else None
        readable, _, _ = select.select([one, other, sys.stdin], [], [], timeout)
        if sys.stdin in readable:
            return
        now = time.monotonic()
        for device in readable:
            packet = os.read(device, longest_packet)
            if not losses.next():
                queue.append((now + delay, opposite[device], packet))
        while queue and queue[0][0] <= now:
            _, device, packet = queue.popleft()
            try:
                os.write(device, packet)
            except OSError:
                pass  # The interface is down: the packet is lost.


main()
