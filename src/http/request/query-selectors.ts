import type { ResourceKind } from '../../api/resource.ts';
import { type FieldSelector, parseFieldSelector, requiredFieldValue } from '../../api/selectors/field-selector.ts';
import { parseLabelSelector } from '../../api/selectors/label-selector.ts';
import { checkSelectorFields } from '../../api/selectors/select.ts';
import { badRequest } from '../../api/status.ts';
import type { ListOptions } from '../../registry/verbs.ts';

export type SelectableKind = Pick<ResourceKind, 'namespaced' | 'selectableFields' | 'builtIn'>;

/**
 * Parses the label and field selectors of a list or watch. `pathName` is the object name in the path of a legacy watch,
 * `/watch/…/name`. If it is set, only the object of that name is selected (rules REQ-07, SEL-12).
 */
export function readSelectors(
  query: URLSearchParams,
  kind: SelectableKind,
  pathName: string,
): Pick<ListOptions, 'labelSelector' | 'fieldSelector'> {
  const labels = query.get('labelSelector') ?? '';
  const fields = query.get('fieldSelector') ?? '';
  const labelSelector = labels === '' ? undefined : parseLabelSelector(labels);
  let fieldSelector = fields === '' ? undefined : parseFieldSelector(fields);
  if (fieldSelector !== undefined) checkSelectorFields(kind, fieldSelector);
  if (pathName !== '') fieldSelector = narrowed(fieldSelector, pathName);
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

function narrowed(selector: FieldSelector | undefined, name: string): FieldSelector {
  const asked = requiredFieldValue(selector, 'metadata.name');
  if (asked !== undefined && asked !== name) {
    throw badRequest("fieldSelector metadata.name doesn't match requested name");
  }
  return {
    requirements: [...(selector?.requirements ?? []), { field: 'metadata.name', operator: '=', value: name }],
    matches: (read) => read('metadata.name') === name && (selector === undefined || selector.matches(read)),
  };
}
