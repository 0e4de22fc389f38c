import type { ProjectMember } from '../../../src/api/management/v1/project.ts';
import { changeObject } from '../../data/change-object.ts';
import { kinds } from '../../data/kind-ref.ts';
import { projectSpec } from './project-spec.ts';

/** As the members are on the server now, so that two people who change them at once both have their way. */
export async function changeMembers(
  project: string,
  change: (members: readonly ProjectMember[]) => ProjectMember[],
): Promise<void> {
  await changeObject(kinds.project, { name: project }, (object) => ({
    spec: { members: change(projectSpec(object).members ?? []) },
  }));
}
