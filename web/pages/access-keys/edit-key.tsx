import { useState } from 'react';
import { DescribedFields } from '../../components/described-fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notices.tsx';
import { describedPatch } from '../../data/described.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import { patchObject } from '../../data/objects.ts';
import { hasOwnValue, type KeyAt, keySpec } from './key-spec.ts';
import { type Lifetime, LifetimeFields } from './lifetime-fields.tsx';

/** What a key is called, and how long it works. Its reach is edited as YAML, or by making another key. */
export function EditKey({ kind, accessKey, onClose }: KeyAt & { readonly onClose: () => void }) {
  const { name = '' } = accessKey.metadata;
  // As it was when the form was opened.
  const [before] = useState(() => keySpec(accessKey));
  const lived: Lifetime = { ttl: before.ttl ?? 0, afterUse: before.ttlAfterLastActivity === true };
  const { displayName = '', description = '' } = before;
  const [described, setDescribed] = useState({ displayName, description });
  const [life, setLife] = useState(lived);

  async function send(): Promise<void> {
    const isOther = life.ttl !== lived.ttl || life.afterUse !== lived.afterUse;
    await patchObject(
      kind,
      { name },
      {
        spec: {
          ...describedPatch(described, { displayName, description }),
          ...(isOther ? { ttl: life.ttl, ttlAfterLastActivity: life.ttl > 0 && life.afterUse } : {}),
        },
      },
    );
    notify.done(`The key ${name} is changed`);
  }

  return (
    <FormDialog title={`Edit ${name}`} action="Save" onSend={send} onClose={onClose}>
      {(error) => {
        const problem = fieldProblems(error);
        return (
          <>
            <DescribedFields value={described} onChange={setDescribed} problem={problem} autoFocus />
            {hasOwnValue(before) ? (
              <LifetimeFields
                value={life}
                onChange={setLife}
                error={problem('spec.ttl')}
                about="Counted from its creation."
              />
            ) : null}
          </>
        );
      }}
    </FormDialog>
  );
}
