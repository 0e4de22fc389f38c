import { expect, it } from 'vitest';
import { freePorts } from './start-program.mjs';

/** The first ephemeral port on Linux; other systems start higher. */
const firstEphemeralPort = 32_768;

it('free ports are distinct and outside the range of outgoing connections', async () => {
  const ports = await freePorts(50);
  expect(new Set(ports).size).toBe(50);
  expect(Math.max(...ports)).toBeLessThan(firstEphemeralPort);
});
