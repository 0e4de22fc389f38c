import { useState } from 'react';
import { DescribedFields } from '../../components/described-fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../components/notices.tsx';
import { describedPatch } from '../../data/described.ts';
import { fieldProblems } from '../../data/field-problems.ts';
import { patchObject } from '../../data/objects.ts';
import { hasOwnValue, type KeyAt, keySpec } from './key-spec.ts';
import { type Lifetime, LifetimeFields } from './lifetime-fields.tsx';

/**
 * Edits the display name, description and lifetime of a key. The scope is edited as YAML, or by duplicating the key.
 */
export function EditKey({ kind, accessKey, onClose }: KeyAt & { readonly onClose: () => void }) {
  const { name = '' } = accessKey.metadata;
  // The values when the form was opened.
  const [before] = useState(() => keySpec(accessKey));
  const lifetimeBefore: Lifetime = { ttl: before.ttl ?? 0, afterUse: before.ttlAfterLastActivity === true };
  const { displayName = '', description = '' } = before;
  const [described, setDescribed] = useState({ displayName, description });
  const [lifetime, setLifetime] = useState(lifetimeBefore);

  async function send(): Promise<void> {
    const isChanged = lifetime.ttl !== lifetimeBefore.ttl || lifetime.afterUse !== lifetimeBefore.afterUse;
    await patchObject(
      kind,
      { name },
      {
        spec: {
          ...describedPatch(described, { displayName, description }),
          ...(isChanged ? { ttl: lifetime.ttl, ttlAfterLastActivity: lifetime.ttl > 0 && lifetime.afterUse } : {}),
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
            <DescribedFields value={described} onChange={setDescribed} problem={problem} autoFocus />
            {hasOwnValue(before) ? (
              <LifetimeFields
                value={lifetime}
                onChange={setLifetime}
                error={problem('spec.ttl')}
                about="Counted from the creation of the key."
              />
            ) : null}
          </>
        );
      }}
    </FormDialog>
  );
}
