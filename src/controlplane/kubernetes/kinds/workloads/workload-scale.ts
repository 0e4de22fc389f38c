import { type JsonValue, numberAt } from '@flotilla/json';
import type { KubeObject } from '../../../../api/meta.ts';
import { invalidObject } from '../../../../api/status.ts';
import type { ScaledKind } from '../../../scale/mount-scale.ts';
import { nonNegativeErrors } from '../../rules/field-rules.ts';

/** The subresource `scale` of a workload with the fields `spec.replicas` and `status.replicas`. */
export function workloadScale(selectorOf: (object: KubeObject) => string): ScaledKind {
  return {
    strategicPatches: true,
    countsOf: (object) => ({
      desired: numberAt(object as JsonValue, 'spec', 'replicas'),
      current: numberAt(object as JsonValue, 'status', 'replicas') ?? 0,
      selector: selectorOf(object),
    }),
    replicasPath: ['spec', 'replicas'],
    requestedReplicas(scale, { metadata }) {
      const replicas = numberAt(scale as JsonValue, 'spec', 'replicas') ?? 0;
      const errors = nonNegativeErrors('spec.replicas', replicas);
      if (errors.length > 0) throw invalidObject({ group: 'autoscaling', kind: 'Scale' }, metadata.name ?? '', errors);
      return replicas;
    },
  };
}
