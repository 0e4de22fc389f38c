import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { freePorts } from './start-program.mjs';

it('finds free ports that are different, and that nobody gets who connects somewhere', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  const [first = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split('\t').map(Number);
  expect(Math.max(...ports)).toBeLessThan(first);
});
