import { eventKind } from '../api/core/event.ts';
import { eventsGroupEventKind } from '../api/core/events-k8s-io.ts';
import { namespaceKind } from '../api/core/namespace.ts';
import { selfSubjectAccessReviewKind } from '../api/core/reviews.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { ResourceVerbs } from '../registry/verbs.ts';
import type { Exchange } from './exchange.ts';
import type { Plane } from './plane.ts';
import { RequestEnd } from './request/request-end.ts';
import { parseRequestInfo } from './request/request-info.ts';
import { RequestCompletion } from './wire/request-completion.ts';

/** A verb that fails. The tests of documents check only which verbs exist, and never call a verb. */
async function uncalledVerb(): Promise<never> {
  throw new Error('unexpected call of a verb');
}

export const allVerbStubs: ResourceVerbs = {
  get: uncalledVerb,
  list: uncalledVerb,
  watch: uncalledVerb,
  create: uncalledVerb,
  update: uncalledVerb,
  patch: uncalledVerb,
  delete: uncalledVerb,
  deletecollection: uncalledVerb,
};

const { get, list, watch, create, update, patch } = allVerbStubs;

/** A custom kind with all optional features, such as short names and subresources. */
export const shipKind: ResourceKind = {
  group: 'fleet.example.com',
  version: 'v1',
  kind: 'Ship',
  plural: 'ships',
  singular: 'ship',
  shortNames: ['sh'],
  categories: ['all'],
  namespaced: true,
  description: 'A ship of the fleet.',
  schema: {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        description: 'What the ship should be.',
        properties: {
          masts: { type: 'integer', format: 'int32', description: 'How many masts.', default: 3, minimum: 1 },
          cargo: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
          },
          draught: { 'x-kubernetes-int-or-string': true },
          log: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          launched: { type: 'string', format: 'date-time', nullable: true },
        },
        required: ['masts'],
      },
      status: { type: 'object', properties: { phase: { type: 'string' } } },
    },
  },
  selectableFields: ['spec.masts'],
};

const manifestKind: ResourceKind = { ...shipKind, kind: 'ShipManifest', schema: { type: 'object', properties: {} } };

export const exampleResources: readonly MountedResource[] = [
  { kind: namespaceKind, verbs: { get, list, watch } as ResourceVerbs, subresources: {} },
  { kind: eventKind, verbs: allVerbStubs, subresources: {} },
  {
    kind: { ...shipKind, version: 'v1beta1' },
    verbs: allVerbStubs,
    subresources: {},
  },
  {
    kind: shipKind,
    verbs: allVerbStubs,
    subresources: {
      status: { kind: shipKind, verbs: { get: uncalledVerb, update: uncalledVerb, patch: uncalledVerb } },
      manifest: { kind: manifestKind, verbs: { createNamed: uncalledVerb } },
    },
  },
  { kind: eventsGroupEventKind, verbs: allVerbStubs, subresources: {} },
  { kind: selfSubjectAccessReviewKind('authorization.k8s.io'), verbs: { create } as ResourceVerbs, subresources: {} },
  {
    kind: { ...shipKind, kind: 'Port', plural: 'ports', singular: 'port', shortNames: ['po'], namespaced: false },
    verbs: { get, list, update, patch } as ResourceVerbs,
    subresources: {},
  },
];

export function examplePlane(resources: readonly MountedResource[] = exampleResources): Plane & { generation: number } {
  return {
    id: 'example',
    generation: 1,
    resources: () => resources,
    find: (group, version, plural) =>
      resources.find(({ kind }) => kind.group === group && kind.version === version && kind.plural === plural),
    authorize: () => ({ allowed: true, reason: '' }),
    mayRead: () => undefined,
  };
}

const neverAborted = new AbortController().signal;

/** Returns the exchange of a request to a plane that is mounted at `/root`. */
export function exampleExchange(path: string, headers: Record<string, string> = {}, method = 'GET'): Exchange {
  const url = new URL(path, 'https://fleet.test');
  return {
    request: {
      method,
      url: `/root${path}`,
      headers: { host: 'fleet.test:8443', ...headers },
      body: (async function* () {})(),
      remoteAddress: '127.0.0.1',
      httpVersion: '1.1',
      webSocket: false,
      signal: neverAborted,
    },
    query: url.searchParams,
    auditId: 'audit',
    receivedAt: Date.parse('2026-01-01T00:00:00Z'),
    receivedElapsed: 0,
    end: new RequestEnd(),
    completion: new RequestCompletion(),
    signal: neverAborted,
    info: parseRequestInfo(method, url.pathname, url.searchParams),
    warnings: [],
  };
}
