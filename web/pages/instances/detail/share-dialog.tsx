import { Autocomplete, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Command } from '../../../components/command.tsx';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { PrincipalPicker } from '../../../components/form/principal-picker.tsx';
import { notify } from '../../../components/notifications.tsx';
import { fieldProblems } from '../../../data/field-problems.ts';
import { changeObject } from '../../../data/objects/change-object.ts';
import type { Principal } from '../../../data/principals.ts';
import type { InstanceState } from './instance-state.ts';
import { withShare } from './sharing.ts';

export interface ShareDialogProps {
  readonly instance: InstanceState;
  /** The cluster role from the template, which applies if the user enters no role. */
  readonly fallback: string;
  onClose(): void;
}

/** A dialog that shares an instance with a user or a team. */
export function ShareDialog({ instance: { type, namespace, name, project }, fallback, onClose }: ShareDialogProps) {
  const [principal, setPrincipal] = useState<Principal>();
  const [role, setRole] = useState('');
  const [manages, setManages] = useState(false);

  async function share(): Promise<void> {
    if (principal === undefined) return;
    await changeObject(type.kind, { namespace, name }, (now) => ({
      spec: withShare(now, principal, { manages, role: role.trim() }),
    }));
    notify.done(`Shared ${name} with ${principal.name}`);
  }

  const who =
    principal === undefined ? '--user <name>' : `--${principal.kind === 'User' ? 'user' : 'team'} ${principal.name}`;
  const as = role.trim() === '' ? '' : ` --role ${role.trim()}`;
  return (
    <FormDialog
      title={`Share ${name}`}
      action="Share"
      canSend={principal !== undefined}
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
          <Autocomplete
            label="Cluster role"
            description={`The role in the ${type.noun}, such as view or edit. Optional; defaults to ${fallback} from the template.`}
            data={[...type.commonRoles]}
            value={role}
            onChange={setRole}
            error={fieldProblems(error)('spec.extraAccessRules')}
          />
          <Checkbox
            label={`Can also change and delete the ${type.noun}`}
            checked={manages}
            onChange={(event) => setManages(event.currentTarget.checked)}
          />
          {manages ? null : <Command text={`${type.program} share ${name} --project ${project} ${who}${as}`} />}
        </>
      )}
    </FormDialog>
  );
}
