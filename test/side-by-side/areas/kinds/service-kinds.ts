import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const namespace = 'services';
const networking = '/apis/networking.k8s.io/v1';
const services = `/api/v1/namespaces/${namespace}/services`;
/** Addresses and node ports that each server chooses itself. */
const chosen = /spec\.(clusterIP|clusterIPs\[0\]|healthCheckNodePort|ports\[\d+\]\.nodePort)$/;
const ports = [{ port: 80 }];

/** Compares services, IPAddress objects and ServiceCIDR objects. */
export function serviceKinds(pair: Pair): void {
  describe('Services', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown, ignoredFields?: RegExp) =>
      pair.send({ method: 'POST', path, json }, ignoredFields === undefined ? {} : { ignoredFields });
    const patch = (path: string, type: string, change: unknown, ignoredFields?: RegExp) =>
      pair.send(
        { method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': type } },
        ignoredFields === undefined ? {} : { ignoredFields },
      );
    const merge = (path: string, change: unknown, ignoredFields?: RegExp) =>
      patch(path, mergePatch, change, ignoredFields);
    const table = (path: string, age: number) =>
      pair.send({ path, headers: { accept: asTable } }, { ignoredFields: new RegExp(`\\.cells\\[${age}\\]$`) });
    const remove = (path: string) => pair.send({ method: 'DELETE', path });
    const create = (name: string, spec: unknown, ignoredFields?: RegExp) =>
      post(services, { metadata: { name }, spec }, ignoredFields);

    compared('have IPAddress objects with rules and columns', async () => {
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      const addresses = `${networking}/ipaddresses`;
      const parentRef = { resource: 'services', namespace: 'a', name: 'b' };
      await post(addresses, { metadata: { name: '10.96.9.1' }, spec: { parentRef } });
      await post(addresses, { metadata: { name: '2001:db8::1' }, spec: { parentRef: { ...parentRef, group: 'x.y' } } });
      await post(addresses, { metadata: { name: '10.96.9.2' } });
      for (const name of ['x', '010.0.0.1', '2001:DB8::2', '::ffff:10.0.0.1', '10.0.0.300']) {
        await post(addresses, { metadata: { name }, spec: { parentRef } });
      }
      await post(addresses, { metadata: { name: '10.96.9.2' }, spec: { parentRef: {} } });
      const wrong = { group: '-', resource: 'a/b', namespace: 'c%d', name: '..' };
      await post(addresses, { metadata: { name: '10.96.9.2' }, spec: { parentRef: wrong } });
      await merge(`${addresses}/10.96.9.1`, { spec: { parentRef: { name: 'c' } } });
      await merge(`${addresses}/10.96.9.1`, { spec: { parentRef: null } });
      await merge(`${addresses}/10.96.9.1`, { metadata: { labels: { a: 'b' } } });
      await table(`${addresses}/10.96.9.1`, 2);
      await table(`${addresses}/2001:db8::1`, 2);
      await remove(`${addresses}/2001:db8::1`);
    });

    compared('have ServiceCIDR objects with rules, a status and columns', async () => {
      const ranges = `${networking}/servicecidrs`;
      const range = (name: string, ...cidrs: string[]) => post(ranges, { metadata: { name }, spec: { cidrs } });
      await range('one', '192.168.0.0/24');
      await range('two', '192.168.1.0/24', '2001:db8::/64');
      await post(ranges, { metadata: { name: 'bare' } });
      await range('bad');
      await range('bad', '10.0.0.0/8', '10.1.0.0/16');
      await range('bad', '10.0.0.0/8', '2001:db8::/64', '10.1.0.0/16');
      await range('bad', '10.0.0.1/8', '2001:DB8::/64');
      await range('bad', 'x', '010.0.0.0/8');
      await merge(`${ranges}/one`, { spec: { cidrs: ['192.168.2.0/24'] } });
      await merge(`${ranges}/two`, { spec: { cidrs: ['192.168.1.0/24'] } });
      await merge(`${ranges}/two`, { spec: { cidrs: null } });
      await merge(`${ranges}/one`, { spec: { cidrs: ['192.168.2.0/24', '10.0.0.1/8'] } });
      await merge(`${ranges}/one`, { spec: { cidrs: ['192.168.0.0/24', '2001:db8:1::/64'] } });
      const lastTransitionTime = '2026-01-01T00:00:00Z';
      const condition = { type: 'Ready', status: 'False', reason: 'r', message: 'm', lastTransitionTime };
      await merge(`${ranges}/one/status`, {
        metadata: { labels: { a: 'b' } },
        spec: { cidrs: null },
        status: { conditions: [condition] },
      });
      await merge(`${ranges}/one`, { status: { conditions: [] } });
      await table(`${ranges}/two`, 2);
      const varying = /(managedFields.*|cells\[2\]|lastTransitionTime|resourceVersion)$/;
      await pair.send({ path: `${ranges}/kubernetes`, headers: { accept: asTable } }, { ignoredFields: varying });
      await pair.send({ path: `${ranges}/kubernetes` }, { ignoredFields: varying });
    });

    compared('have defaults and columns', async () => {
      await create('bare', {});
      await create('web', { clusterIP: '10.96.1.1', ports, selector: { b: 'c', a: 'b' } });
      await create('auto', { ports }, chosen);
      await create('node', {
        type: 'NodePort',
        clusterIP: '10.96.1.2',
        ports: [
          { name: 'a', port: 80, nodePort: 30001 },
          { name: 'b', port: 80, protocol: 'UDP' },
          { name: 'c', port: 81, targetPort: 'http', nodePort: 30002, appProtocol: 'kubernetes.io/h2c' },
        ],
      });
      await create('automatic-node', { type: 'NodePort', ports, selector: { a: 'b' } }, chosen);
      await create('balancer', {
        type: 'LoadBalancer',
        clusterIP: '10.96.1.3',
        ports: [{ port: 80, nodePort: 30003 }],
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30004,
        loadBalancerClass: 'example.com/class',
        loadBalancerSourceRanges: ['10.0.0.0/8 ', '2001:DB8::/32'],
        sessionAffinity: 'ClientIP',
      });
      await create('no-node-ports', {
        type: 'LoadBalancer',
        clusterIP: '10.96.1.4',
        ports,
        allocateLoadBalancerNodePorts: false,
        externalIPs: ['10.1.2.3', '2001:DB8::3'],
      });
      await create('name', { type: 'ExternalName', externalName: 'a.example.', externalIPs: ['10.0.0.1'] });
      await create('headless', { clusterIP: 'None', selector: { a: 'b' }, externalIPs: ['10.0.0.1'] });
      await create('endpoints', { clusterIP: 'None', ports, externalName: 'x', sessionAffinity: 'ClientIP' });
      await create('close', { clusterIP: '10.96.1.5', ports, trafficDistribution: 'PreferClose' });
      for (const name of ['web', 'node', 'balancer', 'no-node-ports', 'name', 'headless', 'endpoints']) {
        await table(`${services}/${name}`, 5);
      }
      await pair.send({ path: `${services}?fieldSelector=spec.type=ExternalName` });
      await pair.send({ path: `${services}?fieldSelector=spec.clusterIP=None` });
    });

    compared('have rules for their fields', async () => {
      await create('1-digit', { clusterIP: '10.96.2.1', ports });
      await create('a.b', { clusterIP: '10.96.2.2', ports });
      const wrongPorts = [
        { port: 0 },
        { name: 'UP', port: 70000, protocol: 'ICMP', targetPort: 0, appProtocol: '/' },
        { name: 'a', port: 1, targetPort: 'UP--x' },
        { name: 'a', port: 1, targetPort: 70000 },
      ];
      await create('bad', { clusterIP: '10.96.2.2', ports: wrongPorts, selector: { '-': '-' } });
      await create('bad', {
        clusterIP: '10.96.2.2',
        ports: [{ port: 80, nodePort: 30100 }],
        sessionAffinity: 'Sometimes',
        externalIPs: ['x', '127.0.0.1', '010.0.0.1'],
        loadBalancerSourceRanges: ['x', '10.0.0.1/8'],
        allocateLoadBalancerNodePorts: true,
        loadBalancerClass: 'c',
        externalTrafficPolicy: 'Some',
        internalTrafficPolicy: 'Some',
        healthCheckNodePort: 30101,
        trafficDistribution: 'Some',
      });
      await create('bad', { type: 'Other', ports, internalTrafficPolicy: 'Some' }, chosen);
      await create('bad', { clusterIP: '10.96.2.2', ports, externalTrafficPolicy: 'Local' });
      await create('bad', {
        clusterIP: '10.96.2.2',
        ports,
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 90000 } },
      });
      await create('bad', {
        type: 'LoadBalancer',
        clusterIP: '10.96.2.2',
        ports: [{ port: 80, nodePort: 30102 }],
        loadBalancerClass: 'a/b/c',
        loadBalancerSourceRanges: ['x'],
        externalTrafficPolicy: 'Some',
      });
      for (const type of ['NodePort', 'LoadBalancer']) await create('bad', { type, clusterIP: 'None' });
      await create('bad', { type: 'ExternalName' });
      await create('bad', {
        type: 'ExternalName',
        externalName: '-',
        clusterIP: '10.96.2.2',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Some',
      });
      const annotations = {
        'service.kubernetes.io/topology-aware-hints': 'a',
        'service.kubernetes.io/topology-mode': 'b',
        'service.beta.kubernetes.io/load-balancer-source-ranges': 'x, 10.0.0.0/8',
      };
      await post(services, { metadata: { name: 'bad', annotations }, spec: { clusterIP: '10.96.2.2', ports } });
    });

    compared('have rules for addresses, IP families and node ports', async () => {
      const one = { ports, clusterIP: '10.96.3.1' };
      await create('bad', { ...one, clusterIPs: ['10.96.3.2'] });
      await create('bad', { ports, clusterIPs: ['10.96.3.2'] });
      await create('bad', { ...one, clusterIPs: ['10.96.3.1', '10.96.3.2'] });
      await create('bad', { ...one, clusterIPs: ['10.96.3.1', '2001:db8::1'] });
      await create('bad', { ...one, clusterIPs: ['10.96.3.1', '2001:db8::1'], ipFamilyPolicy: 'PreferDualStack' });
      await create('bad', { ports, clusterIP: 'None', clusterIPs: ['None', '10.96.3.1'] });
      await create('bad', { ports, clusterIP: 'x', ipFamilies: ['IPv5', 'IPv4', 'IPv4'], ipFamilyPolicy: 'Some' });
      await create('bad', { ports, clusterIP: '2001:db8::1' });
      await create('bad', { ...one, ipFamilies: ['IPv6'] });
      await create('bad', { ports, ipFamilies: ['IPv6'] });
      await create('bad', { ports, ipFamilies: ['IPv4', 'IPv6'] });
      await create('bad', { ports, ipFamilyPolicy: 'RequireDualStack' });
      await create('prefers', { ...one, ipFamilyPolicy: 'PreferDualStack' });
      await merge(`${services}/prefers`, { metadata: { labels: { a: 'b' } } });
      await create('six', { ports, clusterIP: 'None', ipFamilies: ['IPv6'] });
      for (const ip of ['10.97.0.1', '10.96.0.0', '10.96.255.255', '10.96.3.1', '10.96.0.1', '10.96.9.1']) {
        await create('bad', { ports, clusterIP: ip });
      }
      for (const nodePort of [80, 30001, 30004]) {
        await create('bad', { type: 'NodePort', clusterIP: '10.96.3.3', ports: [{ port: 80, nodePort }] });
      }
      await create('bad', {
        type: 'NodePort',
        clusterIP: '10.96.3.3',
        ports: [
          { name: 'a', port: 80, nodePort: 30300 },
          { name: 'b', port: 81, nodePort: 30300 },
        ],
      });
      await create('bad', {
        type: 'LoadBalancer',
        clusterIP: '10.96.3.3',
        ports,
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 30004,
      });
    });

    compared('create and delete their IPAddress objects', async () => {
      const address = `${networking}/ipaddresses/10.96.4.1`;
      const owners = /metadata\.managedFields/;
      await create('short', { ports, clusterIP: '10.96.4.1' });
      await pair.send({ path: address }, { ignoredFields: owners });
      await remove(`${services}/short`);
      await pair.send({ path: address });
      await create('short', { ports, clusterIP: '10.96.4.1' });
    });

    compared('are in discovery', async () => {
      await pair.send({ path: networking });
    });

    compared('allocate nothing in a dry run', async () => {
      const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports };
      await post(`${services}?dryRun=All`, { metadata: { name: 'dry' }, spec }, chosen);
      await post(`${services}?dryRun=All`, { metadata: { name: 'dry' }, spec: { ports, clusterIP: '10.97.0.1' } });
      await pair.send({ path: `${services}/dry` });
    });

    compared('release their addresses when they are deleted', async () => {
      const endpoints = `/api/v1/namespaces/${namespace}/endpoints`;
      await create('deleted', { ports, clusterIP: '10.96.4.2', type: 'NodePort' }, chosen);
      await post(endpoints, { metadata: { name: 'deleted' }, subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] });
      await pair.send({ method: 'DELETE', path: `${services}/deleted?dryRun=All` }, { ignoredFields: chosen });
      await merge(`${services}/deleted`, { metadata: { finalizers: ['a.example/b'] } }, chosen);
      await pair.send({ method: 'DELETE', path: `${services}/deleted` }, { ignoredFields: chosen });
      await create('other', { ports, clusterIP: '10.96.4.2' });
      await merge(`${services}/deleted`, { metadata: { finalizers: null } }, chosen);
      await pair.send({ path: `${endpoints}/deleted` });
      await create('other', { ports, clusterIP: '10.96.4.2' });
    });

    compared('keep allocated values on updates', async () => {
      const web = `${services}/web`;
      const put = (name: string, json: object, ignoredFields?: RegExp) =>
        pair.send(
          { method: 'PUT', path: `${services}/${name}`, json: { metadata: { name }, ...json } },
          ignoredFields === undefined ? {} : { ignoredFields },
        );
      await put('web', { spec: { ports: [{ port: 81 }] } });
      await put('new', { spec: { ports, clusterIP: '10.96.5.1' } });
      await merge(web, { spec: { clusterIP: '10.96.5.2' } });
      await merge(web, { spec: { clusterIP: 'None' } });
      await merge(web, { spec: { clusterIP: '10.96.5.2', clusterIPs: ['10.96.5.2'] } });
      await merge(web, { spec: { ipFamilies: ['IPv6'] } });
      await merge(web, { spec: { ipFamilyPolicy: 'RequireDualStack' } });
      await merge(web, { spec: { ipFamilyPolicy: 'PreferDualStack' } });
      await merge(web, { spec: { ports: [{ port: 0 }], loadBalancerClass: 'x' } });
      await merge(`${services}/balancer`, { spec: { loadBalancerClass: 'other', healthCheckNodePort: 30500 } });
      await merge(web, { spec: { type: 'NodePort', ports: [{ port: 81, nodePort: 30501 }] } });
      await put('web', { spec: { type: 'NodePort', ports: [{ port: 82 }] } });
      await merge(web, { spec: { type: 'LoadBalancer' } });
      await merge(web, { spec: { type: 'ClusterIP' } });
      await merge(web, { spec: { type: 'ExternalName', externalName: 'b.example' } });
      await merge(web, { spec: { type: 'ClusterIP', clusterIP: '10.96.5.3' } });
      await merge(`${services}/node`, { spec: { type: 'ClusterIP', ports: [{ port: 80, nodePort: 30502 }] } });
      await merge(`${services}/node`, { spec: { ports: [{ port: 80, nodePort: 30003 }] } });
      await merge(`${services}/headless`, { spec: { clusterIP: '10.96.5.4', clusterIPs: ['10.96.5.4'] } });
      await merge(`${services}/name`, { spec: { type: 'NodePort', ports } }, chosen);
    });

    compared('have a status', async () => {
      const balancer = `${services}/balancer`;
      const status = (name: string, ...ingress: object[]) =>
        merge(`${services}/${name}/status`, {
          metadata: { labels: { from: 'status' } },
          spec: { ports: [] },
          status: { loadBalancer: { ingress } },
        });
      await status('close', { ip: '10.0.0.1' });
      await status(
        'balancer',
        { ip: 'x' },
        { ip: '10.0.0.1', ipMode: 'Some' },
        { hostname: '10.0.0.1', ipMode: 'VIP' },
      );
      await status('balancer', { ip: '10.0.0.9' }, { hostname: 'a-long-name.example' });
      await merge(balancer, { status: { loadBalancer: null } });
      await table(balancer, 5);
      await merge(balancer, { spec: { externalTrafficPolicy: 'Cluster' } });
      await merge(balancer, { spec: { type: 'ClusterIP', loadBalancerSourceRanges: null } });
    });

    compared('can be applied', async () => {
      const applied = (change: object) =>
        patch(`${services}/applied?fieldManager=m`, applyPatch, {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'applied' },
          spec: { clusterIP: '10.96.6.1', ...change },
        });
      await applied({ ports: [{ port: 1 }, { port: 1, protocol: 'UDP', name: 'u' }] });
      await applied({ ports: [{ port: 1, name: 't' }] });
      await applied({ type: 'NodePort', ports: [{ port: 1, nodePort: 30600 }] });
      await pair.send(
        { path: '/api/v1/namespaces/default/services/kubernetes' },
        {
          ignoredFields: /(targetPort|resourceVersion|metadata\.managedFields.*)$/,
        },
      );
    });
  });
}
