import { keptDrafts } from '../data/kept-drafts.ts';
import { Panel } from './panel.tsx';
import { YamlField } from './yaml-field.tsx';

/** What somebody typed for an object that is not there any more, so that it is not lost with it. */
export function UnsavedText({ url }: { readonly url: string }) {
  const draft = keptDrafts.get(url);
  if (draft === undefined) return null;
  return (
    <Panel title="What you had typed">
      <YamlField label="Not saved" value={draft.text} readOnly />
    </Panel>
  );
}
