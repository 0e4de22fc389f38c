import { unsavedDrafts } from '../../data/objects/unsaved-drafts.ts';
import { Panel } from '../panel.tsx';
import { YamlField } from './yaml-field.tsx';

/** A panel with the user's unsaved changes to a deleted object, which would otherwise be lost. */
export function UnsavedDraft({ url }: { readonly url: string }) {
  const draft = unsavedDrafts.get(url);
  if (draft === undefined) return null;
  return (
    <Panel title="Your unsaved changes">
      <YamlField label="Unsaved YAML" value={draft.text} readOnly />
    </Panel>
  );
}
