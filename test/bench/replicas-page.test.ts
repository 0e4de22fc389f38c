import { describe, expect, it } from 'vitest';
import { type ReplicasResult, replicasHeading, replicasPage, replicasSection } from './replicas-page.mjs';

const row = { scenario: 'replicas' };
const result: ReplicasResult = {
  date: '2026-01-02T03:04:05.000Z',
  command: 'npm run bench -- replicas',
  scale: 1,
  seconds: 600,
  machine: {
    cores: 2,
    processor: 'some processor',
    memoryMiB: 8000,
    kernel: 'Linux 6',
    node: 'v20',
    fileSystem: 'ext4',
    syncMilliseconds: 0.5,
    version: '0.1.0',
    commit: 'abc',
  },
  etcd: { version: '3.6.6', members: 3 },
  sides: {
    embedded: 'Flotilla, embedded store',
    'replicas-1': 'Flotilla, 1 replica',
    'replicas-2': 'Flotilla, 2 replicas',
    theirs: 'kube-apiserver v1.36.3',
  },
  rows: [
    {
      ...row,
      id: 'create-10',
      operation: 'create, 10 clients',
      embedded: { rate: 2000, serverCpu: 0.5 },
      'replicas-1': { rate: 900, serverCpu: 1, etcdCpu: 0.6 },
      'replicas-2': { rate: 800, serverCpu: 1.6, etcdCpu: 0.7 },
      theirs: { rate: 400, serverCpu: 4, etcdCpu: 0.6 },
    },
    {
      ...row,
      id: 'get-10',
      operation: 'get, 10 clients',
      embedded: { p50: 1, serverCpu: 0.1 },
      'replicas-1': { p50: 1.5, serverCpu: 0.14, etcdCpu: 0.02 },
      'replicas-2': { p50: 1.75, serverCpu: 0.15, etcdCpu: 0.03 },
      theirs: { p50: 3, serverCpu: 0.6, etcdCpu: 0.2 },
    },
    {
      ...row,
      id: 'cached-get-10',
      operation: 'get, 10 clients, any state',
      embedded: { p50: 1, serverCpu: 0.1 },
      'replicas-1': { p50: 1, serverCpu: 0.1, etcdCpu: 0 },
      'replicas-2': { p50: 1, serverCpu: 0.2, etcdCpu: 0 },
      theirs: { p50: 1, serverCpu: 0.2, etcdCpu: 0 },
    },
  ],
};

describe('the page of several replicas', () => {
  it('compares the CPU time with the targets, for each number of replicas', () => {
    const page = replicasPage(result);
    expect(page).toContain('| times better | than | target | 1 replica | 2 replicas |  |');
    expect(page).toContain(
      '| create, 10 clients: server CPU ms | kube-apiserver v1.36.3 | 3× | 4× | 2.5× | missed with 2 replicas |',
    );
    expect(page).toContain(
      '| get, 10 clients, any state: server CPU ms | Flotilla, embedded store | 0.9× | 1× | 0.5× | missed with 2 replicas |',
    );
  });

  it('shows the cost of the question to etcd', () => {
    const page = replicasPage(result);
    expect(page).toContain('| added | 1 replica | 2 replicas | kube-apiserver v1.36.3 |');
    expect(page).toContain('| get, 10 clients: p50 ms | 0.50 | 0.75 | 2.00 |');
    expect(page).toContain('| get, 10 clients: server CPU ms | 0.040 | -0.050 | 0.400 |');
  });

  it('has a table for each operation with a line for each side', () => {
    const [, table = ''] = replicasPage(result).split('### Create, 10 clients\n');
    expect(table.trimStart().split('\n\n')[0]?.split('\n')).toEqual([
      '|  | per second | server CPU ms | etcd CPU ms | server CPU, times better |',
      '| --- | --- | --- | --- | --- |',
      '| Flotilla, embedded store | 2,000 | 0.500 |  | 8× |',
      '| Flotilla, 1 replica | 900 | 1.000 | 0.600 | 4× |',
      '| Flotilla, 2 replicas | 800 | 1.600 | 0.700 | 2.5× |',
      '| kube-apiserver v1.36.3 | 400 | 4.000 | 0.600 | 1× |',
    ]);
  });

  it('compares nothing with kube-apiserver if it was not measured', () => {
    const { theirs: _, ...sides } = result.sides;
    const rows = result.rows.map(({ theirs: _theirs, ...each }) => each);
    const page = replicasPage({ ...result, sides, rows });
    expect(page).not.toContain('kube-apiserver v1.36.3');
    expect(page).toContain('| Flotilla, 1 replica | 900 | 1.000 | 0.600 |');
  });

  it('reports the sides that failed', () => {
    const failures = [{ side: 'replicas-2', scenario: 'replicas', message: 'write: 503 instead of 201' }] as const;
    expect(replicasPage({ ...result, failures })).toContain(
      '- Flotilla, 2 replicas: failed: write: 503 instead of 201',
    );
  });

  it('is a section of the performance page', () => {
    const section = replicasSection(result);
    expect(section.startsWith(`${replicasHeading}\n\n`)).toBe(true);
    expect(section.match(/^## /gm)).toHaveLength(1);
    expect(section).toContain('### Targets of replicas');
  });
});
