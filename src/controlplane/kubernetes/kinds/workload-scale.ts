import { isJsonObject, type JsonObject, type JsonValue, numberAt } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import { conflict, invalidObject } from '../../../api/status.ts';
import type { ScaledKind } from '../../scale/mount-scale.ts';
import { nonNegativeErrors } from '../rules/field-rules.ts';

/** The subresource `scale` of a workload with the fields `spec.replicas` and `status.replicas`. */
export function workloadScale(
  resource: { readonly group: string; readonly plural: string },
  selectorOf: (object: KubeObject) => string,
): ScaledKind {
  return {
    strategicPatches: true,
    countsOf: (object) => ({
      desired: numberAt(object as JsonValue, 'spec', 'replicas'),
      current: numberAt(object as JsonValue, 'status', 'replicas') ?? 0,
      selector: selectorOf(object),
    }),
    setReplicas(object, replicas) {
      const { spec } = object as JsonObject;
      (object as JsonObject).spec = { ...(isJsonObject(spec) ? spec : {}), replicas };
    },
    requestedReplicas(scale, { metadata }) {
      const replicas = numberAt(scale as JsonValue, 'spec', 'replicas') ?? 0;
      const { name = '', uid = '' } = metadata;
      const errors = nonNegativeErrors('spec.replicas', replicas);
      if (errors.length > 0) throw invalidObject({ group: 'autoscaling', kind: 'Scale' }, name, errors);
      const expected = scale.metadata.uid ?? '';
      if (expected !== '' && expected !== uid) {
        const detail = `Precondition failed: UID in precondition: ${expected}, UID in object meta: ${uid}`;
        throw conflict({ group: resource.group, resource: `${resource.plural}/scale` }, name, detail);
      }
      return replicas;
    },
  };
}
