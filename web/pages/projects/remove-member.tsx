import { Text } from '@mantine/core';
import type { ProjectMember } from '../../../src/api/management/v1/project.ts';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { changeMembers } from './change-members.ts';
import { roleLabel, withoutMember } from './members.ts';

export interface RemoveMemberProps {
  readonly project: string;
  readonly member: ProjectMember;
  onClose(): void;
}

/** A dialog that removes a member from a project. */
export function RemoveMember({ project, member, onClose }: RemoveMemberProps) {
  return (
    <Confirm
      title={`Remove ${member.name} from ${project}?`}
      action={`Remove ${member.name}`}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await changeMembers(project, (all) => withoutMember(all, member));
        notify.done(`Removed ${member.name} from ${project}`);
      }}
    >
      <Text size="sm">
        {member.kind === 'Team' ? 'Its members lose' : 'The user loses'} the role {roleLabel(member.clusterRole)} at
        once. Their own virtual clusters are kept.
      </Text>
    </Confirm>
  );
}
