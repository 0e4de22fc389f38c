import type { JsonObject } from '@flotilla/json';
import { scopeCliFlag } from '../../api/naming.ts';
import { usageError } from '../cli-error.ts';
import type { CallValues } from '../command-call.ts';

/** Builds the scope of an access key from `--scope-…` and `--cli-only`; `undefined` if none of them is given. */
export function scopeFromOptions(values: CallValues): JsonObject | undefined {
  const projects = values.list('scope-project').map((project) => ({ project }));
  const virtualClusters = values.list('scope-virtual-cluster').map((text) => {
    const [project = '', virtualCluster = '', ...more] = text.split('/');
    if (project === '' || virtualCluster === '' || more.length > 0) {
      throw usageError(`--scope-virtual-cluster ${text}: must be <project>/<name>`);
    }
    return { project, virtualCluster };
  });
  const clusters = values.list('scope-cluster').map((cluster) => ({ cluster }));
  const scope = {
    ...(values.flag('cli-only') ? { [scopeCliFlag]: true } : {}),
    ...(projects.length === 0 ? {} : { projects }),
    ...(virtualClusters.length === 0 ? {} : { virtualClusters }),
    ...(clusters.length === 0 ? {} : { clusters }),
  };
  return Object.keys(scope).length === 0 ? undefined : scope;
}
