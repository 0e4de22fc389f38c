import { type FieldError, invalid, required } from '../field-error.ts';
import type { Definition } from './definition.ts';

/**
 * True for API groups of the Kubernetes community. A CustomResourceDefinition in such a group must have an annotation
 * that refers to the approval of the API.
 */
export function isProtectedGroup(group: string): boolean {
  return ['k8s.io', 'kubernetes.io'].some((domain) => group === domain || group.endsWith(`.${domain}`));
}

const annotation = 'api-approved.kubernetes.io';
const discussion = 'see https://github.com/kubernetes/enhancements/pull/1111';

export interface Approval {
  readonly state: 'missing' | 'bypassed' | 'approved' | 'invalid';
  readonly reason: string;
}

export function approvalOf({ metadata }: Definition): Approval {
  const text = approvalText(metadata.annotations);
  if (text === '') {
    return {
      state: 'missing',
      reason: `protected groups must have approval annotation "${annotation}", ${discussion}`,
    };
  }
  if (text.startsWith('unapproved')) return { state: 'bypassed', reason: `not approved: ${JSON.stringify(text)}` };
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#\s]+/.test(text) && URL.canParse(text)) {
    return { state: 'approved', reason: `approved in ${text}` };
  }
  return {
    state: 'invalid',
    reason: `protected groups must have approval annotation "${annotation}" with either a URL or a reason starting with "unapproved", ${discussion}`,
  };
}

function approvalText(annotations: Readonly<Record<string, string>> = {}): string {
  return annotations[annotation] ?? '';
}

/**
 * Validates the approval annotation of a protected group. Reports no errors for an update if the approval of the old
 * definition has the same state, for example if the annotation was missing before and still is.
 */
export function approvalErrors(definition: Definition, old: Definition | undefined): FieldError[] {
  if (!isProtectedGroup(definition.spec.group ?? '')) return [];
  const { state, reason } = approvalOf(definition);
  if (old !== undefined && approvalOf(old).state === state) return [];
  const field = `metadata.annotations[${annotation}]`;
  if (state === 'missing') return [required(field, reason)];
  return state === 'invalid' ? [invalid(field, approvalText(definition.metadata.annotations), reason)] : [];
}
