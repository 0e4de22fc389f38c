import { useState } from 'react';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { notify } from '../../../components/notices.tsx';
import { kinds } from '../../../data/kind-ref.ts';
import { patchObject } from '../../../data/objects.ts';
import { AfterSelect, restAnnotations } from '../after-select.tsx';
import type { InstanceFacts } from './instance-facts.ts';

/** Edits the auto-sleep and auto-delete settings of a virtual cluster. */
export function RestDialog({ instance, onClose }: { readonly instance: InstanceFacts; onClose(): void }) {
  const { object, namespace, name } = instance;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(restAnnotations.map((each) => [each, object.metadata.annotations?.[each] ?? ''])),
  );

  async function save(): Promise<void> {
    const changed = Object.fromEntries(restAnnotations.map((each) => [each, values[each] || null]));
    await patchObject(kinds.instance, { namespace, name }, { metadata: { annotations: changed } });
    notify.done(`Saved ${name}`);
  }

  return (
    <FormDialog title={`Auto-sleep of ${name}`} action="Save" onSend={save} onClose={onClose}>
      {() =>
        restAnnotations.map((annotation) => (
          <AfterSelect
            key={annotation}
            annotation={annotation}
            value={values[annotation] ?? ''}
            onChange={(value) => setValues({ ...values, [annotation]: value })}
          />
        ))
      }
    </FormDialog>
  );
}
