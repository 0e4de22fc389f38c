import { Text } from '@mantine/core';
import { Confirm } from '../../components/form/confirm.tsx';
import { notify } from '../../components/notifications.tsx';
import { removeTeamMember } from './team-members.ts';

export interface RemoveFromTeamProps {
  readonly team: string;
  readonly user: string;
  onClose(): void;
}

/** A dialog that removes a user from a team. */
export function RemoveFromTeam({ team, user, onClose }: RemoveFromTeamProps) {
  return (
    <Confirm
      title={`Remove ${user} from ${team}?`}
      action={`Remove ${user}`}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await removeTeamMember(team, user);
        notify.done(`Removed ${user} from ${team}`);
      }}
    >
      <Text size="sm">
        The user loses the permissions of the team at once, but keeps the permissions that they have themselves.
      </Text>
    </Confirm>
  );
}
