import { useState } from 'react';
import { FormDialog } from '../../../components/form/form-dialog.tsx';
import { notify } from '../../../components/notifications.tsx';
import { patchObject } from '../../../data/objects/objects.ts';
import { IdleTimeoutSelect, idleAnnotations } from '../idle-timeout-select.tsx';
import type { InstanceState } from './instance-state.ts';

/** A dialog that edits the auto-sleep and auto-delete settings of an instance. */
export function AutoSleepDialog({ instance, onClose }: { readonly instance: InstanceState; onClose(): void }) {
  const { type, object, namespace, name } = instance;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(idleAnnotations.map((each) => [each, object.metadata.annotations?.[each] ?? ''])),
  );

  async function save(): Promise<void> {
    const changed = Object.fromEntries(idleAnnotations.map((each) => [each, values[each] || null]));
    await patchObject(type.kind, { namespace, name }, { metadata: { annotations: changed } });
    notify.done(`Saved ${name}`);
  }

  return (
    <FormDialog title={`Auto-sleep and auto-delete of ${name}`} action="Save" onSend={save} onClose={onClose}>
      {() =>
        idleAnnotations.map((annotation) => (
          <IdleTimeoutSelect
            key={annotation}
            annotation={annotation}
            noun={type.noun}
            value={values[annotation] ?? ''}
            onChange={(value) => setValues({ ...values, [annotation]: value })}
          />
        ))
      }
    </FormDialog>
  );
}
