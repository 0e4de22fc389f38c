import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { followTokenFile } from './service-account-token.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-token-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('the token of a pod is read again after a minute, and kept if the file is missing', () => {
  const [clock, file] = [new ManualClock(), join(folder, 'token')];
  expect(() => followTokenFile(file, clock)).toThrow('ENOENT');
  writeFileSync(file, 'first\n');
  const current = followTokenFile(file, clock);
  writeFileSync(file, 'second\n');
  expect(current()).toBe('first');
  clock.advance(60_000);
  expect(current()).toBe('second');
  rmSync(file);
  clock.advance(60_000);
  expect(current()).toBe('second');
});
