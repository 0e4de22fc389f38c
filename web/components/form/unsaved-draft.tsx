import { unsavedDrafts } from '../../data/objects/unsaved-drafts.ts';
import { Panel } from '../panel.tsx';
import { YamlField } from './yaml-field.tsx';

/** Shows the unsaved changes of a deleted object, so that they are not lost. */
export function UnsavedDraft({ url }: { readonly url: string }) {
  const draft = unsavedDrafts.get(url);
  if (draft === undefined) return null;
  return (
    <Panel title="Your unsaved changes">
      <YamlField label="Unsaved YAML" value={draft.text} readOnly />
    </Panel>
  );
}
