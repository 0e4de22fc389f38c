import { area } from '../../area.ts';
import { apiVersion, asTable, gadget, groupPath } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const tracked = (more: object) => ({ manager: 'a', operation: 'Update', apiVersion, fieldsType: 'FieldsV1', ...more });

/** Managed fields that a client may send with a new object. */
const ownerships: readonly (readonly object[])[] = [
  [tracked({ manager: 'old', time: '2020-01-01T00:00:00Z', fieldsV1: { 'f:spec': { 'f:color': {} } } })],
  [],
  [{}],
  [tracked({ operation: 'X', fieldsV1: {} })],
  [tracked({ fieldsType: 'F', fieldsV1: {} })],
  [tracked({ apiVersion: 'workshop.test/v0', fieldsV1: { 'f:spec': {} } })],
  [tracked({ fieldsV1: { 'x:spec': {} } })],
  [tracked({})],
  [tracked({ manager: 'a'.repeat(200), fieldsV1: { 'f:spec': { 'f:color': {} } } })],
  [tracked({ apiVersion: 'a/b/c', fieldsV1: { 'f:spec': {} } })],
  [tracked({ operation: 'Apply', fieldsV1: { 'f:spec': { 'f:color': {} } } })],
];

/** Compares the options of a create. */
export function create(pair: Pair): void {
  area(pair, 'Create', (compared, gadgets) => {
    compared('an object that already exists (CREATE-17)', async () => {
      await gadgets.post(gadget('base'));
      await gadgets.post(gadget('base'));
      await gadgets.post(gadget('base'), { query: '?dryRun=All' });
      await gadgets.post(gadget('base', { spec: { size: 0 } }));
    });

    compared('a version in a new object (CREATE-10)', async () => {
      for (const [at, resourceVersion] of ['5', '0', '', 'abc', '-1'].entries()) {
        await gadgets.post(gadget(`version-${at}`, { metadata: { resourceVersion } }));
        await gadgets.post(gadget(`version-dry-${at}`, { metadata: { resourceVersion } }), { query: '?dryRun=All' });
      }
    });

    compared('namespaces: another, the same, none, a missing one (CREATE-11, CREATE-19)', async () => {
      await gadgets.post(gadget('x', { metadata: { namespace: 'other' } }));
      await gadgets.post(gadget('same', { metadata: { namespace: 'create' } }));
      const post = (namespace: string, json: unknown, query = '') =>
        gadgets.send({ method: 'POST', path: `${groupPath}/namespaces/${namespace}/gadgets${query}`, json });
      await post('UP', gadget('x'));
      await post('nope', gadget('x'));
      await post('nope', gadget('X!', { spec: { size: 'a' } }));
      await post('nope', gadget('x'), '?dryRun=All');
    });

    compared('a status of any content is dropped (CREATE-04)', async () => {
      await gadgets.post(gadget('status', { status: { phase: 'Up' } }));
      await gadgets.post(gadget('bad-status', { status: { phase: 'Bad' } }));
    });

    compared('?dryRun (CREATE-24, CREATE-25)', async () => {
      for (const value of ['All', 'true', 'all', '', 'All&dryRun=All', 'None&dryRun=All']) {
        await gadgets.post(gadget('dry'), { query: `?dryRun=${value}` });
      }
      await gadgets.get('/dry');
    });

    compared('?fieldManager, and the user agent without it (CREATE-08, CREATE-09)', async () => {
      const managers = [
        'me',
        'x'.repeat(128),
        'x'.repeat(129),
        'a%0Ab',
        'a%07',
        '',
        '%C3%A9',
        '%C3%A9'.repeat(65),
        'a%20b',
      ];
      for (const [at, manager] of managers.entries()) {
        await gadgets.post(gadget(`manager-${at}`), { query: `?fieldManager=${manager}` });
      }
      const agents = ['', 'foo/1 bar', 'noslash', '/x', `${'y'.repeat(200)}/1`, 'tab\there/1'];
      for (const [at, agent] of agents.entries()) {
        await gadgets.post(gadget(`agent-${at}`), { headers: { 'user-agent': agent } });
      }
    });

    compared('several invalid options at once (REQ-27, CREATE-25)', async () => {
      const query = `?dryRun=x&fieldManager=${'x'.repeat(200)}&fieldValidation=y`;
      await gadgets.post(gadget('x'), { query });
    });

    compared('field ownership that the client sends (CREATE-06)', async () => {
      for (const [at, managedFields] of ownerships.entries()) {
        await gadgets.post(gadget(`owned-${at}`, { metadata: { managedFields } }));
      }
    });

    compared('a kind without namespace, spec or status (CREATE-03, CREATE-04, STATUS-01)', async () => {
      const path = `${groupPath}/gizmos`;
      const gizmo = (name: string, more = {}) => ({
        apiVersion,
        kind: 'Gizmo',
        metadata: { name },
        weight: 1,
        ...more,
      });
      const post = (json: unknown) => gadgets.send({ method: 'POST', path, json });
      await post(gizmo('g1'));
      await post(gizmo('g2', { metadata: { name: 'g2', namespace: 'foo' } }));
      await post(gizmo('g3', { weight: undefined }));
      await post(gizmo('g4', { status: { phase: 'x' } }));
      await gadgets.send({ path: `${path}/g1/status` });
      await gadgets.send({ method: 'PUT', path: `${path}/g1/status`, json: gizmo('g1') });
      await gadgets.send({ path: `${path}/g1` });
      await gadgets.send({ path, headers: { accept: asTable } }, { ignoredFields: /\.cells\[1\]/ });
      await gadgets.send({ method: 'DELETE', path: `${path}/g1` });
      await gadgets.send({ method: 'DELETE', path: `${path}?fieldSelector=metadata.name%3Dg4` });
    });
  });
}
