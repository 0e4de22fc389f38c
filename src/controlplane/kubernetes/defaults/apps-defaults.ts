import { isJsonObject } from '@flotilla/json';
import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { itemsOf, objectMember, setIfAbsent, setIfZero } from './set-defaults.ts';

/** The defaults of apps/v1. */
export const appsDefaults: Readonly<Record<string, StructDefault>> = {
  'apps.DeploymentSpec': (spec) => {
    setIfAbsent(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
    const strategy = objectMember(spec, 'strategy');
    setIfZero(strategy, { type: 'RollingUpdate' });
    if (strategy.type !== 'RollingUpdate') return;
    setIfAbsent(objectMember(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' });
  },
  'apps.DaemonSetSpec': (spec) => {
    setIfAbsent(spec, { revisionHistoryLimit: 10 });
    const strategy = objectMember(spec, 'updateStrategy');
    setIfZero(strategy, { type: 'RollingUpdate' });
    if (strategy.type !== 'RollingUpdate') return;
    setIfAbsent(objectMember(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 });
  },
  'apps.StatefulSetSpec': (spec) => {
    setIfZero(spec, { podManagementPolicy: 'OrderedReady' });
    const strategy = objectMember(spec, 'updateStrategy');
    if ((strategy.type ?? '') === '') {
      strategy.type = 'RollingUpdate';
      objectMember(strategy, 'rollingUpdate');
    }
    if (strategy.type === 'RollingUpdate' && isJsonObject(strategy.rollingUpdate)) {
      setIfAbsent(strategy.rollingUpdate, { partition: 0 });
    }
    const retention = objectMember(spec, 'persistentVolumeClaimRetentionPolicy');
    setIfZero(retention, { whenDeleted: 'Retain', whenScaled: 'Retain' });
    setIfAbsent(spec, { replicas: 1, revisionHistoryLimit: 10 });
    for (const claim of itemsOf(spec, 'volumeClaimTemplates')) {
      Object.assign(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
    }
  },
  'apps.ReplicaSetSpec': (spec) => setIfAbsent(spec, { replicas: 1 }),
};
