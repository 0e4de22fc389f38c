import { effectiveIsolation } from '../../api/management/host-isolation/host-isolation.ts';
import { spaceBindings } from '../../api/management/space-roles.ts';
import type { ProjectMember } from '../../api/management/v1/project.ts';
import type { SpaceDefinition } from '../../api/management/v1/space-definition.ts';
import type { InstanceContents } from './instance-dependencies.ts';
import { installRequest } from './steps/step-install.ts';

export interface SpaceContentsOptions {
  /** Returns the members of a project with the role `admin`. */
  adminsOf(project: string): readonly ProjectMember[];
}

/**
 * Returns the work that is specific to spaces. The role bindings and the objects of the template are part of the
 * installation of a space.
 */
export function spaceContents({ adminsOf }: SpaceContentsOptions): InstanceContents {
  return {
    installsImported: true,
    // Exclude these resources, because the definition has fields for quotas and limits. An object of a template with an
    // equal name could replace the limits that the host sets.
    excludedResources: ['resourcequotas', 'limitranges'],
    installationOf({ object, project, importedUid }, definition: SpaceDefinition, isolation) {
      const { metadata, objects, access, resourceQuota, limitRange } = definition;
      const ofTemplate = {
        ...(resourceQuota === undefined ? {} : { resourceQuota }),
        ...(limitRange === undefined ? {} : { limitRange }),
      };
      const displayName = object.spec?.displayName ?? '';
      const isImported = importedUid !== '';
      const limits = isImported ? ofTemplate : isolation && effectiveIsolation(isolation, ofTemplate);
      return {
        ...(displayName === '' ? {} : { displayName }),
        space: { ...metadata, ...(objects === undefined ? {} : { objects }) },
        bindings: spaceBindings(object, access, adminsOf(project)),
        ...(limits === undefined ? {} : { isolation: limits }),
        ...(isImported ? { adopt: importedUid } : {}),
      };
    },
    recordObserved({ snapshot, draft }, { uid }) {
      draft.set('hostNamespace', { cluster: snapshot.cluster, name: snapshot.location.namespace, uid });
    },
    async ensure(context, definition) {
      const { snapshot, dependencies, driver, signal } = context;
      // Restores role bindings and network policies, which users of the space can delete.
      if (dependencies.bindings.isDue(snapshot.uid)) {
        const { request } = await installRequest(context, definition);
        await driver.install(request, { signal });
      } else if (snapshot.object.status?.phase === 'Ready') return;
      dependencies.bindings.markChecked(snapshot.uid);
    },
    // A space is never external.
    async release() {},
  };
}
