import { type Project, projectKind, quotaResources } from '../../api/management/v1/project.ts';
import type { Notification } from './notification.ts';

/** The used share of a quota at which people are notified. */
const nearlyReached = 0.9;

const nouns: Readonly<Record<(typeof quotaResources)[number], string>> = {
  virtualclusterinstances: 'virtual clusters',
  spaceinstances: 'spaces',
};

export interface QuotaReader {
  /** True if the caller gets notifications about the quota of the whole project. */
  readonly managesProject: boolean;
  /** The name of the user or team about whose own quota the caller gets notifications. */
  readonly owner: string | undefined;
}

/** Returns the notifications about quotas of a project. */
export function quotaNotifications(project: Project, { managesProject, owner }: QuotaReader): Notification[] {
  const { project: ofProject, user: ofUsers } = project.status?.quotas ?? {};
  const { name = '' } = project.metadata;
  return quotaResources.flatMap((resource) => {
    const found: Notification[] = [];
    const add = (used: string | undefined, limit: string | undefined, whose: string) => {
      const [count, most] = [Number(used ?? 0), Number(limit ?? Number.NaN)];
      if (Number.isNaN(most) || count === 0 || count < most * nearlyReached) return;
      const message = `${whose} ${name} has ${count} of ${most} allowed ${nouns[resource]}`;
      found.push(notification(project, `${resource}/${whose}`, `${count}/${most}`, message));
    };
    if (managesProject) add(ofProject?.used?.[resource], ofProject?.limit?.[resource], 'Project');
    if (owner !== undefined) add(ofUsers?.used?.[owner]?.[resource], ofUsers?.limit?.[resource], `${owner} in project`);
    return found;
  });
}

function notification({ metadata }: Project, quota: string, used: string, message: string): Notification {
  const { name = '', uid = '' } = metadata;
  const topic = `QuotaNearlyReached/${uid}/${quota}`;
  return {
    id: `${topic}/${used}`,
    topic,
    reason: 'QuotaNearlyReached',
    isWarning: true,
    message,
    since: undefined,
    involvedObject: { kind: projectKind.kind, name },
    readPermission: { verb: 'get', group: projectKind.group, resource: projectKind.plural, name },
  };
}
