import type { ProjectMember } from '../../../src/api/management/v1/project.ts';
import { kinds } from '../../data/kind-ref.ts';
import { changeObject } from '../../data/objects/change-object.ts';
import { projectSpec } from './project-spec.ts';

/** Changes the members of a project. The change is applied to the current members, so concurrent changes are kept. */
export async function changeMembers(
  project: string,
  change: (members: readonly ProjectMember[]) => ProjectMember[],
): Promise<void> {
  await changeObject(kinds.project, { name: project }, (object) => ({
    spec: { members: change(projectSpec(object).members ?? []) },
  }));
}
