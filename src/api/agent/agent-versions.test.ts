import { describe, expect, it } from 'vitest';
import { agentVersionFault, isAgentOutdated, readAgentVersion } from './agent-versions.ts';

describe('the version of an agent', () => {
  it.each([
    ['0.3.0', '0.3.0'],
    ['0.2.9', '0.3.0'],
    ['0.2.0-rc.1', '0.3.1'],
    ['0.9.0', '1.0.0'],
    ['1.4.0', '1.3.0'],
    ['1.0.0', '1.1.0'],
    ['unknown', '1.1.0'],
  ])('%s is accepted by a server of version %s', (agent, server) => {
    expect(agentVersionFault(agent, server)).toBeUndefined();
  });

  it.each([
    [
      '0.1.0',
      '0.3.0',
      /^the agent has version 0\.1\.0, but this server of version 0\.3\.0 accepts only agents of version 0\.2 or newer; upgrade/,
    ],
    ['0.9.0', '1.1.0', /accepts only agents of version 1\.0 or newer/],
    ['1.9.0', '3.0.0', /accepts only agents of version 2\.x or newer/],
    ['2.0.0', '1.9.0', /too new for this server of version 1\.9\.0; upgrade the server first/],
  ])('%s is refused by a server of version %s', (agent, server, message) => {
    expect(agentVersionFault(agent, server)).toMatch(message);
  });

  it('is compared with the version of the server; any other text is ignored', () => {
    expect([isAgentOutdated('0.1.0', '0.2.0'), isAgentOutdated('0.2.0', '0.2.0')]).toEqual([true, false]);
    expect(readAgentVersion('1.2.3-beta.1')).toBe('1.2.3-beta.1');
    for (const text of ['', '1.2', '<b>1</b>', `1.2.3-${'x'.repeat(100)}`])
      expect(readAgentVersion(text)).toBeUndefined();
  });
});
