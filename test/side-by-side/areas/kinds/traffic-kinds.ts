import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const namespace = 'traffic';
const networking = `/apis/networking.k8s.io/v1/namespaces/${namespace}`;
const age = /\.cells\[\d+\]$/;

/** Compares rules for traffic between pods and from outside, and runtime classes. */
export function trafficKinds(pair: Pair): void {
  describe('Traffic', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown) => pair.send({ method: 'POST', path, json });
    const patch = (path: string, type: string, change: unknown) =>
      pair.send({ method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': type } });
    const merge = (path: string, change: unknown) => patch(path, mergePatch, change);
    const apply = (path: string, json: unknown) => patch(`${path}?fieldManager=m`, applyPatch, json);
    const table = (path: string) => pair.send({ path, headers: { accept: asTable } }, { ignoredFields: age });

    compared('has network policies with defaults, rules and columns', async () => {
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      const policies = `${networking}/networkpolicies`;
      await post(policies, { metadata: { name: 'bare' } });
      const labels = { matchLabels: { b: 'c' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['y', 'x'] }] };
      await post(policies, {
        metadata: { name: 'web' },
        spec: {
          podSelector: labels,
          ingress: [
            {
              ports: [
                { port: 80, endPort: 90 },
                { port: 'http', protocol: 'UDP' },
              ],
              from: [{ podSelector: {} }],
            },
          ],
          egress: [
            {
              to: [
                { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } },
                { ipBlock: { cidr: '2001:DB8::/32' } },
              ],
            },
          ],
        },
      });
      const ports = [
        { protocol: 'ICMP' },
        { port: 0 },
        { port: 80, endPort: 70 },
        { port: 80, endPort: 70000 },
        { port: 'Http', endPort: 3 },
        { port: '-a--b-verylongname-1' },
        { port: '' },
        { endPort: 3 },
      ];
      const ranges = ['', 'x', '10.0.0.0/33', '10.0.0.1/8', '010.0.0.0/8', '10.0.0.0/08', '::ffff:10.0.0.0/104'];
      const peers = [
        {},
        ...ranges.map((cidr) => ({ ipBlock: { cidr } })),
        { ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16', '10.0.0.0/8', 'x', '2001:db8::/64'] } },
        { ipBlock: { cidr: '10.0.0.0/8' }, podSelector: { matchLabels: { '-': 'b' } }, namespaceSelector: labels },
        { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } },
      ];
      await post(policies, { metadata: { name: 'ports' }, spec: { podSelector: {}, ingress: [{ ports }] } });
      await post(policies, { metadata: { name: 'peers' }, spec: { podSelector: {}, egress: [{ to: peers }] } });
      await post(policies, { metadata: { name: 'types' }, spec: { policyTypes: ['Both', 'Ingress'] } });
      await post(policies, { metadata: { name: 'types' }, spec: { policyTypes: ['Ingress', 'Egress', 'Egress'] } });
      await merge(`${policies}/web`, { spec: { policyTypes: ['Egress'] } });
      await merge(`${policies}/web`, { metadata: { labels: { a: 'b' } } });
      await table(`${policies}/web`);
      await table(`${policies}/bare`);
      await apply(`${policies}/applied`, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'applied' },
        spec: { podSelector: labels, ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 1 }] }] },
      });
    });

    compared('has ingresses with defaults, rules and columns', async () => {
      const ingresses = `${networking}/ingresses`;
      const backend = { service: { name: 'web', port: { number: 80 } } };
      const path = { path: '/', pathType: 'Prefix', backend };
      await post(ingresses, { metadata: { name: 'bare' } });
      await post(ingresses, { metadata: { name: 'default' }, spec: { defaultBackend: backend } });
      const rules = ['a.example', 'b.example', '*.example', 'd.example'].map((host) => ({
        host,
        http: { paths: [path] },
      }));
      await post(ingresses, {
        metadata: { name: 'web', annotations: { 'kubernetes.io/ingress.class': 'c' } },
        spec: { rules, tls: [{ hosts: ['a.example'], secretName: 's' }] },
      });
      await post(ingresses, {
        metadata: { name: 'classes', annotations: { 'kubernetes.io/ingress.class': 'a' } },
        spec: { defaultBackend: backend, ingressClassName: 'b' },
      });
      const paths = [
        { backend },
        { path: 'a', pathType: 'Exact', backend },
        { path: '/a//b/../%2f/..', pathType: 'Prefix', backend },
        { path: 'a', pathType: 'ImplementationSpecific', backend },
        { path: '/', pathType: 'Regex', backend },
        { ...path, backend: {} },
        { ...path, backend: { service: { name: 'A_', port: { name: 'x', number: 1 } } } },
        { ...path, backend: { service: { port: { number: 70000 } } } },
        { ...path, backend: { service: { name: 'a', port: { name: 'UP' } } } },
        { ...path, backend: { service: { name: 'a', port: {} } } },
        { ...path, backend: { resource: { apiGroup: '-' } } },
        { ...path, backend: { resource: { kind: 'a/b', name: '..' } } },
        { ...path, backend: { ...backend, resource: { kind: 'K', name: 'n' } } },
      ];
      await post(ingresses, {
        metadata: { name: 'bad' },
        spec: { rules: [{ http: { paths } }, { http: { paths: [] } }] },
      });
      await post(ingresses, {
        metadata: { name: 'bad' },
        spec: {
          rules: [{ host: '10.0.0.1' }, { host: 'a.*.b' }, { host: 'UP' }, {}],
          tls: [{ hosts: ['*', 'UP', '*.ok.example'], secretName: '-' }],
          ingressClassName: '-',
        },
      });
      await merge(`${ingresses}/web`, {
        spec: { ingressClassName: 'nginx' },
        status: { loadBalancer: { ingress: [{ ip: 'x' }] } },
      });
      await merge(`${ingresses}/web/status`, {
        status: { loadBalancer: { ingress: [{ ip: '10.0.0.300' }, { hostname: '10.0.0.1' }, { hostname: 'UP' }] } },
      });
      await merge(`${ingresses}/web/status`, {
        metadata: { labels: { from: 'status' } },
        spec: { rules: [] },
        status: { loadBalancer: { ingress: [{ hostname: 'lb.example' }, { ip: '10.0.0.2' }] } },
      });
      await table(`${ingresses}/web`);
      await table(`${ingresses}/default`);
      await apply(`${ingresses}/applied`, {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'applied' },
        spec: { rules: rules.slice(0, 1) },
      });
    });

    compared('has runtime classes with rules and columns', async () => {
      const classes = '/apis/node.k8s.io/v1/runtimeclasses';
      await post(classes, { metadata: { name: 'bare' } });
      await post(classes, { metadata: { name: 'runc' }, handler: 'runc' });
      await post(classes, {
        metadata: { name: 'full' },
        handler: 'kata',
        overhead: { podFixed: { cpu: '100m', memory: '1Gi' } },
        scheduling: {
          nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
          tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }],
        },
      });
      await post(classes, { metadata: { name: 'bad' }, handler: 'a.b', overhead: { podFixed: { cpu: '-1' } } });
      await post(classes, { metadata: { name: 'bad' }, handler: 'UP', overhead: { podFixed: { pods: '1' } } });
      await post(classes, {
        metadata: { name: 'bad' },
        handler: 'a',
        overhead: { podFixed: { 'a.example/gpu': '1500m' } },
      });
      await post(classes, {
        metadata: { name: 'bad' },
        handler: 'a',
        overhead: { podFixed: { 'hugepages-2Mi': '2Mi' } },
      });
      await post(classes, {
        metadata: { name: 'bad' },
        handler: 'a',
        scheduling: {
          nodeSelector: { '-': '-' },
          tolerations: [
            { key: 'a', value: 'b', effect: 'Sometimes' },
            { key: '-', operator: 'Exists', value: 'x' },
            { key: 'a', value: '-', tolerationSeconds: 3 },
            { operator: 'Like' },
            { key: 'a', operator: 'Lt', value: '1' },
          ],
        },
      });
      await merge(`${classes}/runc`, { handler: 'other' });
      await merge(`${classes}/runc`, { scheduling: { nodeSelector: { '-': '-' } } });
      await table(`${classes}/full`);
    });
  });
}
