import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Command } from '../../../components/command.tsx';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { PrincipalPicker } from '../../../components/form/principal-picker.tsx';
import { notify } from '../../../components/notifications.tsx';
import { fieldProblems } from '../../../data/field-problems.ts';
import { changeObject } from '../../../data/objects/change-object.ts';
import type { Principal } from '../../../data/principals.ts';
import type { InstanceState } from './instance-state.ts';
import { suggestedRole, withShare } from './sharing.ts';

export interface ShareDialogProps {
  readonly instance: InstanceState;
  onClose(): void;
}

/** The value of the option for entering a role that is not in the list. No role can have this name. */
const other = '/';

const roleTexts: Readonly<Record<string, string>> = {
  view: 'May read most objects, but no Secrets and no roles.',
  edit: 'May read and change most objects, including Secrets, but no roles.',
  admin: 'May read and change most objects, and give roles to others in each namespace.',
  'cluster-admin': 'May do everything, including giving any role to others.',
  [other]: 'A role that exists inside, for example one that a template creates.',
};

/** The labels of the common roles, with explanations. Other roles are shown with their name only. */
const roleLabels: Readonly<Record<string, string>> = {
  view: 'view (read-only)',
  edit: 'edit (read and change)',
  admin: 'admin (read, change and give roles)',
  'cluster-admin': 'cluster-admin (everything)',
};

/** A dialog that shares an instance with a user or a team. */
export function ShareDialog({ instance, onClose }: ShareDialogProps) {
  const { type, object, namespace, name, project } = instance;
  const [principal, setPrincipal] = useState<Principal>();
  const [selected, setSelected] = useState(() => suggestedRole(instance));
  const [otherRole, setOtherRole] = useState('');
  const role = selected === other ? otherRole.trim() : selected;
  const [manages, setManages] = useState(false);

  async function share(): Promise<void> {
    if (principal === undefined) return;
    await changeObject(type.kind, { namespace, name }, (now) => ({
      spec: withShare(now, principal, { manages, role }),
    }));
    notify.done(`Shared ${name} with ${principal.name}`);
  }

  const who =
    principal === undefined ? '--user <name>' : `--${principal.kind === 'User' ? 'user' : 'team'} ${principal.name}`;
  const as = ` --role ${role === '' ? '<role>' : role}`;
  const { defaultRole } = type.rolesOf(object);
  const offered = [...new Set([...type.commonRoles, suggestedRole(instance), defaultRole])];
  return (
    <FormDialog
      title={`Share ${name}`}
      action="Share"
      canSend={principal !== undefined && role !== ''}
      onSend={share}
      onClose={onClose}
    >
      {(error) => (
        <>
          <PrincipalPicker
            label="User or team"
            value={principal}
            onChange={setPrincipal}
            required
            autoFocus
            error={fieldProblems(error)('spec.access')}
          />
          <NativeSelect
            label="Cluster role"
            description={roleTexts[selected] ?? `A cluster role of the ${type.noun}.`}
            data={[
              ...offered.map((one) => ({ value: one, label: roleLabels[one] ?? one })),
              { value: other, label: 'Other role' },
            ]}
            value={selected}
            onChange={(event) => setSelected(event.currentTarget.value)}
            error={selected === other ? undefined : fieldProblems(error)('spec.extraAccessRules')}
          />
          {selected === other ? (
            <TextInput
              label="Name of the cluster role"
              value={otherRole}
              onChange={(event) => setOtherRole(event.currentTarget.value)}
              error={fieldProblems(error)('spec.extraAccessRules')}
              autoComplete="off"
              spellCheck={false}
              required
            />
          ) : null}
          <Checkbox
            label={`Can also change the settings of the ${type.noun}, and delete it`}
            checked={manages}
            onChange={(event) => setManages(event.currentTarget.checked)}
          />
          {manages ? null : <Command text={`${type.program} share ${name} --project ${project} ${who}${as}`} />}
        </>
      )}
    </FormDialog>
  );
}
