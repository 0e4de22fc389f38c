import { expect, it } from 'vitest';
import { freePorts } from './start-program.mjs';

/** From here on Linux gives ports to connections, as it comes; others begin higher. */
const firstOfConnections = 32_768;

it('finds free ports that are different, and that nobody gets who connects somewhere', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  expect(Math.max(...ports)).toBeLessThan(firstOfConnections);
});
