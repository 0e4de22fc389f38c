import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const namespace = 'networks';
const discovery = `/apis/discovery.k8s.io/v1/namespaces/${namespace}`;
const core = `/api/v1/namespaces/${namespace}`;
const age = /\.cells\[\d+\]$/;

/** Compares the IP addresses of services. */
export function networkKinds(pair: Pair): void {
  describe('Networks', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown) => pair.send({ method: 'POST', path, json });
    const merge = (path: string, change: unknown) =>
      pair.send({ method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': mergePatch } });
    const table = (path: string) => pair.send({ path, headers: { accept: asTable } }, { ignoredFields: age });

    compared('have endpoints with defaults, rules and columns', async () => {
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      const endpoints = `${core}/endpoints`;
      await post(endpoints, { metadata: { name: 'bare' } });
      const addresses = ['10.0.0.1', '10.0.0.2', '2001:db8::1', '2001:DB8::2'].map((ip) => ({ ip }));
      await post(endpoints, {
        metadata: { name: 'web' },
        subsets: [{ addresses, ports: [{ port: 80 }] }, { notReadyAddresses: [{ ip: '10.1.0.1' }] }],
      });
      await post(endpoints, {
        metadata: { name: 'bad' },
        subsets: [
          {},
          {
            addresses: [
              '',
              'x',
              '0.0.0.0',
              '127.0.0.1',
              '169.254.1.1',
              '224.0.0.1',
              '010.0.0.1',
              '::ffff:10.0.0.1',
            ].map((ip) => ({ ip, hostname: 'UP', nodeName: '-' })),
            ports: [{ port: 0 }, { name: '-', port: 70000, protocol: 'x', appProtocol: '/' }],
          },
        ],
      });
      await merge(`${endpoints}/web`, { subsets: [{ addresses: [{ ip: 'fe80::1' }, { ip: '::1' }] }] });
      await table(`${endpoints}/web`);
      await pair.send({ method: 'PUT', path: `${endpoints}/new`, json: { metadata: { name: 'new' } } });
    });

    compared('have endpoint slices with defaults, rules and columns', async () => {
      const slices = `${discovery}/endpointslices`;
      await post(slices, { metadata: { name: 'bare' } });
      await post(slices, { metadata: { name: 'bad' }, addressType: 'x' });
      await post(slices, {
        metadata: { name: 'web' },
        addressType: 'IPv4',
        endpoints: [
          { addresses: ['10.0.0.1'], conditions: { ready: true } },
          { addresses: ['10.0.0.2', '10.0.0.3', '10.0.0.4'] },
        ],
        ports: [{ port: 80 }, { name: 'metrics' }],
      });
      await post(slices, {
        metadata: { name: 'bad' },
        addressType: 'IPv4',
        endpoints: [
          { addresses: [] },
          { addresses: ['x', '2001:db8::1', '127.0.0.1'], hostname: 'UP', nodeName: '-' },
          {
            addresses: ['10.0.0.1'],
            deprecatedTopology: { '-': '-' },
            hints: {
              forZones: [{ name: 'a' }, { name: 'a' }, { name: '-' }],
              forNodes: [{ name: 'n' }, { name: 'n' }],
            },
          },
        ],
        ports: [{ name: 'a' }, { name: 'a', protocol: 'x' }, { name: 'UP', appProtocol: '/' }],
      });
      await post(slices, {
        metadata: { name: 'six' },
        addressType: 'IPv6',
        endpoints: [{ addresses: ['2001:DB8::1', '::1'] }],
      });
      await post(slices, {
        metadata: { name: 'names' },
        addressType: 'FQDN',
        endpoints: [{ addresses: ['a.example', 'x', ''] }],
      });
      await merge(`${slices}/web`, { addressType: 'IPv6' });
      await merge(`${slices}/web`, { metadata: { labels: { a: 'b' } } });
      await table(`${slices}/web`);
      await table(`${slices}/bare`);
    });
  });
}
