import { type SpaceInstance, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import { serviceUnavailable } from '../../api/status.ts';
import type { InstanceType } from '../instance-type.ts';
import { isInSpace, requestIsInSpace } from './space-boundary.ts';

/**
 * The type of instances for spaces. The gateway serves a space as the API of the host cluster, restricted to one
 * namespace (completions §12).
 */
export const spaceType: InstanceType<SpaceInstance> = {
  kind: spaceInstanceKind,
  noun: 'space',
  pathSegment: 'space',
  targetOf: (project, space) => ({ type: 'ProjectSpace', project, space }),
  locationOf: (instance) => ({ namespace: namespaceOf(instance), name: '' }),
  uidOf: (instance) => (namespaceOf(instance) === '' ? '' : (instance.status?.hostNamespace?.uid ?? '')),
  isInstalled({ spec, status = {} }) {
    const { hostNamespace, space, installHash = '', phase } = status;
    if (hostNamespace === undefined) return false;
    const hasTemplate = (spec?.templateRef?.name ?? '') !== '' || spec?.template !== undefined;
    if (hasTemplate && space === undefined) return false;
    return installHash !== '' || phase === 'Failed';
  },
  isExternal: () => false,
  // The install hash changes after the controller has updated the role bindings. The change of the hash also ends
  // streams that started after the rules were changed and before the bindings were updated.
  grantsOf: ({ spec, status }) => [
    status?.space?.access ?? {},
    spec?.extraAccessRules ?? [],
    status?.installHash ?? '',
  ],
  restrict(decision, instance, attributes, info) {
    const namespace = namespaceOf(instance);
    const { name = '', namespace: projectNamespace = '' } = instance.metadata;
    const boundary = `the space ${JSON.stringify(name)} of the project ${JSON.stringify(projectOfNamespace(projectNamespace))}`;
    if (namespace === '') throw serviceUnavailable(`${boundary} is not ready: it has no namespace yet`, 1);
    if (requestIsInSpace(info, namespace) && isInSpace(attributes, namespace)) return { ...decision, boundary };
    const reason = `${boundary} gives access only to the namespace ${JSON.stringify(namespace)}`;
    return { ...decision, allowed: false, reason, boundary };
  },
};

/**
 * Returns the namespace of the space; empty if the space has none. The controller records a namespace only if it belongs
 * to the space.
 */
function namespaceOf({ spec, status }: SpaceInstance): string {
  const { cluster, namespace } = spec?.clusterRef ?? {};
  const { hostNamespace } = status ?? {};
  return hostNamespace?.cluster === cluster && hostNamespace?.name === namespace ? (namespace ?? '') : '';
}
