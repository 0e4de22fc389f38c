import { expect, it } from 'vitest';
import { colorsFor } from '../../output/colors.ts';
import { agentLines } from './agent-lines.ts';

const terminal = { colors: colorsFor(false, {}) };
const now = Date.parse('2026-01-01T01:00:00Z');

it('the output lists the agents of a cluster with their keys, versions and measurements', () => {
  const agents = [
    {
      name: 'agent-edge-a',
      hostname: 'edge-0',
      connected: true,
      lastSeen: '2026-01-01T00:58:00Z',
      version: '0.1.0',
      upgradeAvailable: '0.2.0',
      readOnly: true,
      roundTripMilliseconds: 12,
      kilobytesPerSecond: 2_500,
      keyFingerprint: 'SHA256:abc',
    },
    { name: 'b' },
  ];
  expect(agentLines({ status: { agents } }, terminal, now)).toEqual([
    '',
    'AGENT          HOST NAME   CONNECTED   SEEN   VERSION                              ROUND TRIP   THROUGHPUT   KEY',
    'agent-edge-a   edge-0      true        2m     0.1.0 (0.2.0 available), read-only   12 ms        2.5 MB/s     SHA256:abc',
    'b              -           false       -      -                                    -            -            access key',
  ]);
  expect(agentLines({}, terminal, now)).toEqual([]);
});
