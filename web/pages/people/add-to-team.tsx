import { useState } from 'react';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { PrincipalPicker } from '../../components/form/principal-picker.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import type { Principal } from '../../data/principals.ts';
import { addTeamMember } from './team-members.ts';

export interface AddToTeamProps {
  /** The user to add. The page passes either `user` or `team`, and the dialog asks for the missing one. */
  readonly user?: string;
  readonly team?: string;
  onClose(): void;
}

/** A dialog that adds a user to a team. It opens from the page of the user or of the team. */
export function AddToTeam({ user, team, onClose }: AddToTeamProps) {
  const [other, setOther] = useState<Principal>();
  const wanted = user === undefined ? 'User' : 'Team';

  async function send(): Promise<void> {
    if (other === undefined) return;
    const [who, where] = [user ?? other.name, team ?? other.name];
    await addTeamMember(where, who);
    notify.done(`Added ${who} to ${where}`);
  }

  return (
    <FormDialog
      title={user === undefined ? `Add a user to ${team}` : `Add ${user} to a team`}
      action="Add"
      canSend={other !== undefined}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <PrincipalPicker
          label={wanted}
          allow={[wanted]}
          value={other}
          onChange={setOther}
          error={fieldProblems(error)('spec.users')}
          required
          autoFocus
        />
      )}
    </FormDialog>
  );
}
