import { Text } from '@mantine/core';
import { Confirm } from '../../components/confirm.tsx';
import { notify } from '../../components/notices.tsx';
import { leaveTeam } from './team-members.ts';

export interface LeaveTeamProps {
  readonly team: string;
  readonly user: string;
  onClose(): void;
}

/** Somebody goes out of a team. */
export function LeaveTeam({ team, user, onClose }: LeaveTeamProps) {
  return (
    <Confirm
      title={`Remove ${user} from ${team}?`}
      action={`Remove ${user}`}
      danger
      onClose={onClose}
      onConfirm={async () => {
        await leaveTeam(team, user);
        notify.done(`${user} is not in ${team} any more`);
      }}
    >
      <Text size="sm">They lose at once what the team gave them. What is their own stays theirs.</Text>
    </Confirm>
  );
}
