import { describe, expect, it } from 'vitest';
import type { AccessKey } from '../../../src/api/management/v1/access-key.ts';
import type { Cluster } from '../../../src/api/management/v1/cluster.ts';
import { projectNamespace } from '../../../src/api/naming.ts';
import { countByPhase, countByProject } from '../../data/rows/fleet-counts.ts';
import type { Row } from '../../data/rows/table-rows.ts';
import { type FleetRows, findIssues, groupIssues } from './issues.ts';

const now = Date.parse('2026-03-10T12:00:00Z');
const ago = (milliseconds: number) => new Date(now - milliseconds).toISOString();
const minute = 60_000;
const day = 86_400_000;

const columns = ['Name', 'Status', 'Message'].map((name) => ({
  name,
  type: 'string',
  format: '',
  description: '',
  priority: 0,
}));

interface InstanceParts {
  readonly project?: string;
  readonly metadata?: object;
}

function instance(
  name: string,
  status: string,
  made = ago(minute),
  { project = 'default', metadata = {} }: InstanceParts = {},
): Row {
  const namespace = projectNamespace(project);
  const all = { name, namespace, creationTimestamp: made, ...metadata };
  return {
    key: `${namespace}/${name}`,
    metadata: all,
    cells: [name, status, `why of ${name}`],
    object: { apiVersion: 'v1', kind: 'VirtualClusterInstance', metadata: all },
  };
}

function thing<Members extends Pick<Cluster, 'spec' | 'status'> | Pick<AccessKey, 'spec' | 'status'>>(
  name: string,
  members: Members,
  made = ago(minute),
) {
  const metadata = { name, creationTimestamp: made };
  return {
    key: `/${name}`,
    metadata,
    cells: [name],
    object: { apiVersion: 'v1', kind: 'Thing', metadata, ...members },
  };
}

function matters(seen: { readonly [Name in keyof FleetRows]?: FleetRows[Name]['rows'] }, mayChangeClusters = true) {
  const of = <One>(rows: readonly One[] = []) => ({ columns, rows });
  const all = { instances: of(seen.instances), clusters: of(seen.clusters), keys: of(seen.keys) };
  return findIssues(all, { now, mayChangeClusters });
}

describe('the items that need attention', () => {
  it('are empty for a healthy fleet', () => {
    const seen = {
      instances: [
        instance('fine', 'Ready', ago(day)),
        instance('new', 'Pending'),
        instance('asleep', 'Sleeping', ago(day)),
      ],
      clusters: [
        thing('local', { status: { phase: 'Initialized', online: true } }),
        thing('new', {}),
        thing('not-probed-yet', { status: { phase: 'Pending', online: false } }),
      ],
      keys: [thing('forever', { spec: {} }), thing('young', { spec: { ttl: 3 * 86_400 } })],
    };
    expect(matters(seen)).toEqual([]);
    const nothing = { columns, rows: [] };
    const options = { now, mayChangeClusters: true };
    expect(findIssues({ instances: nothing, clusters: nothing, keys: nothing }, options)).toEqual([]);
  });

  it('include failed instances with the message of the server', () => {
    expect(matters({ instances: [instance('broken', 'Failed')] })).toMatchObject([
      {
        what: 'Virtual cluster "broken" in project "default" has failed',
        why: 'why of broken',
        target: { page: 'instance', project: 'default', name: 'broken' },
      },
    ]);
  });

  it('include quarantined instances', () => {
    expect(matters({ instances: [instance('endless', 'Quarantined')] })).toMatchObject([
      { what: 'Virtual cluster "endless" in project "default" is quarantined', why: 'why of endless', urgency: 'now' },
    ]);
  });

  it('include instances that are stuck in creation or deletion', () => {
    const seen = [
      instance('slow', 'Pending', ago(7 * minute)),
      instance('silent', '', ago(7 * minute)),
      instance('held', 'Terminating', ago(day), { metadata: { deletionTimestamp: ago(10 * minute) } }),
      instance('leaving', 'Terminating', ago(day), { metadata: { deletionTimestamp: ago(minute) } }),
    ];
    expect(matters({ instances: seen }).map(({ what }) => what)).toEqual([
      'Virtual cluster "held" in project "default" has been terminating for 10m',
      'Virtual cluster "silent" in project "default" is not ready after 7m',
      'Virtual cluster "slow" in project "default" is not ready after 7m',
    ]);
  });

  it('include unreachable clusters, and keys that have expired or need attention', () => {
    const month = { spec: { ttl: 30 * 86_400 } };
    const seen = {
      clusters: [
        thing('far', { status: { phase: 'Failed', online: false, message: 'no route', kubernetesVersion: 'v1.34.0' } }),
        thing('new', { status: { phase: 'Failed', online: false, message: 'no agent' } }),
      ],
      keys: [
        thing('ending', month, ago(28 * day)),
        thing('ended', month, ago(31 * day)),
        thing('left', { spec: { team: 'red' }, status: { message: 'disabled at noon' } }),
        thing('unused', { spec: {} }, ago(100 * day)),
        thing('used', { spec: {}, status: { lastActivity: ago(day) } }, ago(100 * day)),
        thing('off', { spec: { ttl: 60, disabled: true } }, ago(day)),
        thing('login-x', { spec: { ttl: 60, type: 'Login' } }, ago(day)),
      ],
    };
    expect(matters(seen).map(({ what, urgency }) => [urgency, what])).toEqual([
      ['now', 'Cluster "far" cannot be reached'],
      ['now', 'Cluster "new" is not connected yet'],
      ['soon', 'Access key "ended" has expired'],
      ['soon', 'Access key "ending" expires soon'],
      ['soon', 'Access key "left" will be disabled'],
      ['soon', 'Access key "unused" is not used'],
    ]);
  });
});

describe('groups of items that need attention', () => {
  const failed = (name: string, project: string, message: string): Row => ({
    ...instance(name, 'Failed', ago(minute), { project }),
    cells: [name, 'Failed', message],
  });

  it('have the same cause and the same reason, and name the project of each object', () => {
    const found = matters({
      instances: [
        failed('a', 'shop', 'no space left'),
        failed('b', 'search', 'no space left'),
        failed('c', 'shop', 'chart not found'),
        instance('d', 'Pending', ago(7 * minute), { project: 'shop' }),
      ],
      keys: [thing('old', { spec: { ttl: 60 } }, ago(day)), thing('older', { spec: { ttl: 60 } }, ago(2 * day))],
    });
    const shown = groupIssues(found).map(({ first, issues }) => [first.many, issues.map(({ label }) => label)]);
    expect(shown).toEqual([
      ['virtual clusters have failed', ['b in project search', 'a in project shop']],
      ['virtual clusters have failed', ['c in project shop']],
      ['virtual clusters are not ready', ['d in project shop']],
      ['access keys have expired', ['old', 'older']],
    ]);
  });

  it('contain issues of clusters only for users who can change clusters', () => {
    const clusters = [thing('far', { status: { phase: 'Failed', online: false, message: 'no route' } })];
    expect(matters({ clusters })).toHaveLength(1);
    expect(matters({ clusters }, false)).toEqual([]);
  });
});

it('virtual clusters are counted by phase in lifecycle order, and by project, largest first', () => {
  const rows = [
    instance('a', 'Ready'),
    instance('b', ''),
    instance('c', 'Ready', ago(minute), { project: 'shop' }),
    instance('d', 'Failed', ago(minute), { project: 'shop' }),
    instance('e', 'Ready', ago(minute), { project: 'shop' }),
  ];
  expect(countByPhase({ columns, rows }).map(({ text, count }) => `${text} ${count}`)).toEqual([
    'Ready 3',
    'Sleeping 0',
    'Pending 1',
    'Failed 1',
    'Terminating 0',
  ]);
  expect(countByProject({ rows })).toEqual([
    { text: 'shop', count: 3 },
    { text: 'default', count: 2 },
  ]);
});
