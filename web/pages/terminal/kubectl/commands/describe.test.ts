import { expect, it } from 'vitest';
import type { KubeObject } from '../../../../../src/api/meta.ts';
import type { ObjectEvent } from '../../../../data/objects/object-events.ts';
import { describeObject } from './describe.ts';

const now = Date.parse('2026-01-01T01:00:00Z');

it('an object is described with its metadata, all fields and its events', () => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'default',
      labels: { app: 'shop', tier: 'front' },
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [{ manager: 'kubectl' }],
    },
    spec: {
      containers: [{ name: 'app', image: 'web:1', args: ['-v', 'x'] }, { name: 'proxy' }],
      restartPolicy: 'Always',
      nodeSelector: {},
    },
  } as unknown as KubeObject;
  const event: ObjectEvent = {
    key: 'a',
    isWarning: true,
    reason: 'BackOff',
    message: 'Back-off restarting\n',
    source: 'kubelet',
    count: 3,
    last: '2026-01-01T00:55:00Z',
  };
  expect(describeObject(pod, [event], now).split('\n')).toEqual([
    'Name:         web',
    'Namespace:    default',
    'Labels:       app=shop',
    '              tier=front',
    'Annotations:  <none>',
    'API Version:  v1',
    'Kind:         Pod',
    'Metadata:',
    '  Creation Timestamp:  2026-01-01T00:00:00Z',
    'Spec:',
    '  Containers:',
    '    - Name:   app',
    '      Image:  web:1',
    '      Args:',
    '        - -v',
    '        - x',
    '    - Name:  proxy',
    '  Restart Policy:  Always',
    '  Node Selector:   <none>',
    'Events:',
    '  TYPE      REASON    AGE       FROM      MESSAGE',
    '  Warning   BackOff   5m (x3)   kubelet   Back-off restarting',
  ]);
});

it('the values of a secret are not shown', () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'safe' },
    data: { 'tls.key': 'MTIzNA==', empty: '' },
    type: 'Opaque',
  } as unknown as KubeObject;
  const text = describeObject(secret, [], now);
  expect(text).toMatch(/tls\.key: +4 bytes/);
  expect(text).toMatch(/Empty: +0 bytes/);
  expect(text).toContain('Events:  <none>');
  expect(text).not.toContain('MTIz');
});
