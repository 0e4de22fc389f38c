import { useState } from 'react';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { notify } from '../../../components/notices.tsx';
import { kinds } from '../../../data/kind-ref.ts';
import { patchObject } from '../../../data/objects.ts';
import { AfterSelect, restAnnotations } from '../after-select.tsx';
import type { InstanceFacts } from './instance-facts.ts';

/** What is to happen to a virtual cluster when nobody uses it. */
export function RestDialog({ facts, onClose }: { readonly facts: InstanceFacts; onClose(): void }) {
  const { object, namespace, name } = facts;
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(restAnnotations.map((each) => [each, object.metadata.annotations?.[each] ?? ''])),
  );

  async function save(): Promise<void> {
    const changed = Object.fromEntries(restAnnotations.map((each) => [each, values[each] || null]));
    await patchObject(kinds.instance, { namespace, name }, { metadata: { annotations: changed } });
    notify.done(`${name} is changed`);
  }

  return (
    <FormDialog title={`When nobody uses ${name}`} action="Save" onSend={save} onClose={onClose}>
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
