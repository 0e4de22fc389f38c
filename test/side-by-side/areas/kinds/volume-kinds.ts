import { describe } from 'vitest';
import { comparedTests } from '../../area.ts';
import { applyPatch, asTable, mergePatch } from '../../gadgets.ts';
import type { Pair } from '../../pair.ts';

const namespace = 'volumes';
const volumes = '/api/v1/persistentvolumes';
const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
const limits = `/api/v1/namespaces/${namespace}/limitranges`;
const classes = '/apis/storage.k8s.io/v1/storageclasses';
const attachments = '/apis/storage.k8s.io/v1/volumeattachments';
const age = /\.cells\[\d+\]$/;
const modes = ['ReadWriteOnce'];
const long = 'x'.repeat(70);

/** Sources of persistent volumes, by type: first a valid one, then invalid ones with as many errors as possible. */
const sources: Readonly<Record<string, readonly unknown[]>> = {
  hostPath: [{ path: '/data' }, { path: '/a/../b', type: 'x' }, {}],
  gcePersistentDisk: [{ pdName: 'd' }, { partition: 256 }],
  awsElasticBlockStore: [{ volumeID: 'd' }, { partition: -1 }],
  glusterfs: [{ endpoints: 'e', path: 'p' }, { endpointsNamespace: 'A_' }, { endpointsNamespace: '' }],
  flocker: [{ datasetName: 'd' }, { datasetName: 'a/b', datasetUUID: 'u' }, {}],
  nfs: [{ server: 's', path: '/p' }, { path: 'p' }, {}],
  rbd: [{ monitors: ['m'], image: 'i' }, {}],
  quobyte: [{ registry: 'r:1,[::1]:2', volume: 'v' }, { registry: 'r,a:b:c,[x:1' }, { registry: 'r:1', tenant: long }],
  cephfs: [{ monitors: ['m'] }, {}],
  iscsi: [
    { targetPortal: 'p', iqn: 'iqn.2001-04.com.example:disk', lun: 0 },
    { iqn: 'x', lun: 256, chapAuthSession: true, initiatorName: 'iqn.x' },
    { targetPortal: long, iqn: 'eui.1', lun: 1, secretRef: {}, initiatorName: 'naa.y' },
  ],
  cinder: [{ volumeID: 'v' }, { secretRef: {} }],
  fc: [{ wwids: ['w'] }, { targetWWNs: ['t'], wwids: ['w'], lun: 300 }, { targetWWNs: ['t'] }, {}],
  flexVolume: [{ driver: 'd' }, { options: { 'a.kubernetes.io/b': 'c' } }],
  azureFile: [{ secretName: 's', shareName: 'n' }, { secretNamespace: '' }],
  vsphereVolume: [{ volumePath: 'p' }, {}],
  photonPersistentDisk: [{ pdID: 'p' }, {}],
  portworxVolume: [{ volumeID: 'v' }, {}],
  azureDisk: [
    { diskName: 'd', diskURI: 'https://a.blob.core.windows.net/c/d.vhd' },
    { kind: 'Managed', cachingMode: 'x' },
    { diskName: 'd', diskURI: 'u', kind: 'y' },
  ],
  scaleIO: [{ gateway: 'g', system: 's', volumeName: 'v', secretRef: { name: 's' } }, { secretRef: {} }],
  storageos: [{ volumeName: 'v' }, { volumeName: 'V_', volumeNamespace: 'N_', secretRef: {} }],
  csi: [
    { driver: 'd.example', volumeHandle: 'h' },
    { driver: `${long}_`, controllerPublishSecretRef: {}, nodeExpandSecretRef: { name: 'A_', namespace: 'b.c' } },
  ],
  local: [{ path: '/a/..' }, {}],
};

/** Returns discovery entries without the hash of the storage version. */
function withoutHashes(entries: readonly object[]): unknown[] {
  return entries.map((entry) => ({ ...entry, storageVersionHash: undefined }));
}

/** Compares persistent volumes, claims and their limits. */
export function volumeKinds(pair: Pair): void {
  describe('Volumes', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown) => pair.send({ method: 'POST', path, json });
    const patch = (path: string, change: unknown, type: string) =>
      pair.send({ method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': type } });
    const merge = (path: string, change: unknown) => patch(path, change, mergePatch);
    const table = (path: string) => pair.send({ path, headers: { accept: asTable } }, { ignoredFields: age });
    const spec = (source: object) => ({ capacity: { storage: '1Gi' }, accessModes: modes, ...source });
    const volume = (name: string, source: object) => post(volumes, { metadata: { name }, spec: spec(source) });
    const nfs = { server: 's', path: '/p' };
    const requests = (storage: string) => ({ accessModes: modes, resources: { requests: { storage } } });

    compared('are in discovery', async () => {
      const [theirs, ours] = await Promise.all(pair.sides.map((side) => side.send({ path: '/api/v1' })));
      const kindsOf = (text = '{}') => {
        const { resources = [] } = JSON.parse(text) as { resources?: { name: string }[] };
        const kinds = resources.filter(({ name }) => /^(persistentvolume(claim)?s|limitranges)(\/|$)/.test(name));
        return kinds.sort((a, b) => (a.name < b.name ? -1 : 1));
      };
      pair.compareValues('kinds of volumes', withoutHashes(kindsOf(theirs?.text)), withoutHashes(kindsOf(ours?.text)));
    });

    compared('must have exactly one valid source', async () => {
      await post('/api/v1/namespaces', { metadata: { name: namespace } });
      for (const [name, variants] of Object.entries(sources)) {
        for (const [index, source] of variants.entries()) {
          await volume(`${name.toLowerCase()}-${index}`, { [name]: source });
        }
      }
      const all = Object.fromEntries(Object.entries(sources).map(([name, [valid]]) => [name, valid]));
      await post(`${volumes}?fieldValidation=Strict`, { metadata: { name: 'all' }, spec: spec(all) });
      await post(volumes, { metadata: { name: 'none' } });
      await post(volumes, { metadata: { name: 'status' }, spec: spec({ nfs }), status: { phase: 'Bound' } });
    });

    compared('have rules and immutable fields', async () => {
      const term = {
        matchExpressions: [
          { key: '', operator: 'In' },
          { key: 'a', operator: 'Exists', values: ['x_'] },
          { key: 'a', operator: 'Gt' },
          { key: 'a', operator: 'x' },
        ],
        matchFields: [
          { key: 'metadata.name', operator: 'In', values: ['A_', 'b'] },
          { key: 'x', operator: 'Gt' },
        ],
      };
      await volume('wrong', {
        nfs,
        capacity: { cpu: '-1' },
        accessModes: ['x', 'ReadWriteOncePod', 'ReadOnlyMany'],
        persistentVolumeReclaimPolicy: 'x',
        storageClassName: 'A_',
        volumeMode: 'y',
        volumeAttributesClassName: '',
        nodeAffinity: { required: { nodeSelectorTerms: [term] } },
      });
      await volume('affinity', { nfs, nodeAffinity: {}, volumeAttributesClassName: 'A_' });
      await volume('terms', { nfs, nodeAffinity: { required: {} } });
      await volume('root', { hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' });
      await post(volumes, {
        metadata: { name: 'options', annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } },
        spec: spec({ csi: { driver: 'd', volumeHandle: 'h' } }),
      });
      const zone = (key: string, value: string) => ({
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [value] }] }] },
      });
      const nodeAffinity = zone('failure-domain.beta.kubernetes.io/zone', 'a');
      const csi = { driver: 'd.example', volumeHandle: 'h' };
      await volume('one', {
        csi,
        nodeAffinity,
        persistentVolumeReclaimPolicy: 'Recycle',
        volumeAttributesClassName: 'v',
      });
      const one = `${volumes}/one`;
      await merge(one, { spec: { nodeAffinity: zone('topology.kubernetes.io/zone', 'a') } });
      await merge(one, { spec: { nodeAffinity: zone('topology.kubernetes.io/zone', 'b'), volumeMode: 'Block' } });
      await merge(one, { spec: { csi: { controllerExpandSecretRef: { name: 's', namespace: 'n' } } } });
      await merge(one, { spec: { csi: { volumeHandle: 'other' } } });
      await merge(one, { spec: { volumeAttributesClassName: null, accessModes: ['x'] } });
      await merge(one, { spec: { capacity: { storage: '2Gi' }, claimRef: { namespace: 'n', name: 'c' } } });
      await table(one);
      await merge(`${one}/status`, { metadata: { labels: { a: 'b' } }, status: { message: 'm' } });
      await merge(`${one}/status`, { spec: { accessModes: [] }, status: { phase: 'Bound', reason: 'r' } });
      await table(volumes);
      await patch(
        `${volumes}/applied?fieldManager=m`,
        { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'applied' }, spec: spec({ nfs }) },
        applyPatch,
      );
      await pair.send({ method: 'PUT', path: `${volumes}/applied`, json: { metadata: { name: 'applied' } } });
    });

    compared('have claims with defaults, rules, a status and columns', async () => {
      const claim = (name: string, members: object) => post(claims, { metadata: { name }, spec: members });
      await claim('bare', {});
      await post(claims, { metadata: { name: 'status' }, spec: requests('1'), status: { phase: 'Bound' } });
      await claim('plain', requests('1Gi'));
      await claim('wrong', {
        accessModes: ['x'],
        selector: { matchExpressions: [{ key: 'a', operator: 'x' }] },
        resources: { requests: { storage: '-1' } },
        storageClassName: 'A_',
        volumeMode: 'x',
        volumeAttributesClassName: 'B_',
        dataSourceRef: { kind: 'x', name: '' },
      });
      await claim('fraction', { ...requests('1500m'), storageClassName: '' });
      const dataSource = { kind: 'PersistentVolumeClaim', name: 'plain' };
      await claim('copied', { ...requests('1'), dataSource });
      await claim('referred', { ...requests('1'), dataSourceRef: { apiGroup: 'g.example', kind: 'K', name: 'k' } });
      await claim('differing', { ...requests('1'), dataSource, dataSourceRef: { ...dataSource, name: 'other' } });
      await claim('elsewhere', { ...requests('1'), dataSourceRef: { ...dataSource, namespace: 'other' } });
      await table(claims);
      const plain = `${claims}/plain`;
      await merge(plain, { spec: { resources: { requests: { storage: '2Gi' } } } });
      await merge(plain, { spec: { accessModes: ['ReadWriteMany'], volumeMode: 'Block' } });
      await merge(plain, { metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } } });
      await merge(plain, { spec: { volumeName: 'one', storageClassName: 'fast' } });
      await merge(`${plain}/status`, {
        metadata: { labels: { a: 'b' } },
        status: {
          capacity: { storage: '-1' },
          allocatedResources: { cpu: '1' },
          allocatedResourceStatuses: { storage: 'x' },
        },
      });
      const status = { phase: 'Bound', accessModes: modes, capacity: { storage: '1Gi' } };
      await merge(`${plain}/status`, { spec: { volumeName: 'x' }, status });
      await table(plain);
      await merge(plain, { spec: { resources: { requests: { storage: '2Gi' } } } });
      await post(classes, { metadata: { name: 'fast' }, provisioner: 'p', allowVolumeExpansion: true });
      await pair.send({ path: `${classes}/fast` });
    });

    compared('have claims that grow if their storage class allows it', async () => {
      const plain = `${claims}/plain`;
      await merge(plain, { spec: { resources: { requests: { storage: '2Gi' } }, volumeAttributesClassName: 'a' } });
      await merge(plain, { spec: { resources: { requests: { storage: '1Gi' } } } });
      await merge(plain, { spec: { storageClassName: 'other' } });
      await merge(`${plain}/status`, { status: { currentVolumeAttributesClassName: 'a' } });
      await merge(plain, { spec: { volumeAttributesClassName: null } });
      await merge(plain, { spec: { volumeAttributesClassName: '' } });
      await patch(
        `${claims}/applied?fieldManager=m`,
        { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'applied' }, spec: requests('1Gi') },
        applyPatch,
      );
    });

    compared('have claims with the default storage class', async () => {
      const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
      await post(classes, { metadata: { name: 'default', annotations }, provisioner: 'p' });
      const probe = { metadata: { name: 'probe' }, spec: requests('1') };
      await pair.waitForResponse(
        { method: 'POST', path: `${claims}?dryRun=All`, json: probe },
        /"storageClassName": ?"default"/,
      );
      await post(claims, { metadata: { name: 'defaulted' }, spec: requests('1') });
      await post(claims, { metadata: { name: 'classless' }, spec: { ...requests('1'), storageClassName: '' } });
      await patch(
        `${claims}/applied-default?fieldManager=m`,
        { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'applied-default' }, spec: requests('1') },
        applyPatch,
      );
      await pair.send({ method: 'DELETE', path: `${classes}/default` });
    });
  });

  describe('Limit ranges', () => {
    const compared = comparedTests(pair);
    const post = (path: string, json: unknown) => pair.send({ method: 'POST', path, json });
    const range = (name: string, ...items: object[]) => post(limits, { metadata: { name }, spec: { limits: items } });

    compared('have defaults and rules', async () => {
      await range('container', {
        type: 'Container',
        max: { cpu: '2', memory: '1Gi' },
        min: { cpu: '100m' },
        defaultRequest: { cpu: '500m' },
      });
      await range('pod', { type: 'Pod', max: { cpu: '1' }, default: { cpu: '1' } }, { type: 'Pod' });
      await range('types', { type: 'x' }, { type: 'A_/' }, { type: 'PersistentVolumeClaim' });
      await range('names', { type: 'Container', max: { x: '1' } }, { type: 'example.com/x', min: { y: '1' } });
      await range('orders', { type: 'Container', min: { cpu: '3' }, max: { cpu: '2' }, default: { cpu: '4' } });
      await range('requests', {
        type: 'Container',
        max: { cpu: '2' },
        default: { cpu: '1' },
        defaultRequest: { cpu: '3' },
      });
      await range('ratio', {
        type: 'Pod',
        min: { cpu: '1' },
        max: { cpu: '2' },
        maxLimitRequestRatio: { cpu: '3' },
      });
      await range('low', { type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } });
      await range('digits', { type: 'Pod', max: { cpu: `${'1'.repeat(124)}e119` } });
      const path = `${limits}/container`;
      await pair.send({ path, headers: { accept: asTable } }, { ignoredFields: age });
      const json = { metadata: { name: 'put' }, spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } };
      await pair.send({ method: 'PUT', path: `${limits}/put`, json });
    });

    compared('limit claims', async () => {
      await range('claims', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } });
      const small = { accessModes: modes, resources: { requests: { storage: '1Mi' } } };
      const json = { metadata: { name: 'probe' }, spec: small };
      await pair.waitForResponse({ method: 'POST', path: `${claims}?dryRun=All`, json }, /minimum storage usage/);
      for (const storage of ['1Mi', '1Gi', '3Gi']) {
        const spec = { accessModes: modes, resources: { requests: { storage } } };
        await post(claims, { metadata: { name: `limited-${storage.toLowerCase()}` }, spec });
      }
      await pair.send({ method: 'DELETE', path: `${limits}/claims` });
    });
  });

  describe('Volume attachments', () => {
    const compared = comparedTests(pair);
    const post = (name: string, spec: unknown) =>
      pair.send({ method: 'POST', path: attachments, json: { metadata: { name }, spec } });
    const merge = (path: string, change: unknown) =>
      pair.send({ method: 'PATCH', path, body: JSON.stringify(change), headers: { 'content-type': mergePatch } });

    compared('have rules, a status and columns', async () => {
      const one = { attacher: 'a.example', nodeName: 'n', source: { persistentVolumeName: 'pv' } };
      await post('bare', {});
      await post('one', one);
      await post('names', { attacher: 'A_', nodeName: 'N_', source: { persistentVolumeName: '' } });
      const csi = { driver: 'd', volumeHandle: 'h' };
      await post('inline', { ...one, source: { inlineVolumeSpec: { accessModes: modes, csi } } });
      await post('both', { ...one, source: { ...one.source, inlineVolumeSpec: {} } });
      const inlineVolumeSpec = {
        claimRef: { name: 'c' },
        capacity: { storage: '1' },
        persistentVolumeReclaimPolicy: 'Delete',
        nodeAffinity: {},
        storageClassName: 's',
        volumeMode: 'Block',
        nfs: {},
      };
      await post('wrong', { ...one, source: { inlineVolumeSpec } });
      const path = `${attachments}/one`;
      await merge(path, { spec: { nodeName: 'other' } });
      await merge(path, { metadata: { labels: { a: 'b' } } });
      const attachError = { message: long.repeat(20), errorCode: -1 };
      await merge(`${path}/status`, { status: { attached: true, attachError } });
      await merge(`${path}/status`, { metadata: { labels: { c: 'd' } }, status: { attached: true } });
      await pair.send({ path, headers: { accept: asTable } }, { ignoredFields: age });
      await pair.send({ method: 'DELETE', path: `${path}?dryRun=All` });
      await pair.send({ method: 'DELETE', path });
    });
  });
}
