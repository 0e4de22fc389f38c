import { describe, expect, it } from 'vitest';
import { agentCommand } from './agent-command.ts';

describe('the command that starts an agent', () => {
  const options = { cluster: 'edge', managementHost: 'https://clusters.example.com:8443', hasOwnCa: true } as const;

  it('contains the server, the cluster, the key file and what to serve', () => {
    expect(agentCommand({ ...options, target: 'built-in' })).toBe(
      [
        'flotilla agent --management https://clusters.example.com:8443 --ca-file ca.crt \\',
        '  --cluster edge --access-key-file edge.key \\',
        '  --listen 0.0.0.0:8444 --external-url https://edge.example.com:8444 --built-in',
      ].join('\n'),
    );
    expect(agentCommand({ ...options, target: 'kubeconfig' })).toContain(' --kubeconfig kubeconfig.yaml');
    expect(agentCommand({ ...options, target: 'pod' })).toMatch(/:8444$/);
  });

  it('needs no certificate file if the server has a publicly trusted certificate', () => {
    expect(agentCommand({ ...options, hasOwnCa: false, target: 'pod' })).not.toContain('ca.crt');
  });

  it('accepts a host without a scheme', () => {
    expect(agentCommand({ ...options, managementHost: 'clusters.example.com', target: 'pod' })).toContain(
      '--management https://clusters.example.com',
    );
  });
});
