import { Autocomplete, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { Command } from '../../../components/command.tsx';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { notify } from '../../../components/notices.tsx';
import { PrincipalPicker } from '../../../components/principal-picker.tsx';
import { changeObject } from '../../../data/change-object.ts';
import { fieldProblems } from '../../../data/field-problems.ts';
import { kinds } from '../../../data/kind-ref.ts';
import type { Principal } from '../../../data/principals.ts';
import type { InstanceFacts } from './instance-facts.ts';
import { withShare } from './sharing.ts';

export interface ShareDialogProps {
  readonly facts: InstanceFacts;
  /** The role of whom nothing else is said. */
  readonly fallback: string;
  onClose(): void;
}

const usualRoles = ['view', 'edit', 'admin', 'cluster-admin'];

/** Lets a user or a team into a virtual cluster. */
export function ShareDialog({ facts: { namespace, name, project }, fallback, onClose }: ShareDialogProps) {
  const [principal, setPrincipal] = useState<Principal>();
  const [role, setRole] = useState('');
  const [manages, setManages] = useState(false);

  async function share(): Promise<void> {
    if (principal === undefined) return;
    await changeObject(kinds.instance, { namespace, name }, (now) => ({
      spec: withShare(now, principal, { manages, role: role.trim() }),
    }));
    notify.done(`${name} is shared with ${principal.name}`);
  }

  const who =
    principal === undefined ? '--user <name>' : `--${principal.kind === 'User' ? 'user' : 'team'} ${principal.name}`;
  const as = role.trim() === '' ? '' : ` --role ${role.trim()}`;
  return (
    <FormDialog
      title={`Share ${name}`}
      action="Share it"
      canSend={principal !== undefined}
      onSend={share}
      onClose={onClose}
    >
      {(error) => (
        <>
          <PrincipalPicker
            label="With whom"
            value={principal}
            onChange={setPrincipal}
            required
            autoFocus
            error={fieldProblems(error)('spec.access')}
          />
          <Autocomplete
            label="Their role inside"
            description={`A cluster role in there, as view, edit or one of your own. Empty: ${fallback}, as the template gives.`}
            data={usualRoles}
            value={role}
            onChange={setRole}
            error={fieldProblems(error)('spec.extraAccessRules')}
          />
          <Checkbox
            label="They may change and delete the virtual cluster itself, too"
            checked={manages}
            onChange={(event) => setManages(event.currentTarget.checked)}
          />
          {manages ? null : <Command text={`flotilla share ${name} --project ${project} ${who}${as}`} />}
        </>
      )}
    </FormDialog>
  );
}
