import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { projectRoles } from '../../../src/api/naming.ts';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { PrincipalPicker } from '../../components/form/principal-picker.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import type { Principal } from '../../data/principals.ts';
import { changeMembers } from './change-members.ts';
import { type ProjectRole, roles, withMember } from './members.ts';

/** A dialog that adds a user or a team to a project with a role. */
export function AddMember({ project, onClose }: { readonly project: string; readonly onClose: () => void }) {
  const [principal, setPrincipal] = useState<Principal>();
  const [role, setRole] = useState<ProjectRole>(projectRoles.user);

  async function send(): Promise<void> {
    if (principal === undefined) return;
    await changeMembers(project, (members) => withMember(members, { ...principal, clusterRole: role }));
    notify.done(`Added ${principal.name} to ${project}`);
  }

  return (
    <FormDialog
      title={`Add member to ${project}`}
      action="Add"
      canSend={principal !== undefined}
      onSend={send}
      onClose={onClose}
    >
      {(error) => (
        <>
          <PrincipalPicker
            label="User or team"
            value={principal}
            onChange={setPrincipal}
            error={fieldProblems(error)('spec.members')}
            required
            autoFocus
          />
          <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as ProjectRole)}>
            <Stack gap="xs" mt="xs">
              {roles.map(({ value, label, about }) => (
                <Radio key={value} value={value} label={label} description={about} />
              ))}
            </Stack>
          </Radio.Group>
        </>
      )}
    </FormDialog>
  );
}
