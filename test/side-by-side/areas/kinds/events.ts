import { beforeAll, describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { asTable, mergePatch } from '../../gadgets.ts';
import type { Pair, PairRequest } from '../../pair.ts';

const namespace = 'side-events';
const old = `/api/v1/namespaces/${namespace}/events`;
const current = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
const time = '2026-01-02T03:04:05.678901Z';

const subject = { kind: 'ConfigMap', namespace, name: 'a', apiVersion: 'v1' };

function oldEvent(name: string, rest: object = {}): object {
  const seen = { firstTimestamp: '2026-01-02T03:04:05Z', lastTimestamp: '2026-01-02T03:04:05Z', count: 1 };
  const text = { reason: 'Sailed', message: 'It sailed.', type: 'Normal', source: { component: 'ship' } };
  return { metadata: { name }, involvedObject: subject, ...text, ...seen, ...rest };
}

function newEvent(name: string, rest: object = {}): object {
  const reporter = { reportingController: 'example.com/ship', reportingInstance: 'ship-1' };
  const text = { reason: 'Sailed', note: 'It sailed.', type: 'Normal', action: 'Sail' };
  return { metadata: { name }, eventTime: time, regarding: subject, ...reporter, ...text, ...rest };
}

/**
 * Managed fields differ: this server reports them in the requested API version, kube-apiserver in each writer's
 * version.
 */
const ownership = /managedFields/;
/** Fields that differ: printed ages, column descriptions and managed fields. */
const shown = /\.cells\[[07]\]$|\.description$|managedFields/;

/** Compares events in both of their API groups. The groups share one set of objects. */
export function events(pair: Pair): void {
  describe('Events', () => {
    beforeAll(async () => {
      const json = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await pair.prepare({ method: 'POST', path: '/api/v1/namespaces', json });
    });
    const compared = comparedTests(pair);
    const send = (request: PairRequest) => pair.send(request, { ignoredFields: ownership });
    const post = (path: string, json: unknown, query = '') => send({ method: 'POST', path: path + query, json });
    const get = (path: string, headers = {}) => pair.send({ path, headers }, { ignoredFields: ownership });
    const put = (path: string, json: unknown) => send({ method: 'PUT', path, json });
    const patch = (path: string, body: unknown) =>
      send({ method: 'PATCH', path, body: JSON.stringify(body), headers: { 'content-type': mergePatch } });

    compared('are created in either form and read in both (CLIENT-14)', async () => {
      await post(old, oldEvent('one'));
      await post(current, newEvent('two'));
      for (const name of ['one', 'two', 'three']) {
        await get(`${old}/${name}`);
        await get(`${current}/${name}`);
      }
      await get(old);
      await get(current);
      await get(`${old}?fieldSelector=involvedObject.name%3Da,type%3DNormal`);
      await get(`${current}?fieldSelector=regarding.name%3Da`);
      for (const source of ['ship', 'example.com/ship', 'nobody']) {
        await get(`${old}?fieldSelector=source%3D${encodeURIComponent(source)}`);
        await get(`${old}?fieldSelector=source!%3D${encodeURIComponent(source)},type%3DNormal`);
      }
      await get(`${old}?fieldSelector=source.component%3Dship`);
      await get(`${current}?fieldSelector=source%3Dship`);
      await get(`${old}?fieldSelector=nope%3Da`);
      await get(`${current}?fieldSelector=involvedObject.name%3Da`);
    });

    compared('are refused if a field is missing', async () => {
      for (const rest of [
        { involvedObject: {} },
        { involvedObject: { ...subject, namespace: 'other' } },
        { involvedObject: { ...subject, namespace: '' } },
        { eventTime: time },
        { eventTime: time, reportingComponent: 'a b', reportingInstance: 'x', action: 'y' },
        { eventTime: time, reportingComponent: 'ship', reportingInstance: 'x'.repeat(129), action: 'y' },
        { eventTime: time, reportingComponent: 'ship', reportingInstance: 'x', action: 'y' },
        { type: 'Other' },
        { count: 'x' },
        { count: 1.5 },
        { eventTime: 'yesterday' },
        { involvedObject: 'a' },
        { series: { count: 1 } },
      ]) {
        await post(old, oldEvent('bad', rest), '?dryRun=All');
      }
      for (const rest of [
        { regarding: {} },
        { regarding: { ...subject, namespace: 'other' } },
        { eventTime: null },
        { reportingController: '' },
        { reportingInstance: '' },
        { action: '' },
        { reason: '' },
        { reason: 'x'.repeat(129) },
        { note: 'x'.repeat(1025) },
        { type: 'Other' },
        { deprecatedCount: 1 },
        { deprecatedSource: { component: 'x' } },
        { deprecatedFirstTimestamp: '2026-01-02T03:04:05Z' },
        { series: { count: 1, lastObservedTime: time } },
        { series: { count: 2 } },
        { series: { count: 2, lastObservedTime: time } },
      ]) {
        await post(current, newEvent('bad', rest), '?dryRun=All');
      }
    });

    compared('are changed in either form', async () => {
      await patch(`${old}/one`, { count: 2, lastTimestamp: '2026-01-02T03:05:05Z' });
      await patch(`${current}/two`, { series: { count: 2, lastObservedTime: time } });
      await patch(`${current}/two`, { note: 'It sank.' });
      await put(`${old}/made`, oldEvent('made'));
      await put(`${current}/made-too`, newEvent('made-too'));
      await send({ method: 'DELETE', path: `${current}/made` });
    });

    compared('are printed as in older versions', async () => {
      for (const path of [old, current]) {
        await pair.send({ path, headers: { accept: asTable } }, { ignoredFields: shown });
      }
    });
  });
}
