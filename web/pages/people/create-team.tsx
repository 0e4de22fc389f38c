import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiVersionOf } from '../../../src/api/meta.ts';
import { DescribedFields } from '../../components/described-fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { NameField } from '../../components/name-field.tsx';
import { notify } from '../../components/notices.tsx';
import { describedSpec } from '../../data/described.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import { kinds } from '../../data/kind-ref.ts';
import { createObject } from '../../data/objects.ts';

/** Creates a team; members are added on its page. */
export function CreateTeam({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [described, setDescribed] = useState({ displayName: '', description: '' });

  async function send(): Promise<void> {
    const made = await createObject(kinds.team, {
      apiVersion: apiVersionOf(kinds.team),
      kind: kinds.team.kind,
      metadata: { name: name.trim() },
      spec: describedSpec(described),
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
              form="Lowercase letters, digits, dots and hyphens."
            />
            <DescribedFields value={described} onChange={setDescribed} problem={problem} />
          </>
        );
      }}
    </FormDialog>
  );
}
