import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { User } from '../../../src/api/management/v1/user.ts';
import { DisplayFieldInputs } from '../../components/form/display-field-inputs.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { changedMembers } from '../../data/objects/changed-members.ts';
import { displayFieldsPatch } from '../../data/objects/display-fields.ts';
import { patchObject } from '../../data/objects/objects.ts';
import { usePermissions } from '../../data/permissions.ts';
import { GroupsFields } from './groups-fields.tsx';
import { userSpec } from './user-spec.ts';

const texts = ['email', 'username', 'subject'] as const;
type Text = (typeof texts)[number];

const labels: Readonly<Record<Text, { readonly label: string; readonly description?: string }>> = {
  email: { label: 'Email' },
  username: { label: 'Username', description: 'The name to sign in with. Optional; defaults to the name of the user.' },
  subject: {
    label: 'Subject',
    description: 'The user name in clusters, for example in role bindings. Optional; defaults to the name of the user.',
  },
};

/** A dialog that edits the fields of a user that the caller may change. */
export function EditUser({ user, onClose }: { readonly user: User; readonly onClose: () => void }) {
  const { name = '' } = user.metadata;
  // The values when the form was opened. Only fields that differ from these values are sent.
  const [before] = useState(() => userSpec(user));
  const { displayName = '', description = '' } = before;
  const [described, setDescribed] = useState({ displayName, description });
  const [given, setGiven] = useState<Partial<Record<Text, string>>>({});
  const [groups, setGroups] = useState<readonly string[]>(before.groups ?? []);
  const permissions = usePermissions(
    [...texts, 'groups'].map((field) => ({
      verb: 'update',
      kind: kinds.user,
      name,
      subresource: `spec.${field}`,
    })),
  );
  const may = (field: Text | 'groups') => permissions[[...texts, 'groups'].indexOf(field)]?.allowed === true;

  async function send(): Promise<void> {
    const changed = Object.entries(given).map(([field, text]) => [field, text.trim() || null]);
    await patchObject(
      kinds.user,
      { name },
      {
        spec: {
          ...displayFieldsPatch(described, { displayName, description }),
          ...Object.fromEntries(changed),
          ...(may('groups') ? changedMembers({ groups: before.groups ?? [] }, { groups }) : {}),
        },
      },
    );
    notify.done(`Saved ${name}`);
  }

  return (
    <FormDialog title={`Edit ${name}`} action="Save" onSend={send} onClose={onClose}>
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <DisplayFieldInputs value={described} onChange={setDescribed} problem={problem} autoFocus />
            {texts.filter(may).map((field) => (
              <TextInput
                key={field}
                {...labels[field]}
                value={given[field] ?? before[field] ?? ''}
                onChange={(event) => setGiven({ ...given, [field]: event.currentTarget.value })}
                error={problem(`spec.${field}`)}
                autoComplete="off"
                spellCheck={false}
              />
            ))}
            {may('groups') ? (
              <GroupsFields
                value={groups}
                onChange={setGroups}
                error={problem('spec.groups')}
                adminText="The user has all permissions on this server."
                auditorText="The user can read everything except secrets and logs, and search the audit log."
              />
            ) : null}
          </>
        );
      }}
    </FormDialog>
  );
}
