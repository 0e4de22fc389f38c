import { namespaceKind } from '../../api/core/namespace.ts';
import type { Project } from '../../api/management/v1/project.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { forbidden, notFound } from '../../api/status.ts';
import type { Draft } from '../../registry/resource.ts';
import type { ManagementState } from '../state.ts';

/**
 * Returns the project in whose namespace an object is written. `undefined` if an existing object is updated and its
 * project is deleted; such an update is allowed, so that the deletion of the object can complete. Throws 404 for a
 * create in a namespace that belongs to no project, and 403 for a create in a terminating project (rules CREATE-19,
 * CREATE-20).
 */
export function projectOfDraft(
  kind: ResourceKind,
  draft: Pick<Draft, 'object' | 'old'>,
  state: Pick<ManagementState, 'project'>,
): Project | undefined {
  const { name = '', namespace = '' } = draft.object.metadata;
  const project = state.project(projectOfNamespace(namespace) ?? '');
  if (draft.old !== undefined) return project;
  if (project === undefined) throw notFound(groupResourceOf(namespaceKind), namespace);
  if (project.metadata.deletionTimestamp === undefined) return project;
  throw forbidden(
    groupResourceOf(kind),
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ],
  );
}
