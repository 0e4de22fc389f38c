import type { Project } from '../../api/management/v1/project.ts';
import { accessListGrants, reading } from './access-list.ts';
import type { Caller } from './caller.ts';
import { owns } from './owns.ts';
import { isMember } from './project-grants.ts';

/** True if the caller may read the project. */
export function readsProject({ caller, project }: { caller: Caller; project?: Project | undefined }): boolean {
  if (project === undefined) return false;
  return isMember(caller, project) || owns(caller, project) || accessListGrants(caller, project, reading);
}
