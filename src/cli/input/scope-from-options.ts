import type { JsonObject } from '@flotilla/json';
import { scopeCliFlag } from '../../api/naming.ts';
import { usageError } from '../cli-error.ts';
import type { CallValues } from '../command-call.ts';
import type { GivenName } from '../connection/reject-unknown-names.ts';
import { clusters, type InstanceKind, projects, spaces, virtualClusters } from '../kinds.ts';

/** Builds the scope of an access key from `--scope-…` and `--allow-cli`; `undefined` if none of them is given. */
export function scopeFromOptions(values: CallValues): JsonObject | undefined {
  const lists: JsonObject = {
    projects: values.list('scope-project').map((project) => ({ project })),
    virtualClusters: instancesIn(values, virtualClusters).map(({ project, name }) => ({
      project,
      virtualCluster: name,
    })),
    spaces: instancesIn(values, spaces).map(({ project, name }) => ({ project, space: name })),
    clusters: values.list('scope-cluster').map((cluster) => ({ cluster })),
  };
  const scope = {
    ...(values.flag('allow-cli') || values.flag('cli-only') ? { [scopeCliFlag]: true } : {}),
    ...Object.fromEntries(Object.entries(lists).filter(([, entries]) => (entries as JsonObject[]).length > 0)),
  };
  return Object.keys(scope).length === 0 ? undefined : scope;
}

/** Returns the objects that `--scope-…` names. */
export function namesInScope(values: CallValues): GivenName[] {
  return [
    ...values.list('scope-project').map((name) => ({ kind: projects, name })),
    ...[virtualClusters, spaces].flatMap((kind) =>
      instancesIn(values, kind).flatMap(({ project, name }) => [
        { kind: projects, name: project },
        { kind, name, project },
      ]),
    ),
    ...values.list('scope-cluster').map((name) => ({ kind: clusters, name })),
  ];
}

function instancesIn(values: CallValues, { word }: InstanceKind): { project: string; name: string }[] {
  const option = `scope-${word}`;
  return values.list(option).map((text) => {
    const [project = '', name = '', ...more] = text.split('/');
    if (project === '' || name === '' || more.length > 0) {
      throw usageError(`--${option} ${text}: must be <project>/<name>`);
    }
    return { project, name };
  });
}
