import { expect, it } from 'vitest';
import { builtinObjectsVersion } from '../controlplane/builtin-objects-version.ts';
import { testSealing, testTokenKeys } from '../controlplane/core/core.fixture.ts';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { createPlaneComposer } from './compose-plane.ts';

it('the version of the built-in objects is increased with each change of the objects', () => {
  const { builtinDigest } = createPlaneComposer({
    sealing: testSealing,
    tokens: testTokenKeys(),
    longestTokenSeconds: 60,
    webhookAddresses: [],
    clock: new ManualClock(),
    log: silentLog,
  });
  // If this check fails, increase `builtinObjectsVersion` and replace both expected values.
  expect({ version: builtinObjectsVersion, digest: builtinDigest('minimal') }).toEqual({
    version: 1,
    digest: '764938d1a353895c',
  });
});
