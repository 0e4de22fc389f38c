import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { DisplayFieldInputs } from '../../components/form/display-field-inputs.tsx';
import { FormDialog } from '../../components/form/form-dialog.tsx';
import { NameField } from '../../components/form/name-field.tsx';
import { notify } from '../../components/notifications.tsx';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { displayFieldsSpec } from '../../data/objects/display-fields.ts';
import { createObject } from '../../data/objects/objects.ts';

/** A dialog that creates a team. Members are added on the page of the team. */
export function CreateTeam({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [described, setDescribed] = useState({ displayName: '', description: '' });

  async function send(): Promise<void> {
    const made = await createObject(kinds.team, {
      apiVersion: apiVersionOf(kinds.team),
      kind: kinds.team.kind,
      metadata: { name: name.trim() },
      spec: displayFieldsSpec(described),
    });
    const team = made.metadata.name ?? name;
    notify.done(`Created team ${team}`);
    await navigate({ to: '/teams/$team', params: { team } });
  }

  return (
    <FormDialog title="New team" action="Create" canSend={name.trim() !== ''} onSend={send} onClose={onClose}>
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <NameField
              value={name}
              onChange={setName}
              error={problem('metadata.name')}
              form="Use lowercase letters, digits, dots and hyphens."
            />
            <DisplayFieldInputs value={described} onChange={setDescribed} problem={problem} />
          </>
        );
      }}
    </FormDialog>
  );
}
