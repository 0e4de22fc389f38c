import { equalJson } from '@flotilla/json';
import { yamlText } from '@flotilla/yaml';
import type { DraftState } from '../draft-state.ts';
import { editablePart, editableText, parseObjectText } from '../object-draft.ts';
import { mergeLines } from './merge-lines.ts';
import { type MergeConflict, type MergeRules, threeWayMerge } from './three-way-merge.ts';

export interface MergedDraft {
  readonly text: string;
  readonly conflicts: readonly MergeConflict[];
}

/**
 * Merges the draft with the changes made by others. The result has the values of a field-by-field merge. If a
 * line-by-line merge produces the same values, returns the text of that merge, because it keeps comments and the order
 * of lines. `undefined` if the draft is not valid YAML.
 */
export function mergeDraft({ base, text, live }: DraftState, rules: MergeRules): MergedDraft | undefined {
  const { value } = parseObjectText(text);
  if (value === undefined) return undefined;
  const { merged, conflicts } = threeWayMerge(editablePart(base), value, editablePart(live), rules);
  const lines = mergeLines(editableText(base), text, editableText(live));
  const isSame = lines !== undefined && equalJson(parseObjectText(lines).value, merged);
  return { text: isSame ? lines : yamlText(merged), conflicts };
}
