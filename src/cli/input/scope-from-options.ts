import type { JsonObject } from '@flotilla/json';
import { scopeCliFlag } from '../../api/naming.ts';
import { usageError } from '../cli-error.ts';
import type { CallValues } from '../command-call.ts';

/** Builds the scope of an access key from `--scope-…` and `--cli-only`; `undefined` if none of them is given. */
export function scopeFromOptions(values: CallValues): JsonObject | undefined {
  const projects = values.list('scope-project').map((project) => ({ project }));
  const virtualClusters = instancesIn(values, 'scope-virtual-cluster', 'virtualCluster');
  const spaces = instancesIn(values, 'scope-space', 'space');
  const clusters = values.list('scope-cluster').map((cluster) => ({ cluster }));
  const scope = {
    ...(values.flag('cli-only') ? { [scopeCliFlag]: true } : {}),
    ...(projects.length === 0 ? {} : { projects }),
    ...(virtualClusters.length === 0 ? {} : { virtualClusters }),
    ...(spaces.length === 0 ? {} : { spaces }),
    ...(clusters.length === 0 ? {} : { clusters }),
  };
  return Object.keys(scope).length === 0 ? undefined : scope;
}

function instancesIn(values: CallValues, option: string, member: string): JsonObject[] {
  return values.list(option).map((text) => {
    const [project = '', name = '', ...more] = text.split('/');
    if (project === '' || name === '' || more.length > 0) {
      throw usageError(`--${option} ${text}: must be <project>/<name>`);
    }
    return { project, [member]: name };
  });
}
